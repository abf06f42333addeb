/* --list: the names that options take, from the tables they come from. */
#include "attn/compute/cpu/kernels.h"
#include "attn/formula/method.h"
#include "attn/problem/layout.h"
#include "bench/commands/comm.h"
#include "bench/commands/command_line.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/transport.h"
#include "models/model.h"

static void item(FILE *out, const char *name, const char *help) {
    fprintf(out, "  %-16s%s\n", name, help);
}

static void availability(FILE *out, bool available, const char *why) {
    if (!available)
        fprintf(out, "  %-16snot here: %s\n", "", why);
}

static void list_methods(FILE *out) {
    fputs("methods (--method)\n", out);
    for (size_t i = 0; sp_methods[i]; i++)
        item(out, sp_methods[i]->name, sp_methods[i]->help);
    fputs("\nlayouts (--layout)\n", out);
    for (int i = 0; i < LAYOUTS; i++)
        item(out, layout_name((enum layout)i), layout_help((enum layout)i));
    fputs("\nexchanges (--op)\n", out);
    for (size_t i = 0; comm_op(i); i++)
        item(out, comm_op(i)->name, comm_op(i)->help);
}

static void list_transports(FILE *out) {
    char why[256];
    fputs("\ntransports (--transport)\n", out);
    for (size_t i = 0; transport_table[i]; i++) {
        const struct transport_row *row = transport_table[i];
        item(out, row->name, row->help);
        availability(out, row->available(why, sizeof why), why);
    }
    fputs("\nalgorithms of the mpi transport (--mpi-algo)\n", out);
    for (size_t i = 0; mpi_algorithm_table[i]; i++)
        item(out, mpi_algorithm_table[i]->name, mpi_algorithm_table[i]->help);
}

static void list_devices(FILE *out) {
    char why[256];
    fputs("\ndevices (--device)\n", out);
    for (size_t i = 0; compute_rows[i]; i++) {
        const struct device_row *device = compute_rows[i]->device;
        item(out, device->name, device->help);
        availability(out, device->available(why, sizeof why), why);
    }
    fputs("\nkernels of the cpu device (--kernel)\n", out);
    for (size_t i = 0; attn_kernels[i].name; i++) {
        const char *missing = attn_kernels[i].missing();
        item(out, attn_kernels[i].name, attn_kernels[i].help);
        availability(out, !missing, missing);
    }
}

void list_print(const char *data_dir, FILE *out) {
    char models[2048];
    list_methods(out);
    list_transports(out);
    list_devices(out);
    model_names(data_dir, models, sizeof models);
    fprintf(out, "\nmodels (--model)\n  %s\n", models);
}

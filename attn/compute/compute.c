#include "attn/compute/compute.h"

#include <stddef.h>

#include "attn/compute/cpu/cpu.h"

const struct compute_row *const compute_rows[] = {
    &cpu_compute,
    NULL,
};

bool compute_supports(const struct compute_row *row, const struct compute_config *config, char *why,
                      size_t why_size) {
    return row->device->available(why, why_size) && row->supports(config, why, why_size);
}

enum status compute_open(const struct compute_row *row, const struct compute_config *config,
                         struct compute **out) {
    char why[256];
    if (!compute_supports(row, config, why, sizeof why))
        return fail(ST_USAGE, "device %s: %s", row->device->name, why);
    return row->open(config, out);
}

void compute_close(struct compute *c) {
    if (c)
        c->row->close(c);
}

/* info: what this build is and what it can use here. */
#include <jansson.h>
#include <string.h>

#include "attn/compute/cpu/kernels.h"
#include "bench/launch/build_info.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "comm/transport/transport.h"
#include "models/docs.h"
#include "models/model.h"
#include "models/print.h"
#include "results/record/describe.h"

/* Optional parts; what is absent says how to get it. */
static const struct feature {
    const char *name;
    bool built;
    const char *remedy;
} features[] = {
#ifdef SPBENCH_NVTX
    {"NVTX ranges", true, ""},
#else
    {"NVTX ranges", false, "nvtx3/nvToolsExt.h was not found when CMake ran"},
#endif
    {"CUDA device", false, "this version has none"},
    {"NCCL transport", false, "this version has none"},
};

/* {"name", "available", "why"} appended to array. */
static void add(json_t *array, const char *name, bool available, const char *why) {
    json_t *entry = json_pack("{s:s, s:b}", "name", name, "available", available);
    if (!available)
        json_object_set_new(entry, "why", json_string(why));
    json_array_append_new(array, entry);
}

static json_t *list_features(void) {
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        add(array, features[i].name, features[i].built, features[i].remedy);
    return array;
}

static json_t *list_transports(void) {
    json_t *array = json_array();
    for (size_t i = 0; transport_table[i]; i++) {
        const struct transport_row *row = transport_table[i];
        char why[256] = "";
        const bool available = row->available(why, sizeof why);
        add(array, row->name, available, why);
    }
    return array;
}

static json_t *list_devices(void) {
    json_t *array = json_array();
    for (size_t i = 0; compute_rows[i]; i++) {
        char why[256] = "";
        const struct device_row *device = compute_rows[i]->device;
        const bool available = device->available(why, sizeof why);
        add(array, device->name, available, why);
    }
    return array;
}

static json_t *list_kernels(void) {
    json_t *array = json_array();
    for (size_t i = 0; attn_kernels[i].name; i++) {
        const char *missing = attn_kernels[i].missing();
        add(array, attn_kernels[i].name, !missing, missing);
        json_t *entry = json_array_get(array, i);
        json_object_set_new(entry, "dtype", json_string(dtype_name(attn_kernels[i].dtype)));
        json_object_set_new(entry, "needs", json_string(attn_kernels[i].isa));
    }
    return array;
}

static json_t *list_models(const char *data_dir) {
    char names[2048], *rest = NULL;
    json_t *array = json_array();
    model_names(data_dir, names, sizeof names);
    for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        json_array_append_new(array, json_string(name));
    return array;
}

static json_t *make_info(const char *data_dir) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "schema",
                     "spbench.info/1", "version", build_info.version, "git", build_info.git,
                     "compiler", build_info.compiler, "build_type", build_info.build_type, "mpi",
                     build_info.mpi, "mpiexec", SPBENCH_MPIEXEC, "features", list_features(),
                     "devices", list_devices(), "transports", list_transports(), "kernels",
                     list_kernels(), "models", list_models(data_dir), "data_dir", data_dir);
}

static void print_value(const char *key, const json_t *value) {
    size_t i;
    json_t *entry;
    printf("%-12s", key);
    if (json_is_string(value)) {
        printf("%s\n", json_string_value(value));
        return;
    }
    json_array_foreach((json_t *)value, i, entry) {
        const char *why = json_string_value(json_object_get(entry, "why"));
        const char *name =
            json_string_value(json_is_string(entry) ? entry : json_object_get(entry, "name"));
        printf("%*s%s%s%s\n", i > 0 ? 12 : 0, "", name, why ? ": not available: " : "",
               why ? why : "");
    }
}

static enum status generate(const struct options *o) {
    if (o->generate == GENERATE_RECORD_MD)
        return describe_markdown(stdout);
    if (o->generate == GENERATE_RECORD_SCHEMA)
        return describe_schema(stdout);
    if (o->generate == GENERATE_MODELS)
        model_docs(stdout);
    else if (o->generate == GENERATE_MAN)
        opts_man(opts_table(o->line), build_info.version, stdout);
    else
        opts_bash_completion(opts_table(o->line), stdout);
    return ST_OK;
}

static enum status show_model(const struct options *o, const char *data_dir) {
    struct model model;
    const enum status st = model_open(o->model, data_dir, &model);
    if (st != ST_OK)
        return st;
    for (int i = 0; i < model.n_notes; i++)
        warn("model %s: %s", model.name, model.notes[i]);
    if (o->info == INFO_JSON)
        model_print_json(&model, stdout);
    else
        model_print(&model, stdout);
    model_close(&model);
    return ST_OK;
}

static enum status info(const struct options *o, const char *data_dir) {
    if (o->generate != GENERATE_NOTHING)
        return generate(o);
    if (o->model)
        return show_model(o, data_dir);
    json_t *about = make_info(data_dir);
    if (!about)
        return fail(ST_ENV, "out of memory");
    if (o->info == INFO_JSON) {
        json_dumpf(about, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        const char *key;
        json_t *value;
        json_object_foreach(about, key, value) if (strcmp(key, "schema") != 0)
            print_value(key, value);
    }
    json_decref(about);
    return ST_OK;
}

const struct command info_command = {
    .word = {"info", "Version, build features, and which backends are available and why not", "", 0,
             0},
    .local = info,
};

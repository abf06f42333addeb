/* Records that are read back are untrusted input: every contract field is checked by a table. */
#include "results/record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum field_type { OBJECT, ARRAY, TEXT, BOOL, COUNT, REAL, FIELD_TYPES };

static const char *const type_names[FIELD_TYPES] = {
    [OBJECT] = "an object",
    [ARRAY] = "an array",
    [TEXT] = "text",
    [BOOL] = "true or false",
    [COUNT] = "a whole number that is not negative",
    [REAL] = "a finite number",
};

/* One contract field. section is a path ("metrics.time_s") or "" for the record itself; a row that
 * is required must be there whenever its section is. */
struct field {
    const char *section, *key;
    enum field_type type;
    bool required;
};

/* Sections stand before what is in them. */
static const struct field contract[] = {
    {"", "kind", TEXT, true},
    {"", "case", TEXT, true},
    {"", "params", OBJECT, true},
    {"", "metrics", OBJECT, true},
    {"", "memory", OBJECT, false},
    {"", "phases", ARRAY, false},
    {"", "samples_s", ARRAY, false},
    {"", "check", OBJECT, false},
    {"", "pairs", ARRAY, false},
    {"", "links", ARRAY, false},
    {"", "interconnect", OBJECT, false},
    {"", "fingerprint", OBJECT, false},
    {"params", "op", TEXT, false},
    {"params", "method", TEXT, false},
    {"params", "model", TEXT, false},
    {"params", "dtype", TEXT, false},
    {"params", "pass", TEXT, false},
    {"params", "mask", TEXT, false},
    {"params", "layout", TEXT, false},
    {"params", "placement", TEXT, false},
    {"params", "transport", TEXT, false},
    {"params", "device", TEXT, false},
    {"params", "kernel", TEXT, false},
    {"params", "wait", TEXT, false},
    {"params", "sync", TEXT, false},
    {"params", "cache", TEXT, false},
    {"params", "fuse_qkv", TEXT, false},
    {"params", "ring_direction", TEXT, false},
    {"params", "inner", TEXT, false},
    {"params", "head_shares", ARRAY, false},
    {"params", "sp_size", COUNT, false},
    {"params", "dp_shard_size", COUNT, false},
    {"params", "ulysses_size", COUNT, false},
    {"params", "ring_size", COUNT, false},
    {"params", "world_size", COUNT, false},
    {"params", "seq", COUNT, false},
    {"params", "batch", COUNT, false},
    {"params", "heads", COUNT, false},
    {"params", "kv_heads", COUNT, false},
    {"params", "head_dim", COUNT, false},
    {"params", "hidden", COUNT, false},
    {"params", "threads", COUNT, false},
    {"params", "bytes", COUNT, false},
    {"params", "bytes_per_peer", COUNT, false},
    {"metrics", "time_s", OBJECT, false},
    {"metrics.time_s", "median", REAL, true},
    {"metrics.time_s", "ci95", ARRAY, false},
    {"metrics.time_s", "min", REAL, false},
    {"metrics.time_s", "p95", REAL, false},
    {"metrics.time_s", "p99", REAL, false},
    {"metrics.time_s", "mad", REAL, false},
    {"metrics.time_s", "n", COUNT, true},
    {"metrics.time_s", "converged", BOOL, false},
    {"metrics", "tokens_per_s", REAL, false},
    {"metrics", "tflops", REAL, false},
    {"metrics", "algbw_gb_s", REAL, false},
    {"metrics", "busbw_gb_s", REAL, false},
    {"metrics", "bisection_gb_s", REAL, false},
    {"metrics", "worst_pair_gb_s", REAL, false},
    {"metrics", "best_pair_gb_s", REAL, false},
    {"metrics", "worst_pair_loaded_gb_s", REAL, false},
    {"metrics", "invalid_samples", COUNT, false},
    {"metrics", "clock_error_s", REAL, false},
    {"metrics", "speedup_vs_sp1", REAL, false},
    {"metrics", "bytes_sent_per_rank", COUNT, false},
    {"metrics", "bytes_predicted_per_rank", COUNT, false},
    {"metrics", "param_bytes_sent_per_rank", COUNT, false},
    {"metrics", "param_bytes_predicted_per_rank", COUNT, false},
    {"metrics", "exposed_comm_s", REAL, false},
    {"metrics", "predicted_comm_s", REAL, false},
    {"metrics", "overlap", REAL, false},
    {"metrics", "balance", REAL, false},
    {"metrics", "fraction_of_bound", REAL, false},
    {"metrics", "peak_mem_bytes", COUNT, false},
    {"metrics", "predicted_mem_bytes", COUNT, false},
    {"metrics", "peak_rss_bytes", COUNT, false},
    {"check", "status", TEXT, true},
    {"check", "max_rel_err", REAL, false},
    {"check", "wrong_elements", COUNT, false},
    {"check", "reference", TEXT, false},
    {"check", "tensors", OBJECT, false},
    {"interconnect", "sp_worst_link", TEXT, false},
    {"interconnect", "sp_best_link", TEXT, false},
    {"interconnect", "sp_link_gb_s", REAL, false},
    {"interconnect", "dp_worst_link", TEXT, false},
    {"interconnect", "dp_best_link", TEXT, false},
    {"interconnect", "dp_link_gb_s", REAL, false},
    {"interconnect", "link_rates", TEXT, false},
    {"fingerprint", "id", TEXT, false},
    {"fingerprint", "host_class", TEXT, false},
    {"fingerprint", "cpu", TEXT, false},
    {"fingerprint", "topology", TEXT, false},
    {"fingerprint", "mpi", TEXT, false},
    {"fingerprint", "git", TEXT, false},
};

static bool has_type(const json_t *value, enum field_type type) {
    switch (type) {
    case OBJECT:
        return json_is_object(value);
    case ARRAY:
        return json_is_array(value);
    case TEXT:
        return json_is_string(value);
    case BOOL:
        return json_is_boolean(value);
    case COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case REAL:
        return json_is_number(value) && isfinite(json_number_value(value));
    default:
        return false;
    }
}

/* The object at "a.b" in record, NULL when absent. */
static const json_t *at(const json_t *record, const char *path) {
    while (record && *path) {
        const size_t length = strcspn(path, ".");
        record = json_object_getn(record, path, length);
        path += length + (path[length] == '.');
    }
    return record;
}

static enum status mistyped(const char *where, const char *section, const char *key,
                            const char *wanted, const json_t *value) {
    const char *dot = *section ? "." : "";
    if (!value)
        return fail(ST_USAGE, "%s: field %s%s%s is missing", where, section, dot, key);
    char *shown = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
    fail(ST_USAGE, "%s: field %s%s%s must be %s, not %.60s", where, section, dot, key, wanted,
         shown ? shown : "this");
    free(shown);
    return ST_USAGE;
}

static enum status check_numbers(const json_t *array, const char *where, const char *section,
                                 const char *key) {
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value) {
        if (!has_type(value, REAL))
            return mistyped(where, section, key, "an array of numbers", value);
    }
    return ST_OK;
}

static enum status check_phases(const json_t *phases, const char *where) {
    size_t i;
    json_t *phase;
    json_array_foreach(phases, i, phase) {
        if (!has_type(json_object_get(phase, "name"), TEXT) ||
            !has_type(json_object_get(phase, "median_s"), REAL))
            return mistyped(where, "", "phases", "an array of {name, median_s}", phase);
    }
    return ST_OK;
}

static bool is_point(const json_t *point) {
    return has_type(json_object_get(point, "bytes"), COUNT) &&
           has_type(json_object_get(point, "median_s"), REAL);
}

static bool is_link(const json_t *link) {
    static const char *const names[] = {"class", "mode", "direction"};
    const json_t *curve = json_object_get(link, "curve");
    bool ok = has_type(curve, ARRAY);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ok = ok && has_type(json_object_get(link, names[i]), TEXT);
    for (size_t i = 0; i < json_array_size(curve); i++)
        ok = ok && is_point(json_array_get(curve, i));
    return ok;
}

static bool is_pair(const json_t *pair) {
    return has_type(json_object_get(pair, "a"), COUNT) &&
           has_type(json_object_get(pair, "b"), COUNT) &&
           has_type(json_object_get(pair, "class"), TEXT);
}

static enum status check_pairs(const json_t *record, const char *where) {
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(record, "pairs"), i, entry) {
        if (!is_pair(entry))
            return mistyped(where, "", "pairs", "an array of {a, b, class, ...}", entry);
    }
    json_array_foreach(json_object_get(record, "links"), i, entry) {
        if (!is_link(entry))
            return mistyped(where, "", "links", "an array of {class, mode, direction, curve, ...}",
                            entry);
    }
    return ST_OK;
}

static enum status check_memory(const json_t *memory, const char *where) {
    static const char *const keys[] = {"peak", "predicted"};
    const char *category;
    json_t *entry;
    json_object_foreach((json_t *)memory, category, entry) {
        if (!has_type(entry, OBJECT))
            return mistyped(where, "memory", category, type_names[OBJECT], entry);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const json_t *bytes = json_object_get(entry, keys[i]);
            if (bytes && !has_type(bytes, COUNT))
                return mistyped(where, "memory", category, "counts of bytes", entry);
        }
    }
    return ST_OK;
}

static enum status check_tensors(const json_t *tensors, const char *where) {
    static const struct {
        const char *key;
        enum field_type type;
    } fields[] = {{"max", REAL}, {"rms", REAL}, {"rows", COUNT}};
    const char *tensor;
    json_t *errors;
    json_object_foreach((json_t *)tensors, tensor, errors) {
        bool ok = has_type(errors, OBJECT);
        for (size_t i = 0; ok && i < sizeof fields / sizeof fields[0]; i++) {
            const json_t *value = json_object_get(errors, fields[i].key);
            ok = !value || has_type(value, fields[i].type);
        }
        if (!ok)
            return mistyped(where, "check.tensors", tensor, "{max, rms, rows}", errors);
    }
    return ST_OK;
}

static enum status check_schema(const json_t *record, const char *where) {
    const json_t *schema = json_object_get(record, "schema");
    const char *name = json_string_value(schema);
    if (name && strcmp(name, RECORD_SCHEMA) == 0)
        return ST_OK;
    char *shown = schema ? json_dumps(schema, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    fail(ST_USAGE, "%s: schema is %.60s, this spbench reads \"%s\"", where,
         shown ? shown : "missing", RECORD_SCHEMA);
    free(shown);
    return ST_USAGE;
}

enum status record_validate(const json_t *record, const char *where) {
    if (!json_is_object(record))
        return fail(ST_USAGE, "%s: a record must be a JSON object", where);
    enum status st = check_schema(record, where);
    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < sizeof contract / sizeof contract[0]; i++) {
        const struct field *field = &contract[i];
        const json_t *section = at(record, field->section);
        const json_t *value = json_object_get(section, field->key);
        if (!section || (!value && !field->required))
            continue;
        if (!has_type(value, field->type))
            return mistyped(where, field->section, field->key, type_names[field->type], value);
    }
    const json_t *ci = at(record, "metrics.time_s.ci95");
    if (ci && json_array_size(ci) != 2)
        return mistyped(where, "metrics.time_s", "ci95", "an array of two numbers", ci);
    st = check_numbers(ci, where, "metrics.time_s", "ci95");
    if (st == ST_OK)
        st = check_numbers(json_object_get(record, "samples_s"), where, "", "samples_s");
    if (st == ST_OK)
        st = check_phases(json_object_get(record, "phases"), where);
    if (st == ST_OK)
        st = check_pairs(record, where);
    if (st == ST_OK)
        st = check_tensors(at(record, "check.tensors"), where);
    return st == ST_OK ? check_memory(json_object_get(record, "memory"), where) : st;
}

/* Builder and getters of results/record/record.h. */
#include "results/record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "schema" set to null marks a record as spoiled. Replacing the value of an existing key allocates
 * nothing, so this cannot fail itself. */
static void spoil(json_t *record) {
    json_object_set(record, "schema", json_null());
}

/* Takes value; NULL (out of memory) spoils the record, as does failing to store it. */
static void put(json_t *record, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        spoil(record);
}

/* The object of that name inside record, made when missing. */
static json_t *section_of(json_t *record, const char *name) {
    if (!json_object_get(record, name))
        put(record, record, name, json_object());
    return json_object_get(record, name);
}

/* A text that jansson accepts whatever it was: non-UTF-8 bytes become '?'. */
static json_t *text(const char *value) {
    json_t *json = json_string(value);
    if (json)
        return json;
    char *copy = strdup(value);
    if (!copy)
        return NULL;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json = json_string(copy);
    free(copy);
    return json;
}

json_t *record_new(const char *kind) {
    return json_pack("{s:s, s:s, s:{}, s:{}}", "schema", RECORD_SCHEMA, "kind", kind, "params",
                     "metrics");
}

void record_param_str(json_t *record, const char *key, const char *value) {
    if (value)
        put(record, section_of(record, "params"), key, text(value));
}

void record_param_int(json_t *record, const char *key, long long value) {
    put(record, section_of(record, "params"), key, json_integer(value));
}

/* Leaves out what was not measured. */
static void put_real(json_t *record, json_t *object, const char *key, double value) {
    if (isfinite(value))
        put(record, object, key, json_real(value));
}

static void put_count(json_t *record, json_t *object, const char *key, long long value) {
    if (value >= 0)
        put(record, object, key, json_integer(value));
}

void record_param_real(json_t *record, const char *key, double value) {
    put_real(record, section_of(record, "params"), key, value);
}

void record_metric(json_t *record, const char *key, double value) {
    put_real(record, section_of(record, "metrics"), key, value);
}

void record_metric_int(json_t *record, const char *key, long long value) {
    put_count(record, section_of(record, "metrics"), key, value);
}

void record_time(json_t *record, const struct summary *time, bool converged, const double *samples,
                 size_t n) {
    json_t *object = json_object();
    put_real(record, object, "median", time->median);
    if (time->has_ci95)
        put(record, object, "ci95", json_pack("[f, f]", time->ci95_lo, time->ci95_hi));
    put_real(record, object, "min", time->min);
    if (time->has_p95)
        put_real(record, object, "p95", time->p95);
    if (time->has_p99)
        put_real(record, object, "p99", time->p99);
    put_real(record, object, "mad", time->mad);
    put(record, object, "n", json_integer((json_int_t)time->n));
    put(record, object, "outliers_mild", json_integer((json_int_t)time->outliers_mild));
    put(record, object, "outliers_extreme", json_integer((json_int_t)time->outliers_extreme));
    put(record, object, "converged", json_boolean(converged));
    put(record, section_of(record, "metrics"), "time_s", object);

    if (n == 0)
        return;
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        if (json_array_append_new(array, json_real(samples[i])) != 0)
            spoil(record);
    put(record, record, "samples_s", array);
}

void record_phase(json_t *record, const char *name, double median_s) {
    if (!isfinite(median_s))
        return;
    record_append(record, NULL, "phases",
                  json_pack("{s:s, s:f}", "name", name, "median_s", median_s));
}

void record_memory(json_t *record, const char *category, long long peak, long long predicted) {
    if (peak < 0 && predicted < 0)
        return;
    json_t *object = json_object();
    put_count(record, object, "peak", peak);
    put_count(record, object, "predicted", predicted);
    put(record, section_of(record, "memory"), category, object);
}

void record_check(json_t *record, bool ok, double max_rel_err, long long wrong_elements,
                  const char *reference) {
    json_t *check = section_of(record, "check");
    put(record, check, "status", json_string(ok ? "ok" : "wrong"));
    put_real(record, check, "max_rel_err", max_rel_err);
    put_count(record, check, "wrong_elements", wrong_elements);
    if (reference)
        put(record, check, "reference", text(reference));
}

void record_check_tensor(json_t *record, const char *tensor, double max, double rms,
                         long long rows) {
    json_t *check = section_of(record, "check"), *object = json_object();
    if (!json_object_get(check, "tensors"))
        put(record, check, "tensors", json_object());
    put_real(record, object, "max", max);
    put_real(record, object, "rms", rms);
    put_count(record, object, "rows", rows);
    put(record, json_object_get(check, "tensors"), tensor, object);
}

static void put_link(json_t *record, const char *prefix, const char *what, json_t *value) {
    char key[40];
    snprintf(key, sizeof key, "%s_%s", prefix, what);
    put(record, section_of(record, "interconnect"), key, value);
}

void record_group_links(json_t *record, const char *prefix, const char *worst, const char *best,
                        double gb_s) {
    if (worst)
        put_link(record, prefix, "worst_link", text(worst));
    if (best)
        put_link(record, prefix, "best_link", text(best));
    if (isfinite(gb_s))
        put_link(record, prefix, "link_gb_s", json_real(gb_s));
}

void record_link_rates(json_t *record, const char *source) {
    if (source)
        put(record, section_of(record, "interconnect"), "link_rates", text(source));
}

void record_append(json_t *record, const char *section, const char *key, json_t *entry) {
    json_t *object = section ? section_of(record, section) : record;
    if (!json_object_get(object, key))
        put(record, object, key, json_array());
    if (json_array_append_new(json_object_get(object, key), entry) != 0)
        spoil(record);
}

enum status record_finish(json_t *record, const struct case_var *vars, size_t n,
                          const json_t *fingerprint) {
    const char *kind = record_str(record, NULL, "kind");
    char *case_text = kind ? record_case(kind, vars, n) : NULL;
    if (!case_text)
        spoil(record);
    else
        put(record, record, "case", text(case_text));
    free(case_text);
    if (fingerprint)
        put(record, record, "fingerprint", json_deep_copy(fingerprint));
    if (!record || json_is_null(json_object_get(record, "schema")))
        return fail(ST_ENV, "out of memory while building a result record");
    return record_validate_own(record, "this run's record");
}

const char *record_str(const json_t *record, const char *section, const char *key) {
    const json_t *object = section ? json_object_get(record, section) : record;
    return json_string_value(json_object_get(object, key));
}

bool record_num(const json_t *record, const char *section, const char *key, double *value) {
    const json_t *object = section ? json_object_get(record, section) : record;
    const json_t *number = json_object_get(object, key);
    if (!json_is_number(number))
        return false;
    *value = json_number_value(number);
    return true;
}

bool record_time_read(const json_t *record, struct summary *time) {
    const json_t *object = json_object_get(json_object_get(record, "metrics"), "time_s");
    *time = (struct summary){0};
    double n = 0.0;
    if (!record_num(object, NULL, "median", &time->median))
        return false;
    if (record_num(object, NULL, "n", &n))
        time->n = (size_t)n;
    record_num(object, NULL, "min", &time->min);
    record_num(object, NULL, "mad", &time->mad);
    time->has_p95 = record_num(object, NULL, "p95", &time->p95);
    time->has_p99 = record_num(object, NULL, "p99", &time->p99);
    const json_t *ci = json_object_get(object, "ci95");
    time->has_ci95 = json_array_size(ci) == 2;
    if (time->has_ci95) {
        time->ci95_lo = json_number_value(json_array_get(ci, 0));
        time->ci95_hi = json_number_value(json_array_get(ci, 1));
    }
    return true;
}

bool record_is_wrong(const json_t *record) {
    const char *status = record_str(record, "check", "status");
    return status && strcmp(status, "ok") != 0;
}

#include "results/export/export.h"
#include "results/record/fields.h"
#include "results/record/record.h"
#include "results/text/format.h"
#include "tests/results/every_field.h"
#include "tests/results/synthetic.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct exporter *exporter_of(const char *name) {
    size_t n;
    const struct exporter *const *list = export_list(&n);
    while (strcmp((*list)->name, name) != 0)
        list++;
    return *list;
}

/* What an exporter makes of records[n] of a sweep over these keys; the caller frees it. */
static char *exported_sweep(const char *name, json_t *const *records, size_t n,
                            const char *const *swept) {
    FILE *out = tmpfile();
    assert_non_null(out);
    struct export_stream stream;
    assert_int_equal(export_begin(&stream, exporter_of(name), out), ST_OK);
    stream.swept = swept;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(export_record(&stream, records[i]), ST_OK);
    assert_int_equal(export_end(&stream), ST_OK);
    const long length = ftell(out);
    char *text = calloc(1, (size_t)length + 1);
    rewind(out);
    assert_int_equal(fread(text, 1, (size_t)length, out), length);
    fclose(out);
    return text;
}

static char *exported(const char *name, json_t *const *records, size_t n) {
    return exported_sweep(name, records, n, NULL);
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void numbers_with_units(void **state) {
    (void)state;
    char out[FORMAT_ROOM];
    assert_string_equal(format_seconds(out, 1.2345), "1.23 s");
    assert_string_equal(format_seconds(out, 0.0123), "12.3 ms");
    assert_string_equal(format_seconds(out, 4.56e-4), "456 us");
    assert_string_equal(format_seconds(out, 1.2e-8), "12.0 ns");
    assert_string_equal(format_size(out, 1023), "1023 B");
    assert_string_equal(format_size(out, 1536), "1.50 KiB");
    assert_string_equal(format_size(out, 280.0 * 1024 * 1024), "280 MiB");
    assert_string_equal(format_number(out, 0.5), "0.500");
    assert_string_equal(format_number(out, 9.996), "10.0");
    assert_string_equal(format_number(out, 99.96), "100");
    assert_string_equal(format_number(out, 1e300), "1.00e+300");
    assert_string_equal(format_percent(out, 0.123), "12.3%");
    assert_string_equal(format_percent(out, 1.0), "100%");
}

static json_t *pairs_record(void) {
    json_t *r = json_pack("{s:s, s:s, s:s, s:{s:s, s:i, s:i}, s:{}}", "schema", RECORD_SCHEMA,
                          "kind", "comm", "case", "comm op=pairs", "params", "op", "pairs",
                          "world_size", 3, "bytes", 1024, "metrics");
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++)
            record_append(r, NULL, "pairs",
                          json_pack("{s:i, s:i, s:s, s:{s:f, s:f}, s:{s:f, s:f}}", "a", a, "b", b,
                                    "class", "shared-l3", "isolated", "latency_s", 1e-6 * (a + b),
                                    "gb_s", 10.0 * (a + b), "loaded", "latency_s", 2e-6, "gb_s",
                                    5.5));
    record_append(r, NULL, "links",
                  json_pack("{s:s, s:i, s:s, s:s, s:f, s:f, s:[{s:i, s:f}, {s:i, s:f}]}", "class",
                            "shared-l3", "pairs", 3, "mode", "isolated", "direction", "one",
                            "latency_s", 1.5e-6, "gb_s", 12.5, "curve", "bytes", 8, "median_s",
                            1.25e-6, "bytes", 1024, "median_s", 1e-7));
    assert_int_equal(record_validate(r, "test"), ST_OK);
    return r;
}

/* Links and the matrix follow the row; a further record begins a table of its own. */
static void pairs_are_a_section(void **state) {
    (void)state;
    json_t *pairs = pairs_record();
    json_t *const records[] = {pairs, pairs};
    char *table = exported("table", records, 2), *md = exported("md", records, 1);
    assert_int_equal(count(table, "transport/algo"), 2);
    assert_int_equal(count(table, "shared-l3"), 2);
    assert_int_equal(count(table, "1.50 us"), 2);  /* the fit */
    assert_int_equal(count(table, "1.25 us"), 2);  /* the smallest message */
    assert_int_equal(count(table, "10.2"), 2);     /* 1 KiB in 100 ns */
    assert_int_equal(count(table, "5.50"), 2 * 3); /* loaded, below the diagonal */
    assert_int_equal(count(table, "30.0"), 2);     /* isolated, ranks 1 and 2 */
    assert_non_null(strstr(md, "| shared-l3 |"));
    assert_int_equal(count(md, "| 5.50 |"), 2); /* of rank 2 with 0 and 1; "30.0" is between */
    free(table);
    free(md);
    /* What a file may hold instead. */
    json_object_set_new(json_array_get(json_object_get(pairs, "links"), 0), "curve",
                        json_string("flat"));
    struct capture said;
    capture_begin(&said);
    assert_int_equal(record_validate(pairs, "test"), ST_USAGE);
    capture_end(&said);
    assert_non_null(strstr(said.text, "links"));
    json_decref(pairs);
}

static void json_is_whole(void **state) {
    (void)state;
    json_t *records[] = {
        synthetic_comm("alltoall", "pairwise", 2, 65536, 5.0),
        synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096})};
    for (size_t n = 0; n <= 2; n++) {
        char *text = exported("json", records, n);
        json_t *array = json_loads(text, 0, NULL);
        assert_int_equal(json_array_size(array), n);
        for (size_t i = 0; i < n; i++)
            assert_true(json_equal(json_array_get(array, i), records[i]));
        json_decref(array);
        free(text);
        text = exported("jsonl", records, n);
        assert_int_equal(count(text, "\n"), n);
        free(text);
    }
    json_decref(records[0]);
    json_decref(records[1]);
}

/* Field `index` of a line of simple RFC 4180: enough to check what ours writes. */
static char *csv_field(const char *line, size_t index) {
    char *out = calloc(1, 4096), *to = out;
    for (bool quoted = false; *line && (quoted || *line != '\r'); line++) {
        if (*line == '"' && quoted && line[1] == '"')
            line++;
        else if (*line == '"') {
            quoted = !quoted;
            continue;
        } else if (*line == ',' && !quoted) {
            if (index-- == 0)
                return out;
            continue;
        }
        if (index == 0)
            *to++ = *line;
    }
    return out;
}

static void csv_quotes_and_keeps_its_columns(void **state) {
    (void)state;
    json_t *odd = record_new("attn");
    record_param_str(odd, "model", "a,\"b\"\r\nc");
    record_param_int(odd, "seq", 9007199254740993);
    assert_int_equal(record_finish(odd, NULL, 0, NULL), ST_OK);
    json_t *records[] = {odd, synthetic_comm("ring", "pairwise", 2, 1024, 5.0)};
    char *text = exported("csv", records, 2);
    char *header = exported("csv", NULL, 0);
    assert_int_equal(strncmp(text, header, strlen(header)), 0);
    const size_t fields = count(header, ",") + 1;

    size_t model = 0, seq = 0;
    for (size_t i = 0; i < fields; i++) {
        char *name = csv_field(header, i);
        if (strcmp(name, "params.model") == 0)
            model = i;
        if (strcmp(name, "params.seq") == 0)
            seq = i;
        free(name);
    }
    const char *first = text + strlen(header);
    char *value = csv_field(first, model);
    assert_string_equal(value, "a,\"b\"\r\nc");
    free(value);
    value = csv_field(first, seq);
    assert_string_equal(value, "9007199254740993");
    free(value);
    assert_non_null(strstr(header, "fingerprint.git,params.core_only,")); /* new ones come last */
    const char *second = strstr(first, "spbench.record/1,comm");
    assert_int_equal(count(second, ",") + 1, fields);
    free(text);
    free(header);
    json_decref(records[0]);
    json_decref(records[1]);
}

/* Every number of a column is taken once, and a column is where its row says. */
static void csv_has_a_column_for_each_number(void **state) {
    (void)state;
    json_t *record = every_field();
    char *text = exported("csv", &record, 1);
    const char *values = strstr(text, "\r\n") + 2;
    const size_t n = count(text, ",") / 2 + 1;
    for (size_t i = 0; i < n; i++) {
        char *name = csv_field(text, i), *value = csv_field(values, i);
        if (!*name || !*value)
            fail_msg("csv column %zu: '%s' has the value '%s'", i + 1, name, value);
        for (size_t k = 0; k < i; k++) {
            char *other = csv_field(text, k);
            assert_string_not_equal(other, name);
            free(other);
        }
        free(name);
        free(value);
    }
    char *name = csv_field(text, (size_t)field_find(IN_METRICS, "overlap")->csv - 1);
    assert_string_equal(name, "metrics.overlap");
    free(name);
    assert_non_null(strstr(text, ",memory.weights.peak,memory.weights.predicted,"
                                 "memory.gradients.peak,"));
    free(text);
    json_decref(record);
}

static void links_stand_below_a_layer(void **state) {
    (void)state;
    json_t *r = synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096});
    record_group_links(r, "sp", "network", "shared-l3", 0.12);
    record_group_links(r, "dp", "shared-l3", "shared-l3", NAN);
    record_metric(r, "comm_only_s", 0.177);
    char *text = exported("table", &r, 1);
    assert_null(strstr(text, "links:")); /* it is not said where the rate comes from */
    free(text);
    record_link_rates(r, "probe");
    record_metric(r, "predicted_comm_s", 0.173);
    static const char wanted[] =
        "sp network 0.120 GB/s (probe); exchanges alone 177 ms, predicted 173 ms";
    static const char *const formats[] = {"table", "md"};
    for (int k = 0; k < 2; k++) {
        text = exported(formats[k], &r, 1);
        assert_int_equal(count(text, wanted), 1);
        free(text);
    }
    json_decref(r);
}

static void tables_say_what_matters(void **state) {
    (void)state;
    json_t *records[] = {
        synthetic_comm("alltoall", "pairwise", 2, 65536, 5.0),
        synthetic_comm("alltoall", "pairwise", 2, 131072, 5.0),
        synthetic_attn(
            &(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096, .time_s = 0.5}),
        synthetic_attn(&(struct synthetic_attn){
            .method = "ulysses", .sp = 2, .seq = 4096, .time_s = 0.25, .wrong = 7}),
    };
    char *text = exported("table", records, 4);
    assert_int_equal(count(text, "busbw GB/s"), 1); /* one header a kind */
    assert_int_equal(count(text, "tokens/s"), 1);
    assert_int_equal(count(text, "phases: "), 2);
    assert_non_null(strstr(text, "64.0 KiB"));
    assert_non_null(strstr(text, "500 ms ±"));
    assert_non_null(strstr(text, "8192")); /* tokens/s = 4096 / 0.5 */
    assert_non_null(strstr(text, "WRONG (7)"));
    assert_non_null(strstr(text, "phases: attention_bwd 180 ms 36%"));
    free(text);
    text = exported("md", records, 4);
    assert_int_equal(count(text, "| phases |\n"), 2);
    free(text);
    for (size_t i = 0; i < 4; i++)
        json_decref(records[i]);
}

static void phases_are_all_shown(void **state) {
    (void)state;
    json_t *r = synthetic_attn(&(struct synthetic_attn){
        .method = "ring", .sp = 2, .seq = 4096, .time_s = 1.0, .no_phases = 1});
    for (int i = 0; i < 80; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        record_phase(r, name, 0.01 + 1e-5 * i);
    }
    char *text = exported("table", &r, 1);
    assert_non_null(strstr(text, "phases: p79 10.8 ms 1%, "));
    assert_non_null(strstr(text, ", p0 10.0 ms 1%\n"));
    free(text);
    json_decref(r);
}

/* Values that no column shows stand below the record; what the record resolved counts. */
static void swept_values_are_shown(void **state) {
    (void)state;
    static const char *const swept[] = {"method",   "sp",   "kv_heads", "layout",
                                        "mpi_algo", "wait", NULL};
    json_t *records[] = {
        synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096}),
        synthetic_comm("ring", "pairwise", 2, 1024, 5.0),
    };
    record_param_str(records[0], "algo", "pairwise");
    json_object_set_new(records[0], "case", json_string("attn kv_heads=auto wait=\"a b\""));
    char *text = exported_sweep("table", records, 2, swept);
    assert_non_null(strstr(
        text,
        "\n    with: kv_heads 8, layout zigzag, mpi_algo pairwise, wait \"a b\"\n    phases"));
    assert_non_null(strstr(text, "\n    with: sp 2\n")); /* all else has a column there */
    free(text);
    text = exported_sweep("md", records, 2, swept);
    assert_non_null(strstr(text, "wait \"a b\"; attention_bwd"));
    free(text);
    json_decref(records[0]);
    json_decref(records[1]);
}

/* A row for each layer that was checked, a table for each problem. */
static void errors_by_tensor(void **state) {
    (void)state;
    json_t *records[] = {
        synthetic_attn(&(struct synthetic_attn){.method = "ulysses", .sp = 2, .seq = 4096}),
        synthetic_comm("ring", "pairwise", 2, 1024, 5.0),
        synthetic_attn(&(struct synthetic_attn){.method = "usp", .sp = 8, .seq = 4096}),
        synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 8192}),
        synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 4, .seq = 8192}),
    };
    enum { N = sizeof records / sizeof records[0] };
    record_check_tensor(records[0], "o", 1.5e-3, 5e-4, 96);
    record_check_tensor(records[0], "dk", 2e-3, NAN, 24);
    record_param_str(records[2], "inner", "r|ng");
    record_param_int(records[2], "ulysses_size", 2);
    record_param_int(records[2], "ring_size", 4);
    record_check_tensor(records[2], "lse", 3e-6, 4e-7, 96);
    record_check_tensor(records[3], "dv", 3e-6, 4e-7, 96); /* [4] was not checked by tensor */
    char *text = exported("errors", records, N);
    assert_int_equal(count(text, "| method |"), 2);
    assert_int_equal(count(text, "Greatest error"), 1);
    assert_int_equal(count(text, "seq 4096, heads 32, kv_heads 8"), 1);
    assert_int_equal(count(text, "seq 8192"), 1);
    assert_non_null(strstr(text, "| ulysses | 2 | contiguous | fp32 | - | - | 1.5e-03 / 5.0e-04 | "
                                 "- / - | - / - | - / - | 2.0e-03 / - | - / - |\n"));
    assert_non_null(strstr(text, "| usp 2x4 r\\|ng inner | 8 |"));
    assert_non_null(strstr(text, "| - / - | 3.0e-06 / 4.0e-07 |\n"));
    assert_int_equal(count(text, "\n| "), 2 + 3);
    free(text);
    text = exported("csv", records, 1);
    assert_non_null(strstr(text, "check.tensors.dk.max,check.tensors.dk.rms"));
    assert_non_null(strstr(text, ",0.0015,"));
    free(text);
    for (size_t i = 0; i < N; i++)
        json_decref(records[i]);
}

/* Text from a file must not move a terminal's cursor, nor become markup. */
static void hostile_text(void **state) {
    (void)state;
    json_t *r = record_new("attn");
    record_param_str(r, "method", "\x1b[2Jx|<b>`");
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_OK);
    char *text = exported("table", &r, 1);
    assert_null(strchr(text, '\x1b'));
    free(text);
    text = exported("md", &r, 1);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "\\[2Jx\\|&lt;b>\\`"));
    free(text);
    json_decref(r);
}

static void errors(void **state) {
    (void)state;
    struct export_stream stream;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    assert_int_equal(export_begin(&stream, &export_csv, full), ST_ENV);
    fclose(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_units),
        cmocka_unit_test(json_is_whole),
        cmocka_unit_test(csv_quotes_and_keeps_its_columns),
        cmocka_unit_test(csv_has_a_column_for_each_number),
        cmocka_unit_test(pairs_are_a_section),
        cmocka_unit_test(tables_say_what_matters),
        cmocka_unit_test(links_stand_below_a_layer),
        cmocka_unit_test(phases_are_all_shown),
        cmocka_unit_test(swept_values_are_shown),
        cmocka_unit_test(errors_by_tensor),
        cmocka_unit_test(hostile_text),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

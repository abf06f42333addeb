#include "results/record/record.h"

#include "tests/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *sample_record(void) {
    json_t *r = record_new("attn");
    record_param_str(r, "method", "ring");
    record_param_int(r, "sp_size", 2);
    record_metric(r, "tokens_per_s", 8192.5);
    record_metric_int(r, "bytes_sent_per_rank", 1 << 20);
    const double samples[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    struct summary s;
    assert_int_equal(stats_summarise(samples, 6, &s), ST_OK);
    record_time(r, &s, true, samples, 6);
    record_phase(r, "attention", 0.25);
    record_memory(r, "weights", 100, -1);
    record_check(r, true, 1e-6, 0, "fp64 sampled rows");
    record_check_tensor(r, "o", 0.5, 0.25, 96);
    record_check_tensor(r, "dq", INFINITY, NAN, 12);
    record_group_links(r, "sp", "same-core", NULL, NAN);
    return r;
}

static void builds_the_contract(void **state) {
    (void)state;
    json_t *r = sample_record();
    const struct case_var vars[] = {{"sp", "2"}, {"method", "ring"}, {"transport", "auto"}};
    json_t *fingerprint = json_pack("{s:s}", "id", "abc");
    assert_int_equal(record_finish(r, vars, 3, fingerprint), ST_OK);
    json_decref(fingerprint);
    char *text = json_dumps(r, JSON_COMPACT);
    const char *want =
        "{\"schema\":\"spbench.record/1\",\"kind\":\"attn\",\"params\":{\"method\":\"ring\","
        "\"sp_size\":2},\"metrics\":{\"tokens_per_s\":8192.5,\"bytes_sent_per_rank\":1048576,"
        "\"time_s\":{\"median\":0.34999999999999998,\"ci95\":[0.10000000000000001,"
        "0.59999999999999998],\"min\":0.10000000000000001,\"mad\":0.14999999999999999,\"n\":6,"
        "\"outliers_mild\":0,\"outliers_extreme\":0,\"converged\":true}},"
        "\"samples_s\":[0.10000000000000001,0.20000000000000001,0.29999999999999999,"
        "0.40000000000000002,0.5,0.59999999999999998],"
        "\"phases\":[{\"name\":\"attention\",\"median_s\":0.25}],"
        "\"memory\":{\"weights\":{\"peak\":100}},"
        "\"check\":{\"status\":\"ok\",\"max_rel_err\":9.9999999999999995e-7,"
        "\"wrong_elements\":0,\"reference\":\"fp64 sampled rows\","
        "\"tensors\":{\"o\":{\"max\":0.5,\"rms\":0.25,\"rows\":96},\"dq\":{\"rows\":12}}},"
        "\"interconnect\":{\"sp_worst_link\":\"same-core\"},"
        "\"case\":\"attn method=ring sp=2 transport=auto\",\"fingerprint\":{\"id\":\"abc\"}}";
    assert_string_equal(text, want);
    free(text);
    json_decref(r);
}

/* What was not measured must not appear, not even as an empty object. */
static void absent_is_absent(void **state) {
    (void)state;
    json_t *r = record_new("comm");
    record_metric(r, "overlap", NAN);
    record_metric(r, "balance", INFINITY);
    record_metric_int(r, "peak_rss_bytes", -1);
    record_param_real(r, "odd", -INFINITY);
    record_param_str(r, "model", NULL);
    record_phase(r, "ring", NAN);
    record_memory(r, "weights", -1, -1);
    record_group_links(r, "sp", NULL, NULL, NAN);
    record_link_rates(r, NULL);
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_OK);
    char *text = json_dumps(r, JSON_COMPACT);
    assert_string_equal(text, "{\"schema\":\"spbench.record/1\",\"kind\":\"comm\",\"params\":{},"
                              "\"metrics\":{},\"case\":\"comm\"}");
    free(text);
    double value;
    assert_false(record_num(r, "metrics", "overlap", &value));
    struct summary time;
    assert_false(record_time_read(r, &time));
    assert_false(record_is_wrong(r));
    json_decref(r);
}

static void a_spoiled_record_is_not_finished(void **state) {
    (void)state;
    json_t *r = record_new("attn");
    const struct summary s = {.n = 1, .median = 1.0};
    record_time(r, &s, false, (double[]){NAN}, 1); /* jansson refuses it, as without memory */
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_ENV);
    json_decref(r);
    record_param_int(NULL, "x", 1);
    assert_int_equal(record_finish(NULL, NULL, 0, NULL), ST_ENV);
}

static void the_writer_obeys_the_reader(void **state) {
    (void)state;
    json_t *r = record_new("attn");
    record_param_str(r, "sp_size", "two");
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_USAGE);
    json_decref(r);
}

static void text_that_is_not_utf8(void **state) {
    (void)state;
    json_t *r = record_new("attn");
    record_param_str(r, "model", "a\xff\xfe");
    assert_string_equal(record_str(r, "params", "model"), "a??");
    json_decref(r);
}

static void case_text(void **state) {
    (void)state;
    const struct case_var vars[] = {
        {"z", "a b=c"}, {"model", "m\"x\\"}, {"empty", ""}, {"line", "1\n2"}, {"eq", "x=y"}};
    char *text = record_case("comm", vars, 5);
    assert_string_equal(text, "comm empty=\"\" eq=x=y line=\"1\\u000a2\" model=\"m\\\"x\\\\\" "
                              "z=\"a b=c\"");
    free(text);
}

/* Two different requests must never pair: what looks like the next key stays inside its quotes. */
static void cases_cannot_be_confused(void **state) {
    (void)state;
    char *one = record_case("comm", (struct case_var[]){{"a", "1 b=2"}}, 1);
    char *two = record_case("comm", (struct case_var[]){{"a", "1"}, {"b", "2"}}, 2);
    assert_string_not_equal(one, two);
    free(one);
    free(two);
}

static enum status load_text(const char *text, size_t length, json_t **records) {
    char path[] = "/tmp/spb_record_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    close(fd);
    const enum status st = records_load(path, records);
    unlink(path);
    return st;
}

static enum status load(const char *text, json_t **records) {
    return load_text(text, strlen(text), records);
}

#define HEAD "{\"schema\":\"spbench.record/1\",\"kind\":\"attn\",\"case\":\"attn\","
#define GOOD HEAD "\"params\":{},\"metrics\":{},\"extra\":{\"kept\":[1]}}\n"

static void loads_and_keeps_unknown_fields(void **state) {
    (void)state;
    json_t *records;
    assert_int_equal(load(GOOD "\n" GOOD, &records), ST_OK);
    assert_int_equal(json_array_size(records), 2);
    assert_non_null(json_object_get(json_array_get(records, 1), "extra"));
    json_decref(records);
    assert_int_equal(load("", &records), ST_OK);
    assert_int_equal(json_array_size(records), 0);
    json_decref(records);
}

/* Whatever byte a kill stopped at, finished records survive. */
static void a_cut_last_line_is_skipped(void **state) {
    (void)state;
    const char *text = GOOD GOOD;
    const size_t whole = strlen(GOOD);
    for (size_t cut = whole; cut < 2 * whole; cut++) {
        json_t *records;
        assert_int_equal(load_text(text, cut, &records), ST_OK);
        assert_int_equal(json_array_size(records), cut == 2 * whole - 1 ? 2 : 1);
        json_decref(records);
    }
}

#define CHECKED HEAD "\"params\":{},\"metrics\":{},\"check\":{\"status\":\"ok\",\"tensors\":"

static void refuses(void **state) {
    (void)state;
    static const char *const bad[] = {
        "{\"schema\":\n" GOOD, /* malformed, not last */
        "[1]\n",
        "nonsense\n",
        "{}\n",
        "{\"schema\":\"spbench.record/2\"}\n",
        "{\"schema\":7}\n",
        "{\"schema\":\"spbench.record/1\",\"schema\":\"spbench.record/1\"}\n", /* twice */
        HEAD "\"params\":{}}\n",                                               /* no metrics */
        HEAD "\"params\":[],\"metrics\":{}}\n",
        HEAD "\"params\":{\"sp_size\":-1},\"metrics\":{}}\n",
        HEAD "\"params\":{\"sp_size\":2.0},\"metrics\":{}}\n",
        HEAD "\"params\":{\"seq\":99999999999999999999},\"metrics\":{}}\n",
        HEAD "\"params\":{},\"metrics\":{\"tokens_per_s\":1e999}}\n",
        HEAD "\"params\":{},\"metrics\":{\"tokens_per_s\":NaN}}\n",
        HEAD "\"params\":{},\"metrics\":{\"tokens_per_s\":\"fast\"}}\n",
        HEAD "\"params\":{},\"metrics\":{\"time_s\":{\"n\":3}}}\n", /* no median */
        HEAD "\"params\":{},\"metrics\":{\"time_s\":{\"median\":1,\"n\":3,\"ci95\":[1]}}}\n",
        HEAD "\"params\":{},\"metrics\":{\"time_s\":{\"median\":1,\"n\":3,\"ci95\":[1,\"2\"]}}}\n",
        HEAD "\"params\":{},\"metrics\":{},\"samples_s\":[1,null]}\n",
        HEAD "\"params\":{},\"metrics\":{},\"phases\":[{\"name\":\"x\"}]}\n",
        HEAD "\"params\":{},\"metrics\":{},\"memory\":{\"weights\":{\"peak\":\"big\"}}}\n",
        HEAD "\"params\":{},\"metrics\":{},\"memory\":{\"weights\":3}}\n",
        HEAD "\"params\":{},\"metrics\":{},\"check\":{\"status\":true}}\n",
        HEAD "\"params\":{},\"metrics\":{},\"check\":{\"status\":\"ok\",\"tensors\":[]}}\n",
        CHECKED "{\"o\":7}}}\n",
        CHECKED "{\"o\":{\"max\":\"small\"}}}}\n",
        CHECKED "{\"o\":{\"rms\":1e999}}}}\n",
        CHECKED "{\"o\":{\"rows\":-1}}}}\n",
        HEAD "\"params\":{\"model\":\"\\u0000\"},\"metrics\":{}}\n",
        HEAD "\"params\":{\"model\":\"\xff\"},\"metrics\":{}}\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *records;
        if (load(bad[i], &records) != ST_USAGE)
            fail_msg("not refused: %s", bad[i]);
        assert_null(records);
    }
}

static void refuses_what_is_no_file(void **state) {
    (void)state;
    json_t *records;
    assert_int_equal(records_load("/nonexistent/run", &records), ST_USAGE);
    assert_int_equal(records_load("/dev/zero", &records), ST_USAGE);
    char dir[] = "/tmp/spb_record_XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(records_load(dir, &records), ST_USAGE);
    rmdir(dir);
}

static void reads_back_what_was_written(void **state) {
    (void)state;
    json_t *r = sample_record();
    assert_int_equal(record_finish(r, NULL, 0, NULL), ST_OK);
    char *line = json_dumps(r, JSON_COMPACT);
    json_t *records;
    assert_int_equal(load(line, &records), ST_OK); /* no newline, but whole */
    assert_true(json_equal(json_array_get(records, 0), r));
    struct summary time;
    assert_true(record_time_read(json_array_get(records, 0), &time));
    assert_int_equal(time.n, 6);
    assert_true(time.has_ci95 && !time.has_p95);
    assert_true(time.ci95_lo > 0.09 && time.ci95_hi < 0.61 && time.min < 0.11);
    free(line);
    json_decref(records);
    json_decref(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_the_contract),
        cmocka_unit_test(absent_is_absent),
        cmocka_unit_test(a_spoiled_record_is_not_finished),
        cmocka_unit_test(the_writer_obeys_the_reader),
        cmocka_unit_test(text_that_is_not_utf8),
        cmocka_unit_test(case_text),
        cmocka_unit_test(cases_cannot_be_confused),
        cmocka_unit_test(loads_and_keeps_unknown_fields),
        cmocka_unit_test(a_cut_last_line_is_skipped),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(reads_back_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

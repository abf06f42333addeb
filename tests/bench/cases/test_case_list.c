/* What --dry-run lists: titles tell cases apart, and objects have what applies. */
#include "bench/cases/cases.h"

#include <stdlib.h>
#include <string.h>

#include "bench/commands/command_line.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* What a command line lists; the caller frees it. */
static char *list(int ranks, const char *line) {
    char words[512], *argv[16] = {"spbench"}, *text = NULL;
    int argc = 1;
    size_t size = 0, runnable = 0;
    struct options options;
    struct capture said;
    struct case_list cases;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    assert_int_equal(options_parse(&command_line, argc, argv, &options), ST_OK);
    assert_int_equal(case_list_open(&cases, options.exporter, out), ST_OK);
    capture_begin(&said);
    enum status st = cases_visit(&options, "", ranks, &cases, &runnable);
    capture_end(&said);
    st = case_list_close(&cases, st);
    if (st != ST_OK || cases.n != runnable)
        fail_msg("%s: %s", line, said.text);
    options_free(&options);
    fclose(out);
    return text;
}

/* Every option of which a case's title says nothing by itself, and some that it does. */
static void titles_differ(void **state) {
    (void)state;
    static const struct {
        const char *line;
        size_t cases;
    } lines[] = {
        {"comm --bytes=1k --mpi-algo=auto,pairwise,datatype --transport=auto,mpi", 6},
        {"comm --bytes=1k --dtype=fp32,bf16 --cache=warm,cold --sync=barrier,window", 8},
        {"comm --op=pairs --bytes=1k,2k --dtype=fp32,bf16 --sp=1,2 --threads=1,2", 16},
        {"comm --op=ulysses,ring --heads=4,8 --kv-heads=2,4 --head-dim=8,16 --seq=64 --batch=1,2",
         32},
        {"comm --op=usp,ring --heads=4 --seq=64 --fuse-qkv=on,off --ring-direction=one,both", 4},
        {"comm --bytes=1k --sp=2 --placement=sp-inner,sp-outer --pass=fwd,bwd", 4},
        {"attn --heads=8 --seq=64,128 --mask=full,causal --dtype=fp32,bf16 --overlap=on,off", 32},
        {"attn --heads=8 --seq=64 --method=ulysses --sp=1 --fuse-qkv=on,off --hidden=64,128", 4},
        {"attn --heads=8 --seq=64 --method=allgather --kv-groups=1,2 --grad-dtype=fp32,bf16", 4},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *text = list(4, lines[i].line), *rest = NULL, *titles[64];
        size_t n = 0;
        for (char *t = strtok_r(text, "\n", &rest); t; t = strtok_r(NULL, "\n", &rest)) {
            *strstr(t, "  ") = '\0'; /* numbers follow */
            for (size_t k = 0; k < n; k++)
                if (strcmp(titles[k], t) == 0)
                    fail_msg("%s: two cases are called '%s'", lines[i].line, t);
            titles[n++] = t;
        }
        if (n != lines[i].cases)
            fail_msg("%s: %zu cases, not %zu", lines[i].line, n, lines[i].cases);
        free(text);
    }
}

/* Only what is swept is added. */
static void titles_are_short(void **state) {
    (void)state;
    char *text = list(2, "comm --bytes=1k --mpi-algo=pairwise --transport=shm,mpi");
    assert_non_null(strstr(text, "alltoall fwd sp 2 dp-shard 1 1 KiB transport shm  "));
    assert_null(strstr(text, "mpi-algo"));
    free(text);
}

/* An exchange has neither tokens nor parameters: they are absent, not 0. */
static void objects(void **state) {
    (void)state;
    static const char *const of_layers[] = {"tokens", "flops", "param_bytes_predicted_per_rank"};
    static const char *const of_all[] = {"case", "bytes_predicted_per_rank", "predicted_mem_bytes",
                                         "predicted_mem_bytes_across_hosts"};
    static const struct {
        const char *line;
        bool layers;
    } lines[] = {{"comm --bytes=1k,2k", false},
                 {"comm --op=pairs --bytes=1k,2k", false},
                 {"attn --heads=4 --seq=64", true}};
    for (size_t i = 0; i < 3; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s -o json", lines[i].line);
        char *array = list(2, line);
        strcat(line, "l");
        char *objects = list(2, line), *rest = NULL;
        json_t *all = json_loads(array, 0, NULL);
        assert_int_equal(json_array_size(all), 2);
        size_t n = 0;
        for (char *t = strtok_r(objects, "\n", &rest); t; t = strtok_r(NULL, "\n", &rest), n++) {
            json_t *o = json_loads(t, 0, NULL);
            assert_true(json_equal(o, json_array_get(all, n)));
            for (size_t k = 0; k < 3; k++)
                assert_int_equal(json_object_get(o, of_layers[k]) != NULL, lines[i].layers);
            for (size_t k = 0; k < 4; k++)
                assert_non_null(json_object_get(o, of_all[k]));
            json_decref(o);
        }
        assert_int_equal(n, 2);
        json_decref(all);
        free(array);
        free(objects);
    }
}

static void other_formats_are_refused(void **state) {
    (void)state;
    struct case_list cases;
    struct capture said;
    capture_begin(&said);
    assert_int_equal(case_list_open(&cases, &export_csv, stdout), ST_USAGE);
    capture_end(&said);
    assert_non_null(strstr(said.text, "table, json or jsonl, not csv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_differ),
        cmocka_unit_test(titles_are_short),
        cmocka_unit_test(objects),
        cmocka_unit_test(other_formats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cases that come to the same are found, and no others. */
#include "bench/cases/same_cases.h"

#include <string.h>

#include "bench/cases/cases.h"
#include "bench/commands/command_line.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* Words after "spbench", the cases that are left on so many ranks, and pieces of what is said. */
static const struct expected {
    int ranks;
    const char *line;
    size_t cases;
    const char *says[2];
} lines[] = {
    /* Algorithms are of messages. What auto takes is not known before there are ranks. */
    {2,
     "comm --bytes=1k --transport=shm --mpi-algo=auto,pairwise",
     1,
     {"--mpi-algo pairwise comes to the same as auto: measured once"}},
    {2, "comm --bytes=1k --transport=mpi,hybrid --mpi-algo=auto,pairwise", 4, {NULL}},
    {2, "comm --bytes=1k --transport=auto,shm", 2, {NULL}},
    {2, "comm --bytes=1k --transport=auto --mpi-algo=auto,pairwise", 2, {NULL}},
    /* Operations and methods that have not an option. */
    {2,
     "comm --op=ring,pairs --bytes=1k --fuse-qkv=on,off --ring-direction=one,both",
     3,
     {"--fuse-qkv off comes", "--fuse-qkv off comes to the same as on, --ring-direction both"}},
    {2,
     "comm --op=ring --bytes=1k --pass=fwd,bwd --grad-dtype=fp32,bf16",
     3,
     {"ring fwd sp 2 dp-shard 1 1 KiB grad-dtype bf16: --grad-dtype bf16 comes to the same as "
      "fp32"}},
    {2, "comm --op=ring --bytes=1k --dtype=fp32,bf16 --cache=warm,cold", 4, {NULL}},
    {2,
     "attn --heads=4 --seq=64 --method=ulysses,allgather --kv-groups=1,2",
     3,
     {"ulysses fwdbwd sp 2", "--kv-groups 2 comes to the same as 1"}},
    {2,
     "attn --heads=4 --seq=64 --overlap=on,off --grad-dtype=fp32,bf16 --threads=auto,1",
     16,
     {NULL}},
    /* What auto takes. */
    {2,
     "attn --heads=4 --seq=64 --layout=auto,contiguous",
     3,
     {"--layout contiguous comes to the same as auto"}},
    {2, "attn --heads=4 --seq=64 --layout=auto,contiguous --mask=full", 2, {NULL}},
    {4,
     "comm --op=usp --heads=4 --seq=64 --ulysses-size=auto,2,4",
     2,
     {"--ulysses-size 4 comes to the same as auto"}},
    {4, "comm --bytes=1k --sp=auto,2,4 --dp-shard=auto", 2, {"--sp 4 comes to the same as auto"}},
    /* Orders of ranks, where there is but one. */
    {4,
     "comm --bytes=1k --sp=1,2,4 --placement=sp-inner,sp-outer",
     4,
     {"sp 1 dp-shard 4 1 KiB placement sp-outer: --placement sp-outer",
      "sp 4 dp-shard 1 1 KiB placement sp-outer: --placement"}},
    {4,
     "attn --method=usp --heads=4 --seq=64 --ulysses-size=1,2 --inner=ulysses,ring",
     3,
     {"usp 1x4 ring inner", "--inner ring comes to the same as ulysses"}},
};

static void check(const struct expected *e) {
    char text[512], *argv[16] = {"spbench"};
    int argc = 1;
    struct options options;
    struct capture said;
    size_t runnable = 0;
    struct case_list list;
    FILE *out = tmpfile();
    assert_non_null(out);
    snprintf(text, sizeof text, "%s", e->line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    assert_int_equal(options_parse(&command_line, argc, argv, &options), ST_OK);
    assert_int_equal(case_list_open(&list, options.exporter, out), ST_OK);
    capture_begin(&said);
    const enum status st = cases_visit(&options, "", e->ranks, &list, &runnable);
    capture_end(&said);
    assert_int_equal(st, ST_OK);
    if (runnable != e->cases)
        fail_msg("%s: %zu cases, not %zu\n%s", e->line, runnable, e->cases, said.text);
    for (int i = 0; i < 2 && e->says[i]; i++)
        if (!strstr(said.text, e->says[i]))
            fail_msg("%s: no \"%s\" in\n%s", e->line, e->says[i], said.text);
    options_free(&options);
    fclose(out);
}

static void measured_once(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check(&lines[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "bench/options/table.h"

#include <stdlib.h>
#include <string.h>

#include "results/export/export.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* Parses "spbench COMMAND" with as many arguments as the command needs, and one option. */
static enum status parse(int command, const char *option, const char *value, struct opts **out) {
    const struct option_command *c = &options_table()->commands[command];
    char argument[] = "x";
    char *argv[8] = {"spbench", (char *)c->name};
    int argc = 2;
    for (int i = 0; i < c->min_arguments; i++)
        argv[argc++] = argument;
    if (option)
        argv[argc++] = (char *)option;
    if (value)
        argv[argc++] = (char *)value;
    return opts_parse(options_table(), argc, argv, out);
}

/* Every default is a value that its row accepts. */
static void every_command_parses(void **state) {
    (void)state;
    for (int c = 0; c < COMMANDS; c++) {
        struct opts *o;
        assert_non_null(options_table()->commands[c].name);
        assert_int_equal(parse(c, NULL, NULL, &o), ST_OK);
        assert_int_equal(opts_command(o), c);
        opts_free(o);
    }
}

static void rows_are_sound(void **state) {
    (void)state;
    const struct option_table *t = options_table();
    for (size_t i = 0; i < t->n_options; i++) {
        const struct option *a = &t->options[i];
        assert_true(a->commands != 0 && a->commands < 1u << COMMANDS);
        assert_true(a->help && *a->help && a->help[strlen(a->help) - 1] != '.');
        assert_non_null(a->group);
        assert_int_equal(a->type == OPT_CHOICE, option_choice(a, 0) != NULL);
        assert_false(a->type == OPT_FLAG && a->list);
        assert_false(a->list && !a->variable && a->commands != 1u << COMMAND_PLOT);
        assert_true(a->type == OPT_FLAG || a->type == OPT_CHOICE || a->value);
        for (size_t j = i + 1; j < t->n_options; j++) {
            const struct option *b = &t->options[j];
            const bool named_alike = strcmp(a->name, b->name) == 0;
            if (named_alike && (a->commands & b->commands))
                fail_msg("--%s: two rows for one command", a->name);
            if (named_alike)
                assert_int_equal(a->type == OPT_FLAG, b->type == OPT_FLAG);
            if (a->letter && (a->letter == b->letter) != named_alike)
                fail_msg("-%c means --%s and --%s", a->letter, a->name, b->name);
            /* Rows of a group stand together. */
            if (strcmp(a->group, b->group) == 0 && strcmp(t->options[j - 1].group, a->group) != 0)
                fail_msg("--%s stands apart from its group '%s'", b->name, b->group);
        }
    }
}

/* Names and defaults that scripts rely on. */
static void contract(void **state) {
    (void)state;
    static const struct {
        int command;
        const char *name, *value; /* a value that must be accepted; NULL: a flag */
    } cases[] = {
        {COMMAND_COMM, "--op", "alltoall,ulysses,ring,ring-hop,allgather,reduce-scatter,allreduce"},
        {COMMAND_COMM, "--bytes", "1k-64m*4"},
        {COMMAND_COMM, "--pass", "fwd,bwd,fwdbwd"},
        {COMMAND_COMM, "--mpi-algo", "alltoall,pairwise"},
        {COMMAND_COMM, "--cache", "warm,cold"},
        {COMMAND_COMM, "-n", "8"},
        {COMMAND_ATTN, "--method", "local,ulysses,ring"},
        {COMMAND_ATTN, "--model", "llama-3.1-8b,./x.json"},
        {COMMAND_ATTN, "--kv-heads", "8"},
        {COMMAND_ATTN, "--seq", "4k-64k*2"},
        {COMMAND_ATTN, "--sp", "1,2,4"},
        {COMMAND_ATTN, "--dp-shard", "auto"},
        {COMMAND_ATTN, "--grad-dtype", "bf16"},
        {COMMAND_ATTN, "--pass", "fwd,bwd,fwdbwd"},
        {COMMAND_ATTN, "--mask", "full,causal,docs:8,docs:lengths.txt+window:4k"},
        {COMMAND_ATTN, "--layout", "auto,contiguous,zigzag,striped"},
        {COMMAND_ATTN, "--placement", "sp-inner,sp-outer"},
        {COMMAND_ATTN, "--rel-ci", "0.02"},
        {COMMAND_ATTN, "--max-time", "500ms"},
        {COMMAND_ATTN, "--wait", "yield"},
        {COMMAND_ATTN, "--no-check", NULL},
        {COMMAND_ATTN, "--core-only", NULL},
        {COMMAND_ATTN, "--dry-run", NULL},
        {COMMAND_ATTN, "--fault", "corrupt:3"},
        {COMMAND_ATTN, "--fault", "hang"},
        {COMMAND_ATTN, "--fault", "die:1:200"},
        {COMMAND_TOPO, "-o", "json"},
        {COMMAND_TOPO, "-n", "4"},
        {COMMAND_COMPARE, "--threshold", "5%"},
        {COMMAND_COMPARE, "-o", "csv"},
        {COMMAND_PLOT, "-o", "png"},
        {COMMAND_SUITE, "--save", "runs/x"},
        {COMMAND_INFO, "--list", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct opts *o;
        const enum status st = parse(cases[i].command, cases[i].name, cases[i].value, &o);
        if (st)
            fail_msg("%s %s is refused", cases[i].name, cases[i].value ? cases[i].value : "");
        opts_free(o);
    }
    struct opts *o;
    assert_int_equal(parse(COMMAND_ATTN, NULL, NULL, &o), ST_OK);
    assert_int_equal(opts_count(o, "method"), 2);
    assert_string_equal(opts_str(o, "method", 0), "ulysses");
    assert_string_equal(opts_str(o, "method", 1), "ring");
    assert_string_equal(opts_str(o, "mask", 0), "causal");
    assert_string_equal(opts_str(o, "pass", 0), "fwdbwd");
    assert_string_equal(opts_str(o, "cache", 0), "warm");
    assert_int_equal(opts_int(o, "batch", 0), 1);
    assert_int_equal(opts_int(o, "launches", 0), 1);
    assert_true(opts_real(o, "rel-ci", 0) == 0.02);
    assert_true(opts_real(o, "max-time", 0) == 20.0);
    assert_true(opts_flag(o, "check"));
    opts_free(o);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        int command;
        const char *name, *value;
    } cases[] = {
        {COMMAND_ATTN, "--fault", "corrupt:"},
        {COMMAND_ATTN, "--fault", "corrupt:x"},
        {COMMAND_ATTN, "--fault", "corrupt:1x"},
        {COMMAND_ATTN, "--fault", "corr"},
        {COMMAND_ATTN, "--fault", ":1"},
        {COMMAND_ATTN, "--fault", "hang:9999999999"},
        {COMMAND_ATTN, "--fault", "corrupt:-1"},
        {COMMAND_ATTN, "--mask", "diagonal"},
        {COMMAND_ATTN, "--mask", "window"},
        {COMMAND_ATTN, "--mask", "causal,docs:0"},
        {COMMAND_ATTN, "--seq", "3g"},
        {COMMAND_ATTN, "--heads", "0"},
        {COMMAND_ATTN, "--dtype", "fp64"},
        {COMMAND_ATTN, "-o", "svg"},
        {COMMAND_ATTN, "--op", "ring"},
        {COMMAND_COMM, "--method", "ring"},
        {COMMAND_COMM, "--bytes", "0"},
        {COMMAND_COMPARE, "--save", "x"},
        {COMMAND_TOPO, "-o", "csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct opts *o;
        struct capture c;
        capture_begin(&c);
        const enum status st = parse(cases[i].command, cases[i].name, cases[i].value, &o);
        capture_end(&c);
        if (st != ST_USAGE)
            fail_msg("%s %s is not refused", cases[i].name, cases[i].value);
        assert_non_null(strstr(c.text, "--"));
    }
}

/* A reader of CSV can tell rows apart by whatever was varied, without taking `case` to pieces. */
static void csv_has_what_varies(void **state) {
    (void)state;
    static const char *const other_names[][2] = {
        {"sp", "sp_size"},
        {"dp_shard", "dp_shard_size"},
        {"ranks", "world_size"},
        {"pad", "padded_seq"},
    };
    char header[16384], column[80];
    struct export_stream stream;
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(export_begin(&stream, "csv", out), ST_OK);
    rewind(out);
    assert_non_null(fgets(header, sizeof header, out));
    fclose(out);
    for (size_t i = 0; i < options_table()->n_options; i++) {
        const struct option *o = &options_table()->options[i];
        char key[64];
        snprintf(key, sizeof key, "%s", o->name);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        const char *param = key;
        for (size_t k = 0; k < sizeof other_names / sizeof other_names[0]; k++)
            param = strcmp(key, other_names[k][0]) == 0 ? other_names[k][1] : param;
        snprintf(column, sizeof column, ",params.%s", param);
        const char *at = strstr(header, column);
        if (o->variable && (!at || !strchr(",\r", at[strlen(column)])))
            fail_msg("--%s varies, and CSV has no column%s", o->name, column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_parses),
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(contract),
        cmocka_unit_test(refusals),
        cmocka_unit_test(csv_has_what_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "bench/commands/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "attn/formula/method.h"
#include "bench/commands/comm.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "results/export/export.h"

#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* Parses "spbench COMMAND" with as many arguments as the command needs, and one option. */
static enum status parse(int command, const char *option, const char *value, struct options *out) {
    const struct option_command *c = command_line.commands[command];
    char argument[] = "x";
    char *argv[8] = {"spbench", (char *)c->name};
    int argc = 2;
    for (int i = 0; i < c->min_arguments; i++)
        argv[argc++] = argument;
    if (option)
        argv[argc++] = (char *)option;
    if (value)
        argv[argc++] = (char *)value;
    return options_parse(&command_line, argc, argv, out);
}

/* Every default is a value that its row accepts. */
static void every_command_parses(void **state) {
    (void)state;
    for (int c = 0; c < COMMANDS; c++) {
        struct options o;
        assert_non_null(command_line.commands[c]->name);
        assert_int_equal(parse(c, NULL, NULL, &o), ST_OK);
        assert_int_equal(opts_command(o.line), c);
        assert_ptr_equal(&o.command->word, command_line.commands[c]);
        options_free(&o);
    }
}

static bool same_but_for_dashes(const char *name, const char *key) {
    for (; *name && *key; name++, key++)
        if (*key != (*name == '-' ? '_' : *name))
            return false;
    return *name == *key;
}

/* The field can hold every value, and what has a key in cases and records has the one of its name.
 */
static void field_is_sound(const struct option *o) {
    const double range = o->size == sizeof(int) ? INT32_MAX + (o->max > INT32_MAX) * 2147483648.0
                                                : (double)INT64_MAX;
    const bool whole = o->type == OPT_COUNT || o->type == OPT_SIZE;
    if (whole && o->size != sizeof(struct option_list) && (o->max > range || o->size < sizeof(int)))
        fail_msg("--%s: the field is too small", o->name);
    if ((o->variable || o->recorded) && !same_but_for_dashes(o->name, o->key))
        fail_msg("--%s: its key is %s", o->name, o->key);
    assert_false(o->recorded & ~o->commands);
    if (o->type == OPT_CHOICE && o->size == sizeof(void *))
        for (size_t i = 0; option_choice(o, i).name; i++)
            if (!option_choice(o, i).row && strcmp(option_choice(o, i).name, "auto") != 0)
                fail_msg("--%s: %s has no row", o->name, option_choice(o, i).name);
}

static void rows_are_sound(void **state) {
    (void)state;
    const struct option_table *t = &command_line;
    for (size_t i = 0; i < t->n_options; i++) {
        const struct option *a = &t->options[i];
        field_is_sound(a);
        assert_true(a->commands != 0 && a->commands < 1u << COMMANDS);
        assert_true(a->help && *a->help && a->help[strlen(a->help) - 1] != '.');
        assert_non_null(a->group);
        assert_int_equal(a->type == OPT_CHOICE, option_choice(a, 0).name != NULL);
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

/* Every option of scope, and no other, is one that the command has and marks so. */
static void scope_is_sound(int command, const char *of, const char *const *scope, bool *listed) {
    for (; scope && *scope; scope++) {
        size_t i = 0;
        while (i < command_line.n_options && (strcmp(command_line.options[i].key, *scope) != 0 ||
                                              !option_belongs(&command_line.options[i], command)))
            i++;
        if (i == command_line.n_options || !command_line.options[i].scoped)
            fail_msg("%s lists %s", of, *scope);
        listed[i] = true;
    }
}

static void scopes_are_sound(void **state) {
    (void)state;
    bool *listed = calloc(command_line.n_options, sizeof *listed);
    for (size_t i = 0; sp_methods[i]; i++)
        scope_is_sound(COMMAND_ATTN, sp_methods[i]->name, sp_methods[i]->options, listed);
    for (size_t i = 0; comm_op(i); i++)
        scope_is_sound(COMMAND_COMM, comm_op(i)->name, comm_op(i)->options, listed);
    for (size_t i = 0; i < command_line.n_options; i++)
        if (command_line.options[i].scoped && !listed[i])
            fail_msg("nothing lists --%s", command_line.options[i].name);
    free(listed);
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
        struct options o;
        const enum status st = parse(cases[i].command, cases[i].name, cases[i].value, &o);
        if (st)
            fail_msg("%s %s is refused", cases[i].name, cases[i].value ? cases[i].value : "");
        options_free(&o);
    }
    struct options o;
    assert_int_equal(parse(COMMAND_ATTN, NULL, NULL, &o), ST_OK);
    const char *const *swept = options_swept(&o);
    assert_string_equal(swept[0], "method");
    assert_null(swept[1]);
    free((void *)swept);
    assert_ptr_equal(o.method, &sp_ulysses);
    assert_string_equal(o.mask, "causal");
    assert_int_equal(o.pass, OP_BOTH);
    assert_int_equal(o.cache, CACHE_WARM);
    assert_int_equal(o.layout, LAYOUTS);
    assert_null(o.transport);
    assert_int_equal(o.batch, 1);
    assert_int_equal(o.launches, 1);
    assert_true(o.rel_ci == 0.02);
    assert_true(o.max_time == 20.0);
    assert_true(o.check);
    options_free(&o);
    assert_int_equal(parse(COMMAND_COMM, NULL, NULL, &o), ST_OK);
    assert_int_equal(o.pass, OP_FORWARD);
    assert_true(o.max_time == 5.0);
    options_free(&o);
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
        struct options o;
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
    assert_int_equal(export_begin(&stream, &export_csv, out), ST_OK);
    rewind(out);
    assert_non_null(fgets(header, sizeof header, out));
    fclose(out);
    for (size_t i = 0; i < command_line.n_options; i++) {
        const struct option *o = &command_line.options[i];
        const char *param = o->key;
        for (size_t k = 0; k < sizeof other_names / sizeof other_names[0]; k++)
            param = strcmp(o->key, other_names[k][0]) == 0 ? other_names[k][1] : param;
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
        cmocka_unit_test(scopes_are_sound),
        cmocka_unit_test(contract),
        cmocka_unit_test(refusals),
        cmocka_unit_test(csv_has_what_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

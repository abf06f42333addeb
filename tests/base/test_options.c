#include "base/options/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define CHOICES(...)                                                                               \
    .choices = (const struct option_choice[]) {                                                    \
        __VA_ARGS__, {                                                                             \
            0                                                                                      \
        }                                                                                          \
    }
#define FIELD(field)                                                                               \
    .offset = offsetof(struct fields, field), .size = sizeof((struct fields *)0)->field,           \
    .given = offsetof(struct fields, given.field)

enum { RUN, SHOW, COMMANDS };

/* What the program reads: a field of every kind. */
enum form { TABLE = 3, CSV, PNG };
struct fruit {
    const char *name;
} fruits[] = {{"apple"}, {"pear"}};

struct fields {
    struct option_list ranks, bytes, ratios, fruit;
    int threads;
    double time;
    enum form output;
    const struct fruit *favourite;
    const char *save, *word;
    bool check, secret, help;
    struct {
        bool ranks, bytes, ratios, fruit, threads, time, output, favourite, save, word, check,
            secret, help;
    } given;
};

static struct option_choice fruit(size_t i) {
    return i < COUNT(fruits) ? (struct option_choice){fruits[i].name, .row = &fruits[i]}
                             : (struct option_choice){0};
}

static const char *starts_with_x(const char *text) {
    return text[0] == 'x' ? NULL : "words that start with x";
}

/* One row of every kind. */
static const struct option rows[] = {
    {.name = "ranks",
     FIELD(ranks),
     .letter = 'n',
     .type = OPT_COUNT,
     .list = true,
     .min = 1,
     .max = 100,
     .initial = "1",
     .commands = 3,
     .group = "G",
     .help = "ranks"},
    {.name = "threads",
     FIELD(threads),
     .type = OPT_COUNT,
     .automatic = true,
     .initial = "auto",
     .min = 1,
     .commands = 1,
     .group = "G",
     .help = "threads"},
    {.name = "bytes",
     FIELD(bytes),
     .type = OPT_SIZE,
     .list = true,
     .automatic = true,
     .min = 1,
     .commands = 1,
     .group = "G",
     .help = "bytes"},
    {.name = "time",
     FIELD(time),
     .type = OPT_DURATION,
     .initial = "5s",
     .max = 60,
     .commands = 1,
     .group = "G",
     .help = "time"},
    {.name = "ratios",
     FIELD(ratios),
     .type = OPT_REAL,
     .list = true,
     .initial = "2%",
     .max = 1,
     .commands = 1,
     .group = "G",
     .help = "ratios"},
    {.name = "fruit",
     FIELD(fruit),
     .type = OPT_CHOICE,
     .list = true,
     .choice = fruit,
     .initial = "apple",
     .commands = 1,
     .group = "G",
     .help = "fruit"},
    {.name = "favourite",
     FIELD(favourite),
     .type = OPT_CHOICE,
     .choice = fruit,
     .commands = 1,
     .group = "G",
     .help = "favourite"},
    {.name = "output",
     FIELD(output),
     .letter = 'o',
     .type = OPT_CHOICE,
     CHOICES({"table", TABLE}, {"csv", CSV}),
     .initial = "table",
     .commands = 1,
     .group = "H",
     .help = "format"},
    {.name = "output",
     FIELD(output),
     .letter = 'o',
     .type = OPT_CHOICE,
     CHOICES({"png", PNG}),
     .initial = "png",
     .commands = 2,
     .group = "H",
     .help = "picture"},
    {.name = "save",
     FIELD(save),
     .type = OPT_STRING,
     .value = "DIR",
     .commands = 3,
     .group = "H",
     .help = "where"},
    {.name = "word",
     FIELD(word),
     .type = OPT_STRING,
     .check = starts_with_x,
     .commands = 1,
     .group = "H",
     .help = "word"},
    {.name = "check",
     FIELD(check),
     .type = OPT_FLAG,
     .initial = "on",
     .commands = 1,
     .group = "H",
     .help = "check"},
    {.name = "secret",
     FIELD(secret),
     .type = OPT_FLAG,
     .hidden = true,
     .commands = 3,
     .group = "H",
     .help = "hidden"},
    {.name = "help",
     FIELD(help),
     .letter = 'h',
     .type = OPT_FLAG,
     .standalone = true,
     .commands = 3,
     .group = "H",
     .help = "help"},
};

static const struct option_command run = {"run", "Runs", "", 0, 0},
                                   show = {"show", "Shows", "A [B]", 1, 2};
static const struct option_command *const commands[COMMANDS] = {&run, &show};

static const struct option_table table = {"prog",      "A program", rows,
                                          COUNT(rows), commands,    COMMANDS};

enum { ARGS_MAX = 32 };

/* A command line, cut at blanks. */
struct line {
    char text[512];
    char *argv[ARGS_MAX];
    int argc;
};

static struct opts *parse(struct line *line, const char *text, enum status want,
                          struct fields *fields) {
    snprintf(line->text, sizeof line->text, "prog %s", text);
    line->argc = 0;
    for (char *word = strtok(line->text, " "); word; word = strtok(NULL, " ")) {
        assert_true(line->argc < ARGS_MAX);
        line->argv[line->argc++] = word;
    }
    struct opts *opts;
    const enum status st = opts_parse(&table, line->argc, line->argv, &opts);
    if (st != want)
        fail_msg("'%s': status %d, want %d", text, st, want);
    assert_int_equal(opts == NULL, want != ST_OK);
    if (opts && fields) {
        *fields = (struct fields){0};
        opts_store(opts, fields);
    }
    return opts;
}

static void defaults(void **state) {
    (void)state;
    struct line line;
    struct fields f;
    struct opts *o = parse(&line, "run", ST_OK, &f);
    assert_int_equal(opts_command(o), RUN);
    assert_int_equal(f.ranks.n, 1);
    assert_int_equal(f.ranks.v[0].i, 1);
    assert_int_equal(f.threads, 0); /* auto */
    assert_int_equal(f.bytes.n, 0);
    assert_true(f.time == 5.0);
    assert_true(fabs(f.ratios.v[0].real - 0.02) < 1e-15);
    assert_ptr_equal(f.fruit.v[0].choice.row, &fruits[0]);
    assert_null(f.favourite);
    assert_int_equal(f.output, TABLE);
    assert_null(f.save);
    assert_true(f.check);
    assert_false(f.help);
    assert_false(f.given.ranks);
    assert_int_equal(opts_n_arguments(o), 0);
    assert_null(opts_argument(o, 0));
    opts_free(o);
}

/* Every spelling, before and after the command. */
static void spellings(void **state) {
    (void)state;
    static const char *const lines[] = {
        "run --ranks 2,4", "run --ranks=2,4",   "run -n 2,4",   "run -n2,4",
        "-n 2,4 run",      "--ranks=2,4 run",   "run -n=2,4",   "run -n 7 --ranks 2,4",
        "-n 2,4 run --",   "run --ranks 2-4+2", "run -n 2-4*2", "run -n 2,2,4,2-4*2",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct line line;
        struct fields f;
        struct opts *o = parse(&line, lines[i], ST_OK, &f);
        assert_int_equal(opts_command(o), RUN);
        assert_int_equal(f.ranks.n, 2);
        assert_int_equal(f.ranks.v[0].i, 2);
        assert_int_equal(f.ranks.v[1].i, 4);
        assert_true(f.given.ranks);
        opts_free(o);
    }
}

static void values(void **state) {
    (void)state;
    struct line line;
    struct fields f;
    struct opts *o = parse(&line,
                           "run --threads 3 --bytes auto,1KiB,1k-2k+512b --time 1500ms "
                           "--ratios 0.5,1% --fruit pear,apple --favourite pear --no-check "
                           "--save a,b --word xyz -o csv",
                           ST_OK, &f);
    assert_int_equal(f.threads, 3);
    assert_int_equal(f.bytes.n, 4); /* 1 KiB twice counts once */
    assert_int_equal(f.bytes.v[0].i, 0);
    assert_int_equal(f.bytes.v[1].i, 1024);
    assert_int_equal(f.bytes.v[2].i, 1536);
    assert_int_equal(f.bytes.v[3].i, 2048);
    assert_true(f.time == 1.5);
    assert_true(f.ratios.v[0].real == 0.5);
    assert_true(f.ratios.v[1].real == 0.01);
    assert_string_equal(f.fruit.v[0].choice.name, "pear");
    assert_string_equal(f.fruit.v[1].choice.name, "apple");
    assert_ptr_equal(f.favourite, &fruits[1]);
    assert_int_equal(f.output, CSV);
    assert_false(f.check);
    assert_true(f.given.check);
    assert_string_equal(f.save, "a,b"); /* no list: the comma is part of it */
    assert_string_equal(f.word, "xyz");
    opts_free(o);
}

/* A value of a list at a time, the default again, and fields as text. */
static void one_row(void **state) {
    (void)state;
    struct line line;
    struct fields f;
    char buf[32];
    struct opts *o = parse(&line, "run --favourite pear --bytes auto,1k", ST_OK, &f);
    static const struct {
        const char *name, *first, *last, *initial; /* NULL: none */
    } cases[] = {
        {"bytes", "auto", "1024", NULL}, {"favourite", "pear", "pear", ""},
        {"ranks", "1", "1", "1"},        {"threads", "auto", "auto", "auto"},
        {"time", "5", "5", "5"},         {"output", "table", "table", "table"},
        {"check", "1", "1", "1"},        {"save", "", NULL, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct option *row = option_find(&table, cases[i].name, RUN);
        const size_t at = (size_t)(row - rows);
        assert_string_equal(option_text(row, &f, buf), cases[i].first);
        if (cases[i].last) {
            opts_store_value(o, at, opts_count(o, at) - 1, &f);
            assert_string_equal(option_text(row, &f, buf), cases[i].last);
        }
        opts_store_default(o, at, &f);
        if (cases[i].initial)
            assert_string_equal(option_text(row, &f, buf), cases[i].initial);
    }
    assert_string_equal(opts_text(o, (size_t)(option_find(&table, "time", RUN) - rows)), "5s");
    opts_free(o);
}

static void arguments(void **state) {
    (void)state;
    struct line line;
    struct fields f;
    struct opts *o = parse(&line, "show -o png a --save=-x -- --b", ST_OK, &f);
    assert_int_equal(opts_command(o), SHOW);
    assert_int_equal(opts_n_arguments(o), 2);
    assert_string_equal(opts_argument(o, 0), "a");
    assert_string_equal(opts_argument(o, 1), "--b");
    assert_int_equal(f.output, PNG); /* the row of this command */
    assert_string_equal(f.save, "-x");
    opts_free(o);
    o = parse(&line, "show -", ST_OK, &f);
    assert_string_equal(opts_argument(o, 0), "-");
    assert_int_equal(f.output, PNG);
    opts_free(o);
    o = parse(&line, "run --save -", ST_OK, &f);
    assert_string_equal(f.save, "-");
    opts_free(o);
}

/* --help needs neither a command nor its arguments, but a wrong word stays wrong. */
static void standalone(void **state) {
    (void)state;
    struct line line;
    struct fields f;
    struct opts *o = parse(&line, "--help", ST_OK, &f);
    assert_int_equal(opts_command(o), -1);
    assert_true(f.help);
    opts_free(o);
    o = parse(&line, "show -h", ST_OK, NULL);
    assert_int_equal(opts_command(o), SHOW);
    opts_free(o);
    struct capture c;
    capture_begin(&c);
    parse(&line, "shwo --help", ST_USAGE, NULL);
    parse(&line, "--no-help", ST_USAGE, NULL);
    capture_end(&c);
}

/* What is refused, and words that the message must contain. */
static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *line, *words[3];
    } cases[] = {
        {"", {"no command", "run, show"}},
        {"rum", {"'rum'", "did you mean 'run'"}},
        {"zzz", {"'zzz'", "run, show"}},
        {"run --rnaks 2", {"--rnaks", "did you mean '--ranks'"}},
        {"run --zzz", {"--zzz", "prog --help"}},
        {"run -z", {"-z"}},
        {"run --no-ranks", {"--no-ranks", "takes a value"}},
        {"run --no-zzz", {"--no-zzz"}},
        {"run --secre", {"unknown option '--secre'; see"}}, /* hidden ones are not suggested */
        {"run --check=on", {"--check takes no value"}},
        {"run -h1", {"--help takes no value"}},
        {"run --ranks", {"--ranks needs a value", "from 1 up to 100"}},
        {"run --ranks=", {"--ranks needs a value"}},
        {"run --ranks --check", {"--ranks needs a value"}},
        {"run --ranks 0", {"--ranks: '0' is too small", "from 1 up to 100"}},
        {"run --ranks 101", {"'101' is too large"}},
        {"run --ranks 99-101", {"'99-101' is too large"}},
        {"run --ranks 1,x,3", {"--ranks: 'x' is not a count"}},
        {"run --ranks 1,", {"'' is empty"}},
        {"run --ranks ,", {"'' is empty"}},
        {"run --ranks auto", {"'auto' is not a count"}},
        {"run --ranks 1-99999999999", {"more than 4096 values"}},
        {"run --ranks 4-2", {"reversed range"}},
        {"run --threads 1-4", {"--threads: '1-4' is not a count"}}, /* no list, no range */
        {"run --threads 1,2", {"--threads: '1,2' is not a count"}},
        {"run --threads 0", {"too small", "or auto"}},
        {"run --time 2m", {"--time: '2m' is too large", "up to 60"}},
        {"run --time soon", {"--time: 'soon' is not a duration"}},
        {"run --ratios 1,101%", {"--ratios: '101%' is too large"}},
        {"run --fruit apple,plum", {"--fruit: 'plum'", "apple, pear"}},
        {"run --fruit APPLE", {"--fruit: 'APPLE'"}},
        {"run --word abc", {"--word: 'abc' is not valid", "start with x"}},
        {"run -o png", {"--output: 'png'", "table, csv"}}, /* other command's row */
        {"show a -o csv", {"--output: 'csv'", "png"}},
        {"show a --fruit pear", {"'show' does not take --fruit", "run"}},
        {"run extra", {"unexpected argument 'extra'"}},
        {"show", {"'show' needs 1 argument, not 0", "A [B]"}},
        {"show a b c", {"unexpected argument 'c'"}},
        /* A bad value is said before what is missing. */
        {"show --ranks x", {"--ranks: 'x'"}},
        {"--ranks x", {"--ranks: 'x'"}},
        {"run extra --ranks x", {"--ranks: 'x'"}},
        {"run --ranks x --ranks 2", {"--ranks: 'x'"}}, /* even if a later one would win */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct line line;
        struct capture c;
        capture_begin(&c);
        parse(&line, cases[i].line, ST_USAGE, NULL);
        capture_end(&c);
        for (size_t w = 0; w < 3 && cases[i].words[w]; w++)
            if (!strstr(c.text, cases[i].words[w]))
                fail_msg("'%s': no '%s' in: %s", cases[i].line, cases[i].words[w], c.text);
        if (strchr(c.text, '\n') != strrchr(c.text, '\n'))
            fail_msg("'%s': more than one message: %s", cases[i].line, c.text);
    }
}

/* Arguments longer than any buffer inside are refused, not cut into something valid. */
static void long_arguments(void **state) {
    (void)state;
    static char arg[100000];
    static const struct {
        const char *head;
        char fill;
    } cases[] = {{"--", 'a'},    {"--ranks=", '1'}, {"--fruit=", 'p'}, {"--ranks=1-", '9'},
                 {"--no-", 'c'}, {"-n", '9'},       {"", 'r'},         {"--ranks=", ','}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(arg, cases[i].fill, sizeof arg - 1);
        memcpy(arg, cases[i].head, strlen(cases[i].head));
        char *argv[] = {"prog", arg, NULL};
        struct opts *o;
        struct capture c;
        capture_begin(&c);
        const enum status st = opts_parse(&table, 2, argv, &o);
        capture_end(&c);
        assert_int_equal(st, ST_USAGE);
        assert_null(o);
    }
    char *none[] = {NULL};
    struct opts *o;
    struct capture c;
    capture_begin(&c);
    const enum status st = opts_parse(&table, 0, none, &o);
    capture_end(&c);
    assert_int_equal(st, ST_USAGE);
}

static char *printed(void (*print)(FILE *out)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out);
    fclose(out);
    return text;
}

static void print_program_help(FILE *out) {
    opts_help(&table, -1, out);
}

static void print_run_help(FILE *out) {
    opts_help(&table, RUN, out);
}

static void print_man(FILE *out) {
    opts_man(&table, "1.0", out);
}

static void print_bash(FILE *out) {
    opts_bash_completion(&table, out);
}

static void help(void **state) {
    (void)state;
    char *text = printed(print_run_help);
    assert_non_null(strstr(text, "-n, --ranks"));
    assert_non_null(strstr(text, "(apple, pear; default apple)"));
    assert_non_null(strstr(text, "--[no-]check"));
    assert_non_null(strstr(text, "(table, csv; default table)"));
    assert_null(strstr(text, "png"));
    assert_null(strstr(text, "secret"));
    for (const char *l = text; *l; l += strcspn(l, "\n") + 1)
        assert_true(strcspn(l, "\n") <= 90);
    free(text);
    text = printed(print_program_help);
    assert_non_null(strstr(text, "show A [B]"));
    assert_non_null(strstr(text, "--ranks")); /* all commands take it */
    assert_null(strstr(text, "--fruit"));     /* only one does */
    free(text);
}

static void man_page(void **state) {
    (void)state;
    char *text = printed(print_man);
    assert_non_null(strstr(text, ".TH \"prog\" 1"));
    assert_non_null(strstr(text, "\\fB\\-\\-fruit\\fR"));
    assert_non_null(strstr(text, "Commands: run.\n"));
    assert_null(strstr(text, "secret"));
    free(text);
}

/* Runs bash on the generated script as the shell would at a TAB. */
static void bash_completion(void **state) {
    (void)state;
    static const struct {
        const char *words, *want; /* the last word is under the cursor; '_' stands for empty */
    } cases[] = {
        {"prog s", "show"},
        {"prog --h", "--help"},
        {"prog run --fru", "--fruit"},
        {"prog run --no", "--no-check"},
        {"prog show --fru", ""},
        {"prog run --fruit p", "pear"},
        {"prog run --fruit apple,p", "apple,pear"},
        {"prog run --fruit = p", "pear"},
        {"prog run --fruit =", "apple pear"},
        {"prog run -o _", "table csv"},
        {"prog show -o _", "png"},
        {"prog -n 2 run --sa", "--save"},
        {"prog run --sec", ""},
    };
    if (system("command -v bash >/dev/null") != 0)
        skip();
    char path[] = "completion_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *script = fdopen(fd, "w");
    print_bash(script);
    fclose(script);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char command[1024], got[256] = "";
        snprintf(
            command, sizeof command,
            "bash --norc -c 'source ./%s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]}-1));"
            "COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]/#_/}; _prog; "
            "echo -n \"${COMPREPLY[*]}\"'",
            path, cases[i].words);
        FILE *bash = popen(command, "r");
        assert_non_null(bash);
        got[fread(got, 1, sizeof got - 1, bash)] = '\0';
        pclose(bash);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("'%s': completes to '%s', want '%s'", cases[i].words, got, cases[i].want);
    }
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(spellings),
        cmocka_unit_test(values),
        cmocka_unit_test(arguments),
        cmocka_unit_test(one_row),
        cmocka_unit_test(standalone),
        cmocka_unit_test(refusals),
        cmocka_unit_test(long_arguments),
        cmocka_unit_test(help),
        cmocka_unit_test(man_page),
        cmocka_unit_test(bash_completion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* suite: a list of commands, one run folder, one verdict, the pictures. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/commands/commands.h"
#include "bench/commands/suite_file.h"
#include "bench/launch/supervisor/supervisor.h"
#include "plots/plot.h"

/* Options of the suite that hold for its commands, as words: --max-time=1s. */
enum { EXTRAS = 4 };
struct extras {
    char text[EXTRAS][64];
    char *words[EXTRAS + 1];
};

static void collect_extras(const struct opts *opts, struct extras *extras) {
    static const char *const numbers[] = {"timeout", "rel-ci", "max-time"};
    size_t n = 0;
    *extras = (struct extras){0};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (opts_is_set(opts, numbers[i])) {
            snprintf(extras->text[n], sizeof extras->text[n], "--%s=%.9f", numbers[i],
                     opts_real(opts, numbers[i], 0));
            n++;
        }
    if (opts_flag(opts, "force"))
        strcpy(extras->text[n++], "--force");
    for (size_t i = 0; i < n; i++)
        extras->words[i] = extras->text[i];
}

/* A name is a file of the installation or of the source tree; anything else is a path. */
static enum status find_suite(const char *name, const char *data_dir, char *path, size_t size) {
    static const char *const folders[] = {"suites", "bench/suites"};
    if (strpbrk(name, "/.")) {
        snprintf(path, size, "%s", name);
        return ST_OK;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const int n = snprintf(path, size, "%s/%s/%s.suite", data_dir, folders[i], name);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return ST_OK;
    }
    return fail(ST_USAGE,
                "no suite is called '%s'; there are quick and numerics, or a path such as "
                "./my.suite",
                name);
}

static enum status load(const struct supervised *what, struct suite *suite) {
    char path[4096];
    struct extras extras;
    struct machine machine;
    collect_extras(what->opts, &extras);
    enum status st = find_suite(opts_argument(what->opts, 0), what->data_dir, path, sizeof path);
    if (st != ST_OK)
        return st;
    st = machine_load(&machine, "hwloc", NULL);
    if (st == ST_OK)
        st = suite_read(path, machine.allowed_cores, extras.words, suite);
    machine_free(&machine);
    return st;
}

static struct supervised step_command(const struct supervised *what, const struct suite_step *s) {
    return (struct supervised){s->opts, s->argc, s->argv, what->data_dir};
}

static enum status validate(const struct supervised *what, const struct suite *suite) {
    enum status worst = ST_OK;
    for (size_t i = 0; i < suite->n; i++) {
        const struct supervised step = step_command(what, &suite->steps[i]);
        const enum status st = supervise_cases(&step, NULL);
        if (st != ST_OK)
            fail(st, "in the suite: %s", suite->steps[i].text);
        worst = worst == ST_OK ? st : worst;
    }
    return worst;
}

static enum status dry_run(const struct supervised *what, const struct suite *suite) {
    enum status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < suite->n; i++) {
        const struct supervised step = step_command(what, &suite->steps[i]);
        printf("%s\n", suite->steps[i].text);
        st = supervise_cases(&step, stdout);
    }
    return st;
}

/* Wrong results are no reason not to measure the rest; anything else is. */
static int run_steps(const struct supervised *what, const struct suite *suite,
                     struct run_output *output) {
    const bool readable = strcmp(opts_str(what->opts, "output", 0), "table") == 0;
    int code = ST_OK;
    for (size_t i = 0; (code == ST_OK || code == ST_WRONG) && i < suite->n; i++) {
        const struct supervised step = step_command(what, &suite->steps[i]);
        const bool document = command_rows[opts_command(step.opts)].document;
        note("[%zu/%zu] spbench %s", i + 1, suite->n, suite->steps[i].text);
        const int ended =
            supervise(&step, document ? NULL : output, document && readable ? stdout : NULL);
        fflush(stdout);
        code = ended != ST_OK ? ended : code;
    }
    return code;
}

static enum status draw(const struct supervised *what) {
    if (opts_count(what->opts, "save") == 0)
        return ST_OK;
    const char *dir = opts_str(what->opts, "save", 0);
    const enum status st = plot_folder(dir, NULL, PLOT_PNG | PLOT_SVG, what->data_dir);
    if (st == ST_OK)
        note("records: %s/records.jsonl, pictures: %s/plots", dir, dir);
    return st;
}

static int run(const struct supervised *what, const struct suite *suite) {
    const struct run_output_config config = {what->opts, what->argc, what->argv, stdout};
    struct run_output *output;
    enum status st = run_output_open(&config, &output);
    if (st != ST_OK)
        return (int)st;
    const int code = run_steps(what, suite, output);
    st = run_output_close(output);
    if (st == ST_OK && (code == ST_OK || code == ST_WRONG))
        st = draw(what);
    return code == ST_OK ? (int)st : code;
}

int suite_launch(const struct supervised *what) {
    struct suite suite = {0};
    enum status st = load(what, &suite);
    const bool listed = opts_flag(what->opts, "dry-run");
    int code = (int)st;
    if (st == ST_OK && listed)
        code = (int)dry_run(what, &suite);
    else if (st == ST_OK)
        code = (st = validate(what, &suite)) == ST_OK ? run(what, &suite) : (int)st;
    suite_free(&suite);
    return code;
}

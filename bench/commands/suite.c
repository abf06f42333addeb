/* suite: a list of commands, one run folder, one verdict, the pictures. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/cases/case_list.h"
#include "bench/commands/plot.h"
#include "bench/commands/suite_file.h"
#include "bench/launch/supervisor/supervisor.h"
#include "bench/options/command.h"
#include "plots/plot.h"
#include "results/export/export.h"
#include "topology/model/machine.h"

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
    struct machine machine;
    enum status st =
        find_suite(opts_argument(what->options->line, 0), what->data_dir, path, sizeof path);
    if (st != ST_OK)
        return st;
    st = machine_load(&machine, "hwloc", NULL);
    if (st == ST_OK)
        st = suite_read(path, machine.allowed_cores, what->options, suite);
    machine_free(&machine);
    return st;
}

static struct supervised step_command(const struct supervised *what, const struct suite_step *s) {
    return (struct supervised){&s->options, s->argc, s->argv, what->data_dir};
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

static enum status list_cases(const struct supervised *what, const struct suite *suite) {
    struct case_list list;
    enum status st = case_list_open(&list, what->options->exporter, stdout);
    if (st != ST_OK)
        return st;
    for (size_t i = 0; st == ST_OK && i < suite->n; i++) {
        const struct supervised step = step_command(what, &suite->steps[i]);
        case_list_heading(&list, suite->steps[i].text);
        st = supervise_cases(&step, &list);
    }
    return case_list_close(&list, st);
}

/* Wrong results are no reason not to measure the rest; anything else is. */
static int run_steps(const struct supervised *what, const struct suite *suite,
                     struct run_output *output) {
    const bool readable = what->options->exporter == &export_table;
    int code = ST_OK;
    for (size_t i = 0; (code == ST_OK || code == ST_WRONG) && i < suite->n; i++) {
        const struct supervised step = step_command(what, &suite->steps[i]);
        const bool document = step.options->command->document;
        note("[%zu/%zu] spbench %s", i + 1, suite->n, suite->steps[i].text);
        const int ended =
            supervise(&step, document ? NULL : output, document && readable ? stdout : NULL);
        fflush(stdout);
        code = ended != ST_OK ? ended : code;
    }
    return code;
}

static enum status draw(const struct supervised *what) {
    const char *dir = what->options->save;
    if (!dir)
        return ST_OK;
    const enum status st = plot_folder(dir, NULL, PLOT_PNG | PLOT_SVG, what->data_dir);
    if (st == ST_OK)
        note("records: %s/records.jsonl, pictures: %s/plots", dir, dir);
    return st;
}

static int run(const struct supervised *what, const struct suite *suite) {
    const struct run_output_config config = {what->options, what->argc, what->argv, stdout};
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

static int launch(const struct supervised *what) {
    struct suite suite = {0};
    enum status st = load(what, &suite);
    const bool listed = what->options->dry_run;
    int code = (int)st;
    if (st == ST_OK && listed)
        code = (int)list_cases(what, &suite);
    else if (st == ST_OK)
        code = (st = validate(what, &suite)) == ST_OK ? run(what, &suite) : (int)st;
    suite_free(&suite);
    return code;
}

const struct command suite_command = {
    .word = {"suite", "Runs a named list of cases: quick, numerics", "NAME", 1, 1},
    .launch = launch,
};

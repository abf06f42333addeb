#include "bench/commands/suite_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands/command.h"
#include "bench/options/table.h"

/* What the whole suite decides, not one of its commands. */
static const char *const reserved[] = {"save",  "output", "progress", "dry-run",
                                       "quiet", "help",   "version",  "list"};

/* Cuts a condition off the line. false: it is malformed. *runs: does it hold? */
static bool read_condition(char **line, int cores, bool *runs) {
    int least = 0, below = 0, end = 0;
    *runs = true;
    if (strncmp(*line, "cores", 5) != 0)
        return true;
    if (sscanf(*line, "cores>=%d:%n", &least, &end) == 1 && end > 0)
        *runs = cores >= least;
    else if (sscanf(*line, "cores<%d:%n", &below, &end) == 1 && end > 0)
        *runs = cores < below;
    else
        return false;
    *line += end;
    *line += strspn(*line, " \t");
    return true;
}

/* Does the command take the option of a word like --max-time=1s? */
static bool takes(int command, const char *word) {
    const struct option_table *table = options_table();
    const size_t length = strcspn(word + 2, "=");
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (strlen(o->name) == length && strncmp(o->name, word + 2, length) == 0 &&
            (o->commands >> command & 1u))
            return true;
    }
    return false;
}

static int find_command(const char *word) {
    int command = 0;
    while (command < COMMANDS && strcmp(options_table()->commands[command].name, word) != 0)
        command++;
    return command;
}

/* Splits the command into words behind the program's name, and appends what is extra. */
static enum status split(struct suite_step *step, char *const *extra) {
    size_t most = strlen(step->text) / 2 + 3;
    for (char *const *e = extra; *e; e++)
        most++;
    step->words = strdup(step->text);
    step->argv = calloc(most + 1, sizeof *step->argv);
    if (!step->words || !step->argv)
        return fail(ST_ENV, "out of memory for a suite");
    char *rest = NULL;
    static char program[] = "spbench";
    step->argv[step->argc++] = program;
    for (char *w = strtok_r(step->words, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest))
        step->argv[step->argc++] = w;
    const int command = find_command(step->argv[1]);
    for (char *const *e = extra; *e && command < COMMANDS; e++)
        if (takes(command, *e))
            step->argv[step->argc++] = *e;
    return ST_OK;
}

static enum status check(const struct suite_step *step) {
    const int command = opts_command(step->opts);
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (opts_is_set(step->opts, reserved[i]))
            return fail(ST_USAGE, "--%s belongs to the suite as a whole", reserved[i]);
    const struct command_row *row = command < 0 ? NULL : &command_rows[command];
    if (!row || !row->ranks || (row->is_local && row->is_local(step->opts)))
        return fail(ST_USAGE, "only commands that run on ranks make a suite");
    return ST_OK;
}

static enum status add_step(struct suite *suite, const char *text, char *const *extra) {
    struct suite_step *more = realloc(suite->steps, (suite->n + 1) * sizeof *more);
    if (!more)
        return fail(ST_ENV, "out of memory for a suite");
    suite->steps = more;
    struct suite_step *step = &more[suite->n++];
    *step = (struct suite_step){.text = strdup(text)};
    enum status st = step->text ? split(step, extra) : fail(ST_ENV, "out of memory for a suite");
    if (st == ST_OK)
        st = opts_parse(options_table(), step->argc, step->argv, &step->opts);
    return st == ST_OK ? check(step) : st;
}

static enum status read_line(struct suite *suite, char *line, int cores, char *const *extra) {
    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t");
    bool runs;
    if (!read_condition(&line, cores, &runs))
        return fail(ST_USAGE, "a condition is cores>=N: or cores<N:, here it is '%.40s'", line);
    return runs && *line ? add_step(suite, line, extra) : ST_OK;
}

enum status suite_read(const char *path, int cores, char *const *extra, struct suite *out) {
    *out = (struct suite){0};
    FILE *file = fopen(path, "re");
    if (!file)
        return fail(ST_USAGE, "suite %s: %s", path, strerror(errno));
    enum status st = ST_OK;
    char *line = NULL;
    size_t room = 0;
    int number = 0;
    while (st == ST_OK && getline(&line, &room, file) >= 0) {
        number++;
        st = read_line(out, line, cores, extra);
    }
    free(line);
    fclose(file);
    if (st != ST_OK)
        return fail(st, "%s:%d: this line cannot run", path, number);
    return out->n > 0 ? ST_OK
                      : fail(ST_USAGE, "%s: no command for a machine with %d cores", path, cores);
}

void suite_free(struct suite *suite) {
    for (size_t i = 0; i < suite->n; i++) {
        struct suite_step *step = &suite->steps[i];
        opts_free(step->opts);
        free(step->argv);
        free(step->words);
        free(step->text);
    }
    free(suite->steps);
    *suite = (struct suite){0};
}

#include "bench/commands/suite_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options/command.h"

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

static int find_command(const struct option_table *table, const char *word) {
    int command = 0;
    while (command < COMMANDS && strcmp(table->commands[command]->name, word) != 0)
        command++;
    return command;
}

/* What was given to the suite and is handed on to a command: words, each with its NUL, then an
 * empty one: "--max-time=1s". NULL without memory. */
static char *hand_on(const struct options *own, int command) {
    const struct option_table *table = opts_table(own->line);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (!o->handed_on || !opts_given(own->line, i) ||
            !option_belongs(option_find(table, o->name, command), command))
            continue;
        const char *value = opts_text(own->line, i);
        if (o->type == OPT_FLAG)
            fprintf(out, "--%s%s%c", strcmp(value, "on") == 0 ? "" : "no-", o->name, '\0');
        else
            fprintf(out, "--%s=%s%c", o->name, value, '\0');
    }
    return out && fclose(out) == 0 ? text : NULL;
}

/* Splits the command into words behind the program's name, and appends what the suite hands on. */
static enum status split(struct suite_step *step, const struct options *own) {
    static char program[] = "spbench";
    const struct option_table *table = opts_table(own->line);
    char *rest = NULL;
    step->words = strdup(step->text);
    step->argv = calloc(strlen(step->text) / 2 + table->n_options + 3, sizeof *step->argv);
    if (!step->words || !step->argv)
        return fail(ST_ENV, "out of memory for a suite");
    step->argv[step->argc++] = program;
    for (char *w = strtok_r(step->words, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest))
        step->argv[step->argc++] = w;
    step->extra = hand_on(own, find_command(table, step->argv[1]));
    if (!step->extra)
        return fail(ST_ENV, "out of memory for a suite");
    for (char *w = step->extra; *w; w += strlen(w) + 1)
        step->argv[step->argc++] = w;
    return ST_OK;
}

/* What the whole suite decides is refused: options that it takes and does not hand on, and those
 * that need no command. */
static enum status check(const struct suite_step *step, const struct options *own) {
    const struct option_table *table = opts_table(own->line);
    const int suite = opts_command(own->line);
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = option_find(table, table->options[i].name, suite);
        if (opts_given(step->options.line, i) && !o->handed_on &&
            (option_belongs(o, suite) || o->standalone))
            return fail(ST_USAGE, "--%s belongs to the suite as a whole", o->name);
    }
    const struct command *command = step->options.command;
    if (!command || !command->ranks || (command->is_local && command->is_local(&step->options)))
        return fail(ST_USAGE, "only commands that run on ranks make a suite");
    return ST_OK;
}

static enum status add_step(struct suite *suite, const char *text, const struct options *own) {
    struct suite_step *more = realloc(suite->steps, (suite->n + 1) * sizeof *more);
    if (!more)
        return fail(ST_ENV, "out of memory for a suite");
    suite->steps = more;
    struct suite_step *step = &more[suite->n++];
    *step = (struct suite_step){.text = strdup(text)};
    enum status st = step->text ? split(step, own) : fail(ST_ENV, "out of memory for a suite");
    if (st == ST_OK)
        st = options_parse(opts_table(own->line), step->argc, step->argv, &step->options);
    return st == ST_OK ? check(step, own) : st;
}

static enum status read_line(struct suite *suite, char *line, int cores,
                             const struct options *own) {
    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t");
    bool runs;
    if (!read_condition(&line, cores, &runs))
        return fail(ST_USAGE, "a condition is cores>=N: or cores<N:, here it is '%.40s'", line);
    return runs && *line ? add_step(suite, line, own) : ST_OK;
}

enum status suite_read(const char *path, int cores, const struct options *own, struct suite *out) {
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
        st = read_line(out, line, cores, own);
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
        options_free(&step->options);
        free(step->argv);
        free(step->extra);
        free(step->words);
        free(step->text);
    }
    free(suite->steps);
    *suite = (struct suite){0};
}

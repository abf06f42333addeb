#include <stdio.h>
#include <string.h>

#include "base/options/values.h"

/* Layout of --help, in columns. */
enum { WIDTH = 90, HELP_COLUMN = 30, ITEM_MAX = 96, TEXT_MAX = 1536 };

/* Text from column `column` on (where the cursor is), broken at blanks, indented to it. */
static void wrap(FILE *out, int column, const char *text) {
    int at = column;
    while (*text) {
        const int len = (int)strcspn(text, " ");
        if (at > column && at + 1 + len > WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", len, text);
        at += len;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* "  -n, --ranks N,..." */
static void item_text(const struct option *o, char *buf, size_t size) {
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    if (o->type == OPT_FLAG)
        snprintf(buf, size, "  %s--%s%s", letter, o->initial ? "[no-]" : "", o->name);
    else
        snprintf(buf, size, "  %s--%s %s%s", letter, o->name, o->value ? o->value : "VALUE",
                 o->list ? ",..." : "");
}

/* The row's help with its choices and its default. */
static void help_text(const struct option *o, char *buf, size_t size) {
    char choices[512] = "";
    if (o->type == OPT_CHOICE)
        option_choices(o, ", ", choices, sizeof choices);
    const char *initial = o->type == OPT_FLAG && o->initial ? "on" : o->initial;
    snprintf(buf, size, "%s%s%s%s%s%s%s", o->help, choices[0] || initial ? " (" : "", choices,
             choices[0] && initial ? "; " : "", initial ? "default " : "", initial ? initial : "",
             choices[0] || initial ? ")" : "");
}

static void print_item(FILE *out, const char *item, const char *help) {
    const int used = fprintf(out, "%s", item);
    if (used > HELP_COLUMN - 2)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - used, "");
    wrap(out, HELP_COLUMN, help);
}

/* Options whose commands include all of mask, under their groups' headings. */
static void print_options(const struct option_table *table, unsigned mask, FILE *out) {
    const char *group = "";
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (o->hidden || (o->commands & mask) != mask)
            continue;
        if (strcmp(group, o->group) != 0)
            fprintf(out, "\n%s\n", o->group);
        group = o->group;
        char item[ITEM_MAX], help[TEXT_MAX];
        item_text(o, item, sizeof item);
        help_text(o, help, sizeof help);
        print_item(out, item, help);
    }
}

void opts_help(const struct option_table *table, int command, FILE *out) {
    if (command >= 0) {
        const struct option_command *c = table->commands[command];
        fprintf(out, "Usage: %s %s [options]%s%s\n\n", table->program, c->name,
                *c->arguments ? " " : "", c->arguments);
        wrap(out, 0, c->help);
        print_options(table, 1u << command, out);
        return;
    }
    fprintf(out, "Usage: %s COMMAND [options]\n\n", table->program);
    wrap(out, 0, table->summary);
    fprintf(out, "\nCommands\n");
    for (size_t i = 0; i < table->n_commands; i++) {
        char item[ITEM_MAX];
        snprintf(item, sizeof item, "  %s %s", table->commands[i]->name,
                 table->commands[i]->arguments);
        print_item(out, item, table->commands[i]->help);
    }
    print_options(table, (1u << table->n_commands) - 1u, out);
    fprintf(out, "\n'%s COMMAND --help' lists the options of a command.\n", table->program);
}

/* Text for roff: '\' and '-' (which is a hyphen otherwise) are escaped; a line of its own must
 * not start with a control character. */
static void roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
    }
}

/* "Commands: comm, attn." unless all of them take the option. */
static void roff_takers(const struct option_table *table, const struct option *o, FILE *out) {
    const unsigned all = (1u << table->n_commands) - 1u;
    if ((o->commands & all) == all)
        return;
    const char *separator = "Commands: ";
    for (size_t c = 0; c < table->n_commands; c++) {
        if (!option_belongs(o, (int)c))
            continue;
        fputs(separator, out);
        roff(out, table->commands[c]->name);
        separator = ", ";
    }
    fputs(".\n", out);
}

static void roff_option(const struct option_table *table, const struct option *o, FILE *out) {
    char help[TEXT_MAX];
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fprintf(out, "\\fB\\-\\-%s", o->type == OPT_FLAG && o->initial ? "[no\\-]" : "");
    roff(out, o->name);
    fputs("\\fR", out);
    if (o->type != OPT_FLAG) {
        fputs(" \\fI", out);
        roff(out, o->value ? o->value : "VALUE");
        fprintf(out, "\\fR%s", o->list ? ",..." : "");
    }
    fputc('\n', out);
    help_text(o, help, sizeof help);
    roff(out, help);
    fputs(".\n", out);
    roff_takers(table, o, out);
}

void opts_man(const struct option_table *table, const char *version, FILE *out) {
    fprintf(out, ".TH \"%s\" 1 \"\" \"%s %s\" \"User Commands\"\n.SH NAME\n", table->program,
            table->program, version);
    roff(out, table->program);
    fputs(" \\- ", out);
    roff(out, table->summary);
    fprintf(out, "\n.SH SYNOPSIS\n.B %s\n.I COMMAND\n[options]\n.SH COMMANDS\n", table->program);
    for (size_t i = 0; i < table->n_commands; i++) {
        const struct option_command *c = table->commands[i];
        fprintf(out, ".TP\n\\fB%s\\fR %s%s%s\n", c->name, *c->arguments ? "\\fI" : "", c->arguments,
                *c->arguments ? "\\fR" : "");
        roff(out, c->help);
        fputs(".\n", out);
    }
    fputs(".SH OPTIONS\n", out);
    const char *group = "";
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (o->hidden)
            continue;
        if (strcmp(group, o->group) != 0) {
            fputs(".SS \"", out);
            roff(out, o->group);
            fputs("\"\n", out);
        }
        group = o->group;
        roff_option(table, o, out);
    }
}

/* Bash completion: commands, the options of the command typed so far, and the names a choice
 * allows, also behind the commas of a list. Anything else falls back to file names. */
#include <stdio.h>
#include <string.h>

#include "base/options/values.h"

static void print_names(const struct option_table *table, size_t command, FILE *out) {
    for (size_t i = 0; i < table->n_options; i++) {
        const struct option *o = &table->options[i];
        if (!o->hidden && option_belongs(o, (int)command))
            fprintf(out, " --%s%s%s", o->name, o->type == OPT_FLAG && o->initial ? " --no-" : "",
                    o->type == OPT_FLAG && o->initial ? o->name : "");
    }
}

/* What may stand without a command. */
static void print_standalone(const struct option_table *table, FILE *out) {
    for (size_t i = 0; i < table->n_options; i++)
        if (table->options[i].standalone && !table->options[i].hidden)
            fprintf(out, " --%s", table->options[i].name);
}

/* "COMMAND:--name" of every command that takes the row: rows of one name can differ. */
static void print_choice_case(const struct option_table *table, const struct option *o, FILE *out) {
    char choices[1024];
    const char *separator = "        ";
    for (size_t c = 0; c < table->n_commands; c++) {
        if (!option_belongs(o, (int)c))
            continue;
        fprintf(out, "%s%s:--%s", separator, table->commands[c]->name, o->name);
        if (o->letter)
            fprintf(out, "|%s:-%c", table->commands[c]->name, o->letter);
        separator = "|";
    }
    option_choices(o, " ", choices, sizeof choices);
    fprintf(out, ") names=\"%s%s\" list=%d ;;\n", choices, o->automatic ? " auto" : "", o->list);
}

void opts_bash_completion(const struct option_table *table, FILE *out) {
    fprintf(out,
            "# Generated from the option table; source it or put it where bash-completion looks.\n"
            "_%s() {\n"
            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
            "    local word command= names= list=0\n"
            "    COMPREPLY=()\n"
            "    # bash makes a word of its own of the '=' in --name=value\n"
            "    if [[ $cur == = ]]; then cur=\n"
            "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n",
            table->program);
    fputs("    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        case $word in\n        ",
          out);
    for (size_t c = 0; c < table->n_commands; c++)
        fprintf(out, "%s%s", c ? "|" : "", table->commands[c]->name);
    fputs(") command=$word; break ;;\n        esac\n    done\n    case $command:$prev in\n", out);
    for (size_t i = 0; i < table->n_options; i++)
        if (table->options[i].type == OPT_CHOICE && !table->options[i].hidden)
            print_choice_case(table, &table->options[i], out);
    fputs("    esac\n"
          "    if [[ -n $names ]]; then\n"
          "        local head=\n"
          "        ((list)) && head=${cur%\"${cur##*,}\"}\n"
          "        COMPREPLY=($(compgen -P \"$head\" -W \"$names\" -- \"${cur#\"$head\"}\"))\n"
          "        return\n"
          "    fi\n"
          "    case $command:$cur in\n",
          out);
    fputs("    :-*) names=\"", out);
    print_standalone(table, out);
    fputs("\" ;;\n    :*) names=\"", out);
    for (size_t c = 0; c < table->n_commands; c++)
        fprintf(out, "%s%s", c ? " " : "", table->commands[c]->name);
    fputs("\" ;;\n", out);
    for (size_t c = 0; c < table->n_commands; c++) {
        fprintf(out, "    %s:-*) names=\"", table->commands[c]->name);
        print_names(table, c, out);
        fputs("\" ;;\n", out);
    }
    fprintf(out,
            "    esac\n"
            "    COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
            "}\n"
            "complete -o default -F _%s %s\n",
            table->program, table->program);
}

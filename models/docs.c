#include "models/docs.h"

#include "models/config/families.h"
#include "models/config/fields.h"
#include "models/kinds/rope.h"
#include "models/layers/dialects.h"

/* Names as code, separated by commas; up to n or a NULL. */
static void print_names(const char *const *names, int n, FILE *out) {
    for (int i = 0; i < n && names[i]; i++)
        fprintf(out, "%s`%s`", i ? ", " : "", names[i]);
}

static void print_dialects(const char *title, const struct dialect *rows, FILE *out) {
    fprintf(out, "\n### %s\n\n| field | for example | layers are |\n|---|---|---|\n", title);
    for (; rows->fields[0]; rows++) {
        fputs("| ", out);
        print_names(rows->fields, DIALECT_FIELDS, out);
        fprintf(out, " | %s | %s |\n", rows->example, rows->maps);
    }
}

static const char *role_text(const struct layer_names *row) {
    static const char *const texts[] = {
        [ROLE_FULL] = "softmax",
        [ROLE_SELECT] = "softmax, of keys that each query picks: as if it saw all, with a warning",
        [ROLE_WINDOW] = "softmax in a window",
        [ROLE_CHUNK] = "softmax in chunks",
        [ROLE_LINEAR] = "linear",
        [ROLE_NONE] = "none",
        [ROLE_CROSS] = "none, with a warning: attention to something else than the sequence",
    };
    return texts[row->role];
}

static void print_layer_names(FILE *out) {
    fputs("\n### Names in lists\n\n| name | layer is |\n|---|---|\n", out);
    for (const struct layer_names *row = list_names; row->words; row++)
        fprintf(out, "| %s | %s%s |\n", row->words, role_text(row),
                row->branches ? ", beside a state space or convolution that is not listed" : "");
    fputs("| any other | none, with a warning |\n", out);
}

static void print_fields(FILE *out) {
    fputs(
        "\n### Numbers\n\n| | field, the first that is there | of layers with a window | of layers "
        "without |\n|---|---|---|---|\n",
        out);
    for (int i = 0; i < FIELDS; i++) {
        const struct model_field *f = &model_fields[i];
        fprintf(out, "| %s | ", f->means);
        print_names(f->names, FIELD_NAMES, out);
        fputs(" | ", out);
        print_names(f->window_names, FIELD_SCOPED, out);
        fputs(" | ", out);
        print_names(f->full_names, FIELD_SCOPED, out);
        fputs(" |\n", out);
    }
    fputs("| part of a head that is rotated; else all of it | ", out);
    print_names(rope_part_names, FIELD_NAMES, out);
    fputs(" | | |\n| layers that are rotated, 0 or 1 | ", out);
    print_names(rope_flag_names, FIELD_NAMES, out);
    fputs(" | | |\n| base of the rotary frequencies; else 10000 | ", out);
    print_names(rope_theta_names, FIELD_NAMES, out);
    fputs(" | | |\n", out);
}

/* What a row tells besides, separated by semicolons. */
static void print_rest(const struct model_family *row, FILE *out) {
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {
        {FAMILY_BIDIRECTIONAL, "mask full"},
        {FAMILY_NO_ROPE, "nothing is rotated"},
        {FAMILY_ROPE_IN_WINDOWS, "with windows, only their layers are rotated"},
        {FAMILY_WINDOWS_ALL, "`use_sliding_window` is meant for all layers"},
        {FAMILY_WINDOWS_EVEN, "windows in layers 0, 2, ... below `max_window_layers`"},
        {FAMILY_WIDE_HEADS, "heads share out twice the hidden size"},
        {FAMILY_V_OF_HIDDEN, "V is hidden size / heads wide"},
        {FAMILY_TWO_A_BLOCK, "`num_layers` counts blocks of two layers"},
    };
    const char *between = "";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (row->flags & texts[i].flag) {
            fprintf(out, "%s%s", between, texts[i].text);
            between = "; ";
        }
    if (row->note)
        fprintf(out, "%s%s", between, row->note);
}

/* A cell with code, or an empty one. */
static void print_cell(const char *code, FILE *out) {
    fprintf(out, code ? " `%s` |" : " |", code);
}

static void print_families(FILE *out) {
    fputs("\n### What the code of a model assumes\n\n`F` softmax, `S` softmax in a window, `L` "
          "linear, `H` softmax beside a state space, `I` softmax of keys that each query picks; "
          "from the start again where the letters end.\n\n"
          "| `model_type` | fields | layers | besides |\n|---|---|---|---|\n",
          out);
    for (const struct model_family *row = model_families; row->types; row++) {
        if (row->refused || !(row->assumed || row->layers || row->flags || row->note))
            continue;
        fprintf(out, "| %s |", row->types);
        print_cell(row->assumed, out);
        print_cell(row->layers, out);
        fputc(' ', out);
        print_rest(row, out);
        fputs(" |\n", out);
    }
}

static void print_refused(FILE *out) {
    fputs("\n### What is refused\n\n| `model_type` | because |\n|---|---|\n", out);
    for (const struct model_family *row = model_families; row->types; row++)
        if (row->refused)
            fprintf(out, "| %s | %s |\n", row->types, row->refused);
    fputs("| any with `\"is_encoder_decoder\": true` | it has an encoder and a decoder |\n", out);
}

void model_docs(FILE *out) {
    print_dialects("Which layer does what", layer_dialects, out);
    print_dialects("Where neither these nor the model's code say it", window_dialects, out);
    print_dialects("What changes some layers", overlay_dialects, out);
    print_layer_names(out);
    print_fields(out);
    print_families(out);
    print_refused(out);
}

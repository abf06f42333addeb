#include "results/text/table.h"

void text_table_header(const struct text_table *table) {
    for (size_t i = 0; i < table->n; i++) {
        const struct text_column *column = &table->columns[i];
        fputs(table->markdown ? "| " : i ? "  " : "", table->out);
        columns_pad(table->out, column->title, column->width, column->left);
        fputs(table->markdown ? " " : "", table->out);
    }
    fputs(table->markdown ? "|\n" : "\n", table->out);
    for (size_t i = 0; table->markdown && i < table->n; i++)
        fputs(table->columns[i].left ? "|---" : "|--:", table->out);
    if (table->markdown)
        fputs("|\n", table->out);
}

void text_table_cell(const struct text_table *table, size_t column, const char *text) {
    const struct text_column *c = &table->columns[column];
    fputs(table->markdown ? "| " : column ? "  " : "", table->out);
    if (table->markdown)
        columns_md(table->out, text);
    else
        columns_pad(table->out, text, c->width, c->left);
    fputs(table->markdown ? " " : "", table->out);
    if (column + 1 == table->n)
        fputs(table->markdown ? "|\n" : "\n", table->out);
}

void text_table_row(const struct text_table *table, char cells[][CELL_ROOM]) {
    for (size_t i = 0; i < table->n; i++)
        text_table_cell(table, i, cells[i]);
}

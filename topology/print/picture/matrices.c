/* Heat maps: the class of link of every pair, and what was measured between them. */
#include <stdio.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/place/place.h"
#include "topology/print/picture/drawing.h"
#include "topology/print/picture/parts.h"

enum { MOST_DEVICES = 40, WRITTEN = 24, INK = 0x202020, PALE = 0xffffff, SELF = 0xf0f0f0 };

static const double letters = 10, line = 14;

/* From near (green) over PCI (yellow) to far (red). */
static const unsigned colours[LINK_CLASSES] = {
    [LINK_SAME_CORE] = 0x1b7837, [LINK_SHARED_L2] = 0x3f9a54,    [LINK_SHARED_L3] = 0x7fbf7b,
    [LINK_SAME_NUMA] = 0xb5dcae, [LINK_SAME_PACKAGE] = 0xdff0c8, [LINK_CROSS_PACKAGE] = 0xfdc98a,
    [LINK_NVLINK] = 0x5aae61,    [LINK_XGMI] = 0x5aae8a,         [LINK_PCIE_SWITCH] = 0xc7e59b,
    [LINK_PCIE_HOST] = 0xf3efa0, [LINK_PCIE_NODE] = 0xfde08a,    [LINK_SYSTEM] = 0xf7a672,
    [LINK_NETWORK] = 0xd8604c,
};

static bool is_dark(unsigned fill) {
    return 2 * (fill >> 16 & 255) + 5 * (fill >> 8 & 255) + (fill & 255) < 8 * 125;
}

/* What a matrix shows; row and col differ when fill() and word() are called. */
struct matrix {
    const char *title;
    int n;
    void (*label)(const struct matrix *m, int i, char *buf, size_t n);
    unsigned (*fill)(const struct matrix *m, int row, int col);
    void (*word)(const struct matrix *m, int row, int col, char *buf, size_t n);
    const struct machine *machine;
    const struct place *places;
    const struct pair_rates *rates;
    double most; /* of the rates */
};

static const struct io_device *device_at(const struct matrix *m, int i) {
    return i < m->machine->n_gpus ? &m->machine->gpus[i]
                                  : &m->machine->nics[i - m->machine->n_gpus];
}

static void device_label(const struct matrix *m, int i, char *buf, size_t n) {
    snprintf(buf, n, "%.20s", device_at(m, i)->name);
}

static unsigned device_fill(const struct matrix *m, int row, int col) {
    return colours[device_link(m->machine, device_at(m, row), device_at(m, col)).class];
}

static void device_word(const struct matrix *m, int row, int col, char *buf, size_t n) {
    snprintf(buf, n, "%s", device_link(m->machine, device_at(m, row), device_at(m, col)).smi);
}

static void rank_label(const struct matrix *m, int i, char *buf, size_t n) {
    (void)m;
    snprintf(buf, n, "%d", i);
}

/* As the ranks sit here, or else as they sat when they were measured. */
static enum link_class rank_class(const struct matrix *m, int row, int col) {
    return m->places ? place_link(&m->places[row], &m->places[col])
                     : m->rates->classes[(size_t)row * (size_t)m->n + (size_t)col];
}

static unsigned rank_fill(const struct matrix *m, int row, int col) {
    const enum link_class class = rank_class(m, row, col);
    return class < LINK_CLASSES ? colours[class] : PALE;
}

static void no_word(const struct matrix *m, int row, int col, char *buf, size_t n) {
    (void)m, (void)row, (void)col, (void)n;
    buf[0] = '\0';
}

static double rate(const struct matrix *m, int row, int col) {
    return m->rates->gb_s[(size_t)row * (size_t)m->n + (size_t)col];
}

/* White for nothing known, pale to dark blue for the fastest. */
static unsigned rate_fill(const struct matrix *m, int row, int col) {
    const double share = m->most > 0 ? rate(m, row, col) / m->most : 0;
    if (!(share > 0))
        return PALE;
    const double from[] = {222, 235, 247}, to[] = {8, 69, 148};
    unsigned fill = 0;
    for (int c = 0; c < 3; c++)
        fill = fill << 8 | (unsigned)(from[c] + (to[c] - from[c]) * (share < 1 ? share : 1));
    return fill;
}

static void rate_word(const struct matrix *m, int row, int col, char *buf, size_t n) {
    const double gb_s = rate(m, row, col);
    buf[0] = '\0';
    if (gb_s > 0)
        snprintf(buf, n, gb_s < 99.95 ? "%.1f" : "%.0f", gb_s);
}

static unsigned fill_of(const struct matrix *m, int row, int col) {
    return row == col ? SELF : m->fill(m, row, col);
}

static double label_width(const struct matrix *m) {
    char label[32];
    double w = 0;
    for (int i = 0; i < m->n; i++) {
        m->label(m, i, label, sizeof label);
        const double mine = drawing_text_width(label, letters);
        w = mine > w ? mine : w;
    }
    return w;
}

/* Wide enough for "NODE", or 3 pixels where there are many. */
static double cell_size(int n) {
    return n <= WRITTEN ? 30 : n <= 64 ? 12 : n <= 256 ? 4 : 2;
}

/* Numbers above the columns: all of them, or every eighth where cells are small. */
static void draw_column_heads(struct drawing *d, const struct matrix *m, double x, double y,
                              double cell) {
    const int step = m->n <= WRITTEN ? 1 : m->n <= 64 ? 4 : m->n <= 256 ? 16 : 64;
    for (int col = 0; col < m->n; col += step) {
        char text[16];
        snprintf(text, sizeof text, "%d", col);
        drawing_text(d, x + col * cell + 1, y, letters, INK, text);
    }
}

/* Cells of one colour that stand in a row are one rectangle, unless words stand in them. */
static void draw_row(struct drawing *d, const struct matrix *m, int row, double x, double y,
                     double cell) {
    const bool written = m->n <= WRITTEN;
    for (int col = 0; col < m->n;) {
        const unsigned fill = fill_of(m, row, col);
        int end = col + 1;
        while (!written && end < m->n && fill_of(m, row, end) == fill)
            end++;
        drawing_rect(d, x + col * cell, y, (end - col) * cell, cell, fill, written);
        if (written && row != col) {
            char word[16];
            m->word(m, row, col, word, sizeof word);
            const double w = drawing_text_width(word, letters);
            drawing_text(d, x + col * cell + (cell - w) / 2, y + (cell - letters) / 2, letters,
                         is_dark(fill) ? PALE : INK, word);
        }
        col = end;
    }
}

/* Returns the y below it. */
static double draw_matrix(struct drawing *d, const struct matrix *m, double x, double y) {
    const double cell = cell_size(m->n), left = x + label_width(m) + 26;
    const int step = m->n <= WRITTEN ? 1 : m->n <= 64 ? 4 : m->n <= 256 ? 16 : 64;
    drawing_text(d, x, y, letters + 2, INK, m->title);
    y += line + 6;
    draw_column_heads(d, m, left, y, cell);
    y += line;
    for (int row = 0; row < m->n; row++, y += cell) {
        char label[32], number[16];
        draw_row(d, m, row, left, y, cell);
        if (row % step)
            continue;
        const double middle = y + (m->n <= WRITTEN ? (cell - letters) / 2 : 0);
        snprintf(number, sizeof number, "%d", row);
        m->label(m, row, label, sizeof label);
        if (strcmp(label, number) != 0)
            drawing_text(d, x, middle, letters, INK, label);
        drawing_text(d, left - drawing_text_width(number, letters) - 3, middle, letters, INK,
                     number);
    }
    return y + line;
}

/* The classes that occur, in lines of their own. Returns the y below them. */
static double draw_legend(struct drawing *d, const bool *seen, double x, double y) {
    for (int class = 0; class < LINK_CLASSES; class ++) {
        if (!seen[class])
            continue;
        drawing_rect(d, x, y, 22, letters, colours[class], true);
        drawing_text(d, x + 28, y, letters, INK, link_class_name((enum link_class) class));
        y += line;
    }
    return y + line;
}

static double draw_devices(struct drawing *d, double x, double y, const struct machine *machine) {
    const int all = machine->n_gpus + machine->n_nics;
    struct matrix m = {.title = "Links between GPUs and NICs",
                       .n = all <= MOST_DEVICES ? all : machine->n_gpus,
                       .label = device_label,
                       .fill = device_fill,
                       .word = device_word,
                       .machine = machine};
    bool seen[LINK_CLASSES] = {false};
    if (machine->n_gpus == 0 || m.n < 2)
        return y;
    for (int i = 0; i < m.n; i++)
        for (int j = 0; j < m.n; j++)
            if (i != j)
                seen[device_link(machine, device_at(&m, i), device_at(&m, j)).class] = true;
    y = draw_matrix(d, &m, x, y);
    return draw_legend(d, seen, x, y);
}

static double draw_ranks(struct drawing *d, double x, double y, const struct place *places, int n,
                         const struct pair_rates *rates) {
    const struct matrix m = {.title = "Links between ranks",
                             .n = n,
                             .label = rank_label,
                             .fill = rank_fill,
                             .word = no_word,
                             .places = places,
                             .rates = rates};
    bool seen[LINK_CLASSES + 1] = {false};
    if (n < 2)
        return y;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            seen[rank_class(&m, i, j)] = true;
    y = draw_matrix(d, &m, x, y);
    return draw_legend(d, seen, x, y);
}

static void draw_rates(struct drawing *d, double x, double y, const struct pair_rates *rates) {
    struct matrix m = {.title = rates->title,
                       .n = rates->n,
                       .label = rank_label,
                       .fill = rate_fill,
                       .word = rate_word,
                       .rates = rates};
    char scale[64];
    for (int i = 0; i < m.n * m.n; i++)
        m.most = rates->gb_s[i] > m.most ? rates->gb_s[i] : m.most;
    y = draw_matrix(d, &m, x, y);
    snprintf(scale, sizeof scale, "white: not measured; darkest: %.3g GB/s", m.most);
    drawing_text(d, x, y, letters, INK, scale);
}

void picture_matrices(struct drawing *d, double x, double y, const struct machine *machine,
                      const struct place *places, int n, const struct pair_rates *rates) {
    const int ranks = n > 0 ? n : rates ? rates->n : 0;
    y = draw_devices(d, x, y, machine);
    draw_ranks(d, x, y, n > 0 ? places : NULL, ranks, rates);
    if (!rates || rates->n < 2)
        return;
    const double title = drawing_text_width("Links between ranks", letters + 2);
    const double matrix = 80 + ranks * cell_size(ranks);
    draw_rates(d, x + 40 + (title > matrix ? title : matrix), y, rates);
}

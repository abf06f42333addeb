#include "topology/print/picture/parts.h"

#include "topology/model/machine.h"
#include "topology/print/picture/drawing.h"

static const double margin = 12;

static void draw_head(struct drawing *d, const struct machine *m) {
    char text[DRAWING_TEXT];
    snprintf(text, sizeof text, "%.90s", m->name);
    drawing_text(d, margin, margin, 14, 0x000000, text);
    int used =
        snprintf(text, sizeof text, "%s%.0d%s%d NUMA node%s, %d hardware thread%s", "", m->packages,
                 m->packages == 0   ? ""
                 : m->packages == 1 ? " package, "
                                    : " packages, ",
                 m->numa_nodes, m->numa_nodes == 1 ? "" : "s", m->pus, m->pus == 1 ? "" : "s");
    if (m->n_nvswitches > 0)
        snprintf(text + used, sizeof text - (size_t)used, ", %d NVSwitch%s", m->n_nvswitches,
                 m->n_nvswitches == 1 ? "" : "es");
    drawing_text(d, margin, margin + 20, 10, 0x404040, text);
}

enum status picture_draw(struct drawing *d, const struct machine *machine,
                         const struct place *places, int n, const struct pair_rates *rates) {
    draw_head(d, machine);
    const enum status st = picture_boxes(d, margin, margin + 40, machine, places, n);
    if (st == ST_OK)
        picture_matrices(d, margin, d->height + 6, machine, places, n, rates);
    return st;
}

enum status topology_svg(FILE *out, const struct machine *machine, const struct place *places,
                         int n, const struct pair_rates *rates) {
    struct drawing d = {0};
    enum status st = picture_draw(&d, machine, places, n, rates);
    if (st == ST_OK)
        st = drawing_svg(&d, out);
    drawing_free(&d);
    return st;
}

enum status topology_gnuplot(FILE *script, const char *png, const struct machine *machine,
                             const struct place *places, int n, const struct pair_rates *rates) {
    struct drawing d = {0};
    enum status st = picture_draw(&d, machine, places, n, rates);
    if (st == ST_OK)
        st = drawing_gnuplot(&d, png, script);
    drawing_free(&d);
    return st;
}

#include <jansson.h>

#include "topology/place/placement.h"
#include "topology/print/aligned.h"
#include "topology/print/print.h"

struct view {
    const struct place *places;
    const struct placement_shape *shape;
};

static struct placement_shape shape_of(const struct view *v, bool sp_outer) {
    struct placement_shape shape = *v->shape;
    shape.sp_outer = sp_outer;
    return shape;
}

static void put_span(char *buf, size_t n, struct link_span span) {
    if (span.worst == LINK_CLASSES)
        snprintf(buf, n, "-");
    else if (span.best == span.worst)
        snprintf(buf, n, "%s", link_class_name(span.worst));
    else
        snprintf(buf, n, "%s to %s", link_class_name(span.best), link_class_name(span.worst));
}

static void cell(const void *context, int row, int col, char *buf, size_t n) {
    static const char *const head[] = {"placement", "inside an SP group",
                                       "inside a data-parallel group"};
    const struct view *v = context;
    const struct placement_shape shape = shape_of(v, row == 2);
    if (row == 0)
        snprintf(buf, n, "%s", head[col]);
    else if (col == 0)
        snprintf(buf, n, "%s", shape.sp_outer ? "sp-outer" : "sp-inner");
    else
        put_span(buf, n,
                 col == 1 ? placement_sp_links(v->places, &shape)
                          : placement_dp_links(v->places, &shape));
}

/* Without a method in mind, for the one that can be helped most: Ulysses over the whole group. */
static bool advise(const struct place *places, const struct placement_shape *shape,
                   struct placement_advice *out) {
    struct placement_shape whole = *shape;
    if (whole.ulysses_size == 0)
        whole.ulysses_size = whole.sp_size;
    return placement_advise(places, &whole, out);
}

void placement_print(FILE *out, const struct place *places, const struct placement_shape *shape) {
    const struct view view = {places, shape};
    struct placement_advice advice;
    fprintf(out, "\nLinks of sp=%d, dp_shard=%d\n", shape->sp_size, shape->dp_shard_size);
    aligned_print(out, 3, 3, cell, &view);
    if (advise(places, shape, &advice))
        fprintf(out, "  advice: %s\n", advice.text);
}

static void put_links(json_t *object, const char *best, const char *worst, struct link_span span) {
    if (span.worst == LINK_CLASSES)
        return;
    json_object_set_new(object, best, json_string(link_class_name(span.best)));
    json_object_set_new(object, worst, json_string(link_class_name(span.worst)));
}

static json_t *links_json(const struct view *v, bool sp_outer) {
    const struct placement_shape shape = shape_of(v, sp_outer);
    json_t *object = json_object();
    put_links(object, "sp_best_link", "sp_worst_link", placement_sp_links(v->places, &shape));
    put_links(object, "dp_best_link", "dp_worst_link", placement_dp_links(v->places, &shape));
    return object;
}

json_t *placement_json(const struct place *places, const struct placement_shape *shape) {
    const struct view view = {places, shape};
    struct placement_advice advice;
    json_t *object =
        json_pack("{s:i, s:i, s:s, s:o, s:o}", "sp_size", shape->sp_size, "dp_shard_size",
                  shape->dp_shard_size, "placement", shape->sp_outer ? "sp-outer" : "sp-inner",
                  "sp-inner", links_json(&view, false), "sp-outer", links_json(&view, true));
    if (object && advise(places, shape, &advice))
        json_object_set_new(object, "advice", json_string(advice.text));
    return object;
}

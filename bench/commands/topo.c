/* topo: the machine, where ranks sit on it, and the links between them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "bench/launch/run.h"
#include "bench/links/pair_rates.h"
#include "bench/options/command.h"
#include "bench/output/topo_png.h"
#include "topology/place/bind.h"
#include "topology/place/placement.h"
#include "topology/print/print.h"

enum { MOST_RANKS = 1024 }; /* of a described machine; every pair is shown */

/* What is shown. */
struct view {
    const struct options *options;
    const struct machine *machine;
    const struct place *places; /* [n] */
    int n;
    struct placement_shape shape; /* sp_size 0: not asked for */
    struct pair_rates rates;      /* n 0: not asked for */
};

static enum status print_table(const struct view *v, FILE *out) {
    topology_table(out, v->machine, v->places, v->n);
    if (v->shape.sp_size > 0)
        placement_print(out, v->places, &v->shape);
    return ST_OK;
}

static enum status print_json(const struct view *v, FILE *out) {
    json_t *json = topology_json(v->machine, v->places, v->n);
    if (!json)
        return ST_ENV;
    if (v->shape.sp_size > 0)
        json_object_set_new(json, "placement", placement_json(v->places, &v->shape));
    const int failed = json_dumpf(json, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(json);
    return failed ? output_failed(out, "the topology") : ST_OK;
}

static const struct pair_rates *rates_of(const struct view *v) {
    return v->rates.n > 0 ? &v->rates : NULL;
}

static enum status print_svg(const struct view *v, FILE *out) {
    return topology_svg(out, v->machine, v->places, v->n, rates_of(v));
}

static enum status print_png(const struct view *v, FILE *out) {
    return topo_png(out, v->machine, v->places, v->n, rates_of(v));
}

static const struct form {
    enum status (*print)(const struct view *v, FILE *out);
    bool picture;
} forms[TOPO_FORMS] = {
    [TOPO_TABLE] = {print_table, false},
    [TOPO_JSON] = {print_json, false},
    [TOPO_SVG] = {print_svg, true},
    [TOPO_PNG] = {print_png, true},
};

/* The grid that --sp and --dp-shard ask for; either may be left out. */
static enum status read_shape(struct view *v) {
    const struct options *o = v->options;
    if (!o->given.sp && !o->given.dp_shard)
        return ST_OK;
    int sp = o->sp, dp = o->dp_shard;
    if (sp == 0)
        sp = v->n / (dp > 0 ? dp : 1);
    if (dp == 0)
        dp = v->n / sp;
    if (sp <= 0 || (long)sp * dp != v->n)
        return fail(ST_USAGE, "sp %d x dp-shard %d do not fill %d ranks; give -n", sp, dp, v->n);
    v->shape = (struct placement_shape){sp, dp, o->placement == SP_OUTER};
    return ST_OK;
}

static enum status read_rates(struct view *v) {
    const char *dir = v->options->run;
    if (!dir)
        return ST_OK;
    if (!forms[v->options->topology].picture)
        return fail(ST_USAGE, "--run is for pictures; give -o svg or -o png too");
    const enum status st = pair_rates_load(dir, &v->rates);
    if (st == ST_OK && v->n > 0 && v->n != v->rates.n)
        return fail(ST_USAGE, "%s measured %d ranks, and -n says %d", dir, v->rates.n, v->n);
    return st;
}

static enum status print(struct view *v, FILE *out) {
    enum status st = read_shape(v);
    if (st == ST_OK)
        st = read_rates(v);
    if (st == ST_OK)
        st = forms[v->options->topology].print(v, out);
    pair_rates_free(&v->rates);
    return st;
}

static enum status ranks(struct run *run) {
    enum status st = ST_OK;
    struct view view = {run->options, run->machine, run->places, run->world->size, {0}, {0}};
    if (run->options->given.nodes)
        st = run->world->rank > 0 ? ST_USAGE
                                  : fail(ST_USAGE, "--nodes goes with --input or --synthetic");
    else if (run->out)
        st = print(&view, run->out);
    return group_agree(run->world, st);
}

/* A run folder stands for the machine it was measured on, unless ranks are started. */
static bool is_local(const struct options *o) {
    return o->input || o->synthetic || (o->run && !o->given.ranks);
}

static enum status load(const struct options *o, struct machine *machine) {
    char path[4096];
    if (o->input)
        return machine_load(machine, "file", o->input);
    if (o->synthetic)
        return machine_load(machine, "synthetic", o->synthetic);
    snprintf(path, sizeof path, "%s/topology.xml", o->run);
    return machine_load(machine, "file", path);
}

/* Seats the ranks that -n asks for; without it there are none, and one is no use. */
static enum status seat(struct view *v) {
    const struct options *o = v->options;
    const int nodes = o->nodes;
    if (!o->given.ranks)
        return nodes > 1 ? fail(ST_USAGE, "--nodes %d needs -n, the number of ranks on all of them",
                                nodes)
                         : ST_OK;
    const int64_t ranks = o->ranks.v[0].i;
    if (o->ranks.n > 1 || ranks > MOST_RANKS || ranks % nodes != 0)
        return fail(ST_USAGE,
                    "-n must be one number, at most %d and a multiple of --nodes (%d), to show "
                    "ranks on a described machine",
                    MOST_RANKS, nodes);
    struct place *places = calloc((size_t)ranks, sizeof *places);
    if (!places)
        return fail(ST_ENV, "out of memory for %d places", (int)ranks);
    v->places = places;
    v->n = (int)ranks;
    return bind_described(v->machine, o->bind, nodes, v->n, places);
}

static enum status local(const struct options *o, const char *data_dir) {
    (void)data_dir;
    if (o->input && o->synthetic)
        return fail(ST_USAGE, "--input and --synthetic describe two machines; give one of them");
    struct machine machine;
    struct view view = {o, &machine, NULL, 0, {0}, {0}};
    enum status st = load(o, &machine);
    if (st == ST_OK)
        st = seat(&view);
    if (st == ST_OK)
        st = print(&view, stdout);
    free((void *)view.places);
    machine_free(&machine);
    return st;
}

const struct command topo_command = {
    .word = {"topo", "Topology of this machine, where ranks sit, and the link between any two", "",
             0, 0},
    .local = local,
    .is_local = is_local,
    .ranks = ranks,
    .document = true,
};

#include "bench/links/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/links/pair_record.h"
#include "bench/links/source.h"
#include "results/record/record.h"

/* What each part of a probe may take, but for its fewest samples. */
static const double PART_S = 0.3, GLANCE_S = 0.02;

/* A part of a probe: the pairs across hosts, or those inside one, which want other sizes. */
struct part {
    bool network;
    double max_time_s;
    size_t sizes[6];
    int n_sizes;
};

static bool crosses(const struct place *places, int a, int b) {
    return place_link(&places[a], &places[b]) == LINK_NETWORK;
}

bool link_probe_choose(const struct place *places, int ranks, bool network, bool *alone,
                       bool *loaded) {
    const int rounds = tournament_rounds(ranks);
    int most[LINK_CLASSES] = {0}, leader[LINK_CLASSES], peer[LINK_CLASSES];
    for (int round = 0; round < rounds; round++) {
        int n[LINK_CLASSES] = {0}, first[LINK_CLASSES];
        for (int a = ranks - 1; a >= 0; a--) {
            const int b = tournament_peer(ranks, round, a);
            if (b < a || crosses(places, a, b) != network)
                continue;
            const enum link_class class = place_link(&places[a], &places[b]);
            n[class]++;
            first[class] = a;
        }
        for (int c = 0; c < LINK_CLASSES; c++)
            if (n[c] > most[c]) {
                most[c] = n[c];
                leader[c] = first[c];
                peer[c] = tournament_peer(ranks, round, first[c]);
            }
    }
    bool any = false;
    for (int a = 0; a < ranks; a++)
        for (int b = a + 1; b < ranks; b++) {
            alone[pair_index(ranks, a, b)] = false;
            loaded[pair_index(ranks, a, b)] = crosses(places, a, b) == network;
        }
    for (int c = 0; c < LINK_CLASSES; c++)
        if (most[c] > 0)
            any = alone[pair_index(ranks, leader[c], peer[c])] = true;
    return any;
}

/* Adds what the part measures to the record, which rank 0 has. */
static enum status measure_part(struct session *s, struct transport *t, const struct part *part,
                                const struct pair_scope *scope, json_t *record) {
    struct group *world = s->run->world;
    const struct pattern pattern = {1, TENSOR_RAW, sizeof(float)};
    const struct measure_config config = {.rel_ci = 0.02,
                                          .min_samples = 6,
                                          .max_samples = 200,
                                          .max_time_s =
                                              fmin(part->max_time_s, s->config.max_time_s)};
    struct pairs pairs = {0};
    struct pair_times times = {0};
    enum status st = pairs_open(&pairs, t, world, pattern, part->sizes, part->n_sizes);
    if (st == ST_OK)
        st = pair_times_measure(&pairs, s->run->trace, &config, scope, &times);
    if (st == ST_OK && world->rank == 0) {
        const struct pair_report report = {&times, s->run->places, world->size, part->sizes,
                                           part->n_sizes};
        st = pair_record(&report, record);
    }
    pair_times_free(&times);
    pairs_close(&pairs);
    return group_agree(world, st);
}

static json_t *new_record(const struct group *world) {
    json_t *record = world->rank == 0 ? record_new("comm") : NULL;
    if (record)
        record_param_int(record, "world_size", world->size);
    return record;
}

/* Each rank's share of the host's last-level cache, where its host has the most ranks. */
static double cache_share(const struct session *s) {
    const struct run *run = s->run;
    int most = 1;
    for (int r = 0; r < run->world->size; r++) {
        int here = 0;
        for (int q = 0; q < run->world->size; q++)
            here += run->places[q].host_key == run->places[r].host_key;
        most = here > most ? here : most;
    }
    return (double)s->cache_bytes / most;
}

/* Sizes inside a host: up to where the buffers of its ranks fill the last-level cache twice, and
 * close together where they begin not to fit. */
static struct part inside_part(double cache_share) {
    const double share = fmin(fmax(cache_share, 1 << 20), 64 << 20);
    const size_t top = (size_t)share / 4096 * 4096;
    return (struct part){false, PART_S, {8, 64 << 10, top / 8, top / 4, top / 2, top}, 6};
}

/* Sizes over the network: up to a message that takes some milliseconds, so that pairs which start
 * together also end together. A glance tells how large that is. */
static enum status network_part(struct session *s, struct transport *t,
                                const struct pair_scope *scope, struct part *out) {
    const struct group *world = s->run->world;
    const struct part glance = {true, GLANCE_S, {8, 128 << 10}, 2};
    json_t *record = new_record(world);
    struct link_rates rates = {0};
    double top = 1 << 20;
    const enum status st = measure_part(s, t, &glance, scope, record);
    if (st == ST_OK && world->rank == 0 &&
        link_rates_read(record, s->run->places, world->size, "probe", &rates))
        while (top < 8 << 20 && top < 6e-3 * 1e9 * rates.gb_s[LINK_NETWORK])
            top *= 2;
    json_decref(record);
    group_bcast(world, &top, sizeof top, 0);
    const size_t bytes = (size_t)top;
    *out = (struct part){true, PART_S, {8, 8 << 10, 128 << 10, bytes / 4, bytes}, 5};
    return st;
}

/* One probe's masks of pairs, and where it puts what it finds. */
struct probe {
    bool *alone, *loaded;
    struct link_source *out;
};

typedef enum status links_fn(struct session *s, struct transport *t, const struct probe *probe);

static enum status measure_warm(struct session *s, struct transport *t, const struct probe *probe) {
    const struct run *run = s->run;
    const int ranks = run->world->size;
    const struct pair_scope scope = {.alone = probe->alone, .loaded = probe->loaded};
    struct link_source *out = probe->out;
    json_t *record = new_record(run->world);
    enum status st = ST_OK;
    if (link_probe_choose(run->places, ranks, false, probe->alone, probe->loaded)) {
        const struct part part = inside_part(cache_share(s));
        st = measure_part(s, t, &part, &scope, record);
    }
    if (st == ST_OK && link_probe_choose(run->places, ranks, true, probe->alone, probe->loaded)) {
        struct part part;
        st = network_part(s, t, &scope, &part);
        if (st == ST_OK)
            st = measure_part(s, t, &part, &scope, record);
    }
    out->found = st == ST_OK && link_rates_read(record, run->places, ranks, "probe", &out->rates);
    json_decref(record);
    return st;
}

/* Fills the caches with something else: lines that were read and written, as computing leaves them,
 * and half as many again as the cache holds, since those that it drops are not always the oldest.
 */
struct displacer {
    char *lines;
    size_t bytes;
};

static void displace(void *arg) {
    enum { LINE = 64 };
    const struct displacer *d = arg;
    for (size_t i = 0; i < d->bytes; i += LINE)
        d->lines[i]++;
}

static enum status measure_cold(struct session *s, struct transport *t, const struct probe *probe) {
    const struct run *run = s->run;
    const int ranks = run->world->size;
    if (!link_probe_choose(run->places, ranks, false, probe->alone, probe->loaded))
        return ST_OK;
    const double share = cache_share(s);
    struct part part = inside_part(share);
    part.n_sizes--; /* the largest is in no cache anyway */
    struct displacer d = {.bytes = (size_t)fmax(1.5 * share, 4 << 20)};
    d.lines = calloc(d.bytes, 1);
    enum status st =
        group_agree(run->world, d.lines ? ST_OK : fail(ST_ENV, "out of memory to fill the caches"));
    const struct pair_scope scope = {
        .alone = probe->alone, .loaded = probe->loaded, .prepare = displace, .arg = &d};
    json_t *record = new_record(run->world);
    struct link_rates rates = {0};
    if (st == ST_OK)
        st = measure_part(s, t, &part, &scope, record);
    if (st == ST_OK && link_rates_read(record, run->places, ranks, "probe", &rates))
        memcpy(probe->out->rates.model.cold, rates.model.shared, sizeof rates.model.shared);
    json_decref(record);
    free(d.lines);
    return st;
}

/* Measures on a transport of its own, so that neither memory nor bytes are the case's. */
static enum status probe_links(struct session *s, const struct case_setup *setup, links_fn *links,
                               struct link_source *out) {
    const struct group *world = s->run->world;
    const size_t pairs = pair_count(world->size);
    struct mem_ledger ledger = {0};
    const struct transport_config config = {
        .algorithm = s->options.mpi_algo,
        .ledger = &ledger,
        .trace = s->run->trace,
        .world = world,
        .host_key = s->run->places[world->rank].host_key,
        .cache_bytes = s->cache_bytes,
    };
    struct transport *t = NULL;
    bool *masks = malloc(2 * pairs * sizeof *masks);
    enum status st =
        group_agree(world, masks ? ST_OK : fail(ST_ENV, "out of memory for a probe of links"));
    if (st == ST_OK)
        st = transport_open(setup->transport->row, &config, &t);
    if (st == ST_OK)
        st = links(s, t, &(struct probe){masks, masks + pairs, out});
    transport_close(t);
    free(masks);
    return st;
}

enum status link_probe(struct session *s, const struct case_setup *setup, struct link_source *out) {
    return probe_links(s, setup, measure_warm, out);
}

enum status link_probe_cold(struct session *s, const struct case_setup *setup,
                            struct link_source *out) {
    return probe_links(s, setup, measure_cold, out);
}

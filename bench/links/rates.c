#include "bench/links/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/op/pairs.h"
#include "results/record/record.h"
#include "results/stats/stats.h"

void link_hosts(const struct place *places, int ranks, int *host) {
    int n = 0;
    for (int r = 0; r < ranks; r++) {
        int q = 0;
        while (places[q].host_key != places[r].host_key)
            q++;
        host[r] = q < r ? host[q] : n++;
    }
}

static bool is(const json_t *object, const char *key, const char *text) {
    const char *value = record_str(object, NULL, key);
    return value && strcmp(value, text) == 0;
}

static bool read_pair(const json_t *pair, int ranks, int *a, int *b) {
    const json_t *first = json_object_get(pair, "a"), *second = json_object_get(pair, "b");
    const json_int_t i = json_integer_value(first), j = json_integer_value(second);
    *a = (int)i;
    *b = (int)j;
    return json_is_integer(first) && json_is_integer(second) && i >= 0 && j > i && j < ranks;
}

/* Whether the pairs of the record are joined as those of these ranks. */
static bool same_links(const json_t *pairs, const struct place *places, int ranks) {
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair) {
        int a, b;
        if (!read_pair(pair, ranks, &a, &b) ||
            !is(pair, "class", link_class_name(place_link(&places[a], &places[b]))))
            return false;
    }
    return json_array_size(pairs) > 0;
}

static bool read_curve(const json_t *points, struct link_curve *curve) {
    const size_t n = json_array_size(points);
    if (n == 0 || n > LINK_CURVE_POINTS)
        return false;
    *curve = (struct link_curve){.n = (int)n};
    for (size_t i = 0; i < n; i++) {
        const json_t *point = json_array_get(points, i);
        double *bytes = &curve->bytes[i], *seconds = &curve->seconds[i];
        if (!record_num(point, NULL, "bytes", bytes) ||
            !record_num(point, NULL, "median_s", seconds) || !(*bytes > 0) || !(*seconds > 0) ||
            (i > 0 && !(*bytes > curve->bytes[i - 1])))
            return false;
    }
    return true;
}

/* The curve of a class; false: there is none, or it is damaged. */
static bool find_curve(const json_t *links, enum link_class class, const char *mode,
                       const char *direction, struct link_curve *curve) {
    size_t i;
    json_t *link;
    json_array_foreach(links, i, link) {
        if (is(link, "class", link_class_name(class)) && is(link, "mode", mode) &&
            is(link, "direction", direction))
            return read_curve(json_object_get(link, "curve"), curve);
    }
    return false;
}

static int round_of(int ranks, int a, int b) {
    int round = 0;
    while (tournament_peer(ranks, round, a) != b)
        round++;
    return round;
}

/* Pairs of one round that cross a host's link, and what the slowest of them got. */
struct crossing {
    int pairs;
    double gb_s;
};

/* What a host's link carries in each direction, until the last of its pairs is done: of all hosts
 * and rounds, those with the most pairs at once, and of these the median. 0: unknown. Where ranks
 * share cores it can be less than one pair gets alone, which the link then carries, too. */
static double host_rate(const json_t *pairs, const struct place *places, int ranks) {
    const int rounds = tournament_rounds(ranks);
    struct crossing *all = calloc((size_t)ranks * (size_t)rounds, sizeof *all);
    int *host = calloc((size_t)ranks, sizeof *host);
    double *rates = calloc((size_t)ranks * (size_t)rounds, sizeof *rates), gb_s;
    size_t i, n = 0;
    int most = 0;
    json_t *pair;
    struct summary s = {0};
    if (!all || !host || !rates)
        goto out;
    link_hosts(places, ranks, host);
    json_array_foreach(pairs, i, pair) {
        int ends[2];
        read_pair(pair, ranks, &ends[0], &ends[1]);
        if (host[ends[0]] == host[ends[1]] ||
            !record_num(json_object_get(pair, "loaded"), NULL, "gb_s_both", &gb_s))
            continue;
        for (int end = 0; end < 2; end++) {
            struct crossing *c = &all[host[ends[end]] * rounds + round_of(ranks, ends[0], ends[1])];
            c->gb_s = c->pairs == 0 || gb_s < c->gb_s ? gb_s : c->gb_s;
            c->pairs++;
            most = c->pairs > most ? c->pairs : most;
        }
    }
    for (int k = 0; most > 0 && k < ranks * rounds; k++)
        if (all[k].pairs == most)
            rates[n++] = most * all[k].gb_s;
    if (n > 0)
        stats_summarise(rates, n, &s);
out:
    free(rates);
    free(host);
    free(all);
    return 1e9 * s.median;
}

/* Bytes a second of its largest message; 0: not measured. */
static double top_rate(const struct link_curve *c) {
    return c->n > 0 ? c->bytes[c->n - 1] / c->seconds[c->n - 1] : 0;
}

/* Latency alone, continued to larger messages, would be taken for bandwidth. */
static bool tells_bandwidth(const struct link_curve *c) {
    static const double LEAST_BYTES = 64 << 10;
    return c->n > 1 && c->bytes[c->n - 1] >= LEAST_BYTES;
}

static bool has_network(const struct place *places, int ranks) {
    for (int r = 1; r < ranks; r++)
        if (places[r].host_key != places[0].host_key)
            return true;
    return false;
}

bool link_rates_read(const json_t *record, const struct place *places, int ranks,
                     const char *source, struct link_rates *out) {
    const json_t *pairs = json_object_get(record, "pairs"),
                 *links = json_object_get(record, "links");
    double world = 0;
    *out = (struct link_rates){.source = source};
    if (!record_num(record, "params", "world_size", &world) || world != ranks ||
        !same_links(pairs, places, ranks))
        return false;
    bool any = false;
    for (int c = 0; c < LINK_CLASSES; c++) {
        const enum link_class class = (enum link_class)c;
        const bool network = class == LINK_NETWORK;
        struct link_curve alone, *needed = network ? &out->model.network : &out->model.shared[c];
        if (!find_curve(links, class, "isolated", "one", &alone))
            continue;
        if (network)
            *needed = alone;
        else if (!find_curve(links, class, "loaded", "both", needed))
            return false;
        if (!tells_bandwidth(needed))
            return false;
        out->gb_s[c] = top_rate(&alone) / 1e9;
        any = true;
    }
    if (has_network(places, ranks))
        out->model.host_bytes_per_s =
            fmax(host_rate(pairs, places, ranks), top_rate(&out->model.network));
    return any;
}

#include "bench/links/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/links/probe.h"
#include "bench/output/sink.h"
#include "results/record/record.h"

/* The table of all pairs that a probe makes grows with the square of the ranks. */
enum { MOST_RANKS = 256 };

static bool same_text(const json_t *record, const char *key, const char *text) {
    const char *value = record_str(record, "params", key);
    return value && strcmp(value, text) == 0;
}

/* Whether a record's machine, libraries and their settings are this run's; its revision need not
 * be. */
static bool same_machine(const struct session *s, const json_t *record) {
    static const char *const keys[] = {"host_class", "cpu", "topology", "mpi", "env"};
    const json_t *mine = s->run->sink->fingerprint, *its = json_object_get(record, "fingerprint");
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const json_t *a = json_object_get(mine, keys[k]), *b = json_object_get(its, keys[k]);
        if (a != b && !json_equal(a, b))
            return false;
    }
    return true;
}

/* A record that tells of the links as this case uses them. */
static bool suits(const struct session *s, const struct case_setup *setup, const json_t *record,
                  struct link_rates *out) {
    const struct run *run = s->run;
    return same_text(record, "op", "pairs") && !record_is_wrong(record) &&
           same_text(record, "transport", setup->transport->row->name) &&
           same_text(record, "wait", wait_policy_name(run->world->wait)) &&
           same_machine(s, record) &&
           link_rates_read(record, run->places, run->world->size, "pairs", out);
}

/* The last one in the run folder. Rank 0. */
static bool load(const struct session *s, const struct case_setup *setup, struct link_rates *out) {
    char path[4096];
    json_t *records = NULL;
    bool found = false;
    if (!s->options.save)
        return false;
    snprintf(path, sizeof path, "%s/records.jsonl", s->options.save);
    if (access(path, R_OK) != 0 || records_load(path, &records) != ST_OK)
        return false;
    for (size_t i = json_array_size(records); i-- > 0 && !found;)
        found = suits(s, setup, json_array_get(records, i), out);
    json_decref(records);
    return found;
}

static struct link_source *remembered(const struct session *s, const struct case_setup *setup) {
    struct link_source *source = s->sources;
    while (source && source->transport != setup->transport->row)
        source = source->next;
    return source;
}

/* NULL on all ranks without memory on one. Collective. */
static struct link_source *remember(struct session *s, const struct case_setup *setup) {
    struct link_source *source = malloc(sizeof *source);
    const enum status st =
        source ? ST_OK : fail(ST_ENV, "out of memory for the links of a transport");
    if (group_agree(s->run->world, st) != ST_OK) {
        free(source);
        return NULL;
    }
    *source = (struct link_source){.transport = setup->transport->row, .next = s->sources};
    return s->sources = source;
}

void link_sources_free(struct session *s) {
    for (struct link_source *source; (source = s->sources);) {
        s->sources = source->next;
        free(source);
    }
}

void link_rates_keep(struct session *s, const struct case_setup *setup, const json_t *record) {
    const struct group *world = s->run->world;
    struct link_rates rates;
    bool found = record && link_rates_read(record, s->run->places, world->size, "pairs", &rates);
    group_bcast(world, &found, sizeof found, 0);
    if (!found || s->options.link_rates != LINK_RATES_AUTO)
        return;
    struct link_source *source = remember(s, setup); /* before an older one */
    if (!source)
        return;
    source->found = true;
    if (record)
        source->rates = rates;
}

/* Looks for rates in a record, and else probes. */
static void fill(struct session *s, const struct case_setup *setup, struct link_source *source) {
    const struct group *world = s->run->world;
    if (world->rank == 0 && s->options.link_rates == LINK_RATES_AUTO)
        source->found = load(s, setup, &source->rates);
    bool found = source->found;
    group_bcast(world, &found, sizeof found, 0);
    if (!found && link_probe(s, setup, source) != ST_OK && world->rank == 0)
        warn("links could not be probed; no exchange time is predicted");
}

const struct link_rates *link_rates_find(struct session *s, const struct case_setup *setup,
                                         bool cold) {
    const struct group *world = s->run->world;
    if (world->size < 2 || world->size > MOST_RANKS || s->options.link_rates == LINK_RATES_OFF)
        return NULL;
    struct link_source *source = remembered(s, setup);
    if (!source) {
        source = remember(s, setup);
        if (!source)
            return NULL;
        fill(s, setup, source);
    }
    if (cold && !source->cold_done) {
        source->cold_done = true;
        if (link_probe_cold(s, setup, source) != ST_OK && world->rank == 0)
            warn("links could not be probed with cold caches; no exchange time is predicted");
    }
    return source->found ? &source->rates : NULL;
}

#include "bench/measure/setup.h"

#include <stdlib.h>
#include <string.h>

#include "bench/output/sink.h"
#include "bench/record/options.h"
#include "comm/wrap/tap.h"
#include "results/record/record.h"

enum status session_open(struct session *s, struct run *run) {
    const struct options *o = run->options;
    *s = (struct session){
        .run = run,
        .options = *o,
        .config =
            {
                .rel_ci = o->rel_ci,
                .min_samples = o->min_samples,
                .max_samples = o->max_samples,
                .max_time_s = o->max_time,
                .max_warmup_s = o->max_warmup,
            },
    };
    if (o->fault && fault_read(o->fault, &s->fault) && s->fault.rank >= run->world->size)
        return run->world->rank > 0 ? ST_USAGE
                                    : fail(ST_USAGE, "--fault %s: there are ranks 0 to %d",
                                           o->fault, run->world->size - 1);
    const int ranks = run->world->size, rank = run->world->rank;
    s->host_keys = malloc((size_t)ranks * sizeof *s->host_keys);
    enum status st = group_agree(
        run->world, s->host_keys ? ST_OK : fail(ST_ENV, "out of memory for %d ranks", ranks));
    if (st == ST_OK)
        st = group_split(run->world, places_crowd(run->places, ranks, rank), rank, &s->crowd);
    if (st != ST_OK)
        return st;
    s->config.crowd = &s->crowd;
    uint64_t cache_bytes = machine_cache_bytes(run->machine);
    group_max_u64(run->world, &cache_bytes, 1);
    s->cache_bytes = (size_t)cache_bytes;
    for (int r = 0; r < ranks; r++)
        s->host_keys[r] = run->places[r].host_key;
    return sweep_create(o, run->world->size, &s->sweep);
}

void session_close(struct session *s) {
    sweep_free(s->sweep);
    group_free(&s->crowd);
    free(s->host_keys);
}

struct measure_config case_config(const struct session *s) {
    struct measure_config config = s->config;
    config.sync = s->options.sync;
    return config;
}

static enum status wrap(struct setup *setup, struct session *s, bool tap) {
    if (s->fault.kind != FAULT_NONE) {
        struct transport *faulty = NULL;
        const enum status st =
            fault_open(setup->transport, &s->fault, s->run->world->rank, &s->exchanges, &faulty);
        if (st != ST_OK)
            return st;
        setup->transport = faulty;
    }
    if (!tap)
        return ST_OK;
    struct transport *tapped = NULL;
    const enum status st = tap_open(setup->transport, &tapped);
    if (st == ST_OK)
        setup->transport = setup->tap = tapped;
    return st;
}

enum status setup_open(struct setup *setup, struct session *s, const struct spread *spread,
                       bool tap) {
    *setup = (struct setup){0};
    enum status st = grid_init(&setup->grid, s->run->world, spread->sp_size, spread->dp_shard_size,
                               spread->placement);
    if (st != ST_OK)
        return st;
    const struct transport_config config = {
        .algorithm = algorithm_asked(&s->options),
        .ledger = &setup->ledger,
        .trace = s->run->trace,
        .world = s->run->world,
        .host_key = s->run->places[s->run->world->rank].host_key,
        .cache_bytes = s->cache_bytes,
    };
    st = transport_open(transport_asked(&s->options), &config, &setup->transport);
    if (st == ST_OK)
        st = wrap(setup, s, tap);
    st = group_agree(s->run->world, st);
    if (st == ST_OK)
        traffic_open(&setup->traffic, setup->transport, s->run->world, s->run->places);
    return st;
}

void setup_close(struct setup *setup) {
    traffic_close(&setup->traffic);
    transport_close(setup->transport);
    grid_free(&setup->grid);
}

struct hosts setup_hosts(const struct session *s, const struct setup *setup) {
    const struct process_grid *g = &setup->grid;
    return grid_sp_hosts(g->placement, g->sp_size, g->dp_shard_size, g->dp_rank,
                         (struct hosts){s->host_keys, 0, 1});
}

void setup_record(const struct session *s, const struct setup *setup, const char *const *scope,
                  const struct spread *spread, const char *algorithm, json_t *record) {
    options_record(&s->options, scope, record);
    record_param_int(record, "sp_size", spread->sp_size);
    record_param_int(record, "dp_shard_size", spread->dp_shard_size);
    record_param_int(record, "world_size", spread->ranks);
    record_param_str(record, "transport", setup->transport->row->name);
    if (setup->transport->chosen_as[0])
        record_param_str(record, "transport_reason", setup->transport->chosen_as);
    if (setup->transport->row->algorithm != ALGORITHM_UNUSED)
        record_param_str(record, "mpi_algo", algorithm_asked(&s->options));
    record_param_str(record, "algo", algorithm);
    record_param_str(record, "wait", wait_policy_name(setup->grid.world->wait));
}

void measurement_record(const struct measurement *m, json_t *record) {
    record_time(record, &m->time, m->converged, m->samples, m->time.n);
    record_metric_int(record, "invalid_samples", m->invalid);
    record_metric(record, "clock_error_s", m->clock_error_s);
    for (int p = 0; p <= PHASES; p++)
        if (m->phases[p] > 0)
            record_phase(record, phase_name((enum phase)p), m->phases[p]);
}

struct peaks peaks_over_ranks(const struct group *world, const struct mem_ledger *ledger) {
    uint64_t x[2 + MEM_CATEGORIES] = {ledger->total_peak, mem_rss_peak()};
    for (int c = 0; c < MEM_CATEGORIES; c++)
        x[2 + c] = ledger->peak[c];
    group_max_u64(world, x, 2 + MEM_CATEGORIES);
    struct peaks p = {x[0], x[1], {0}};
    memcpy(p.category, x + 2, sizeof p.category);
    return p;
}

enum status finish_record(struct session *s, json_t *record) {
    if (s->run->world->rank != 0) {
        json_decref(record);
        return ST_OK;
    }
    struct sweep_case c;
    enum status st = sweep_case(s->sweep, &s->options, &c);
    if (st == ST_OK)
        st = record_finish(record, c.vars, c.n, NULL);
    sweep_case_free(&c);
    if (st != ST_OK) {
        json_decref(record);
        return st;
    }
    return sink_record(s->run->sink, record);
}

#include "bench/session/case_setup.h"

#include "comm/wrap/tap.h"

static enum status wrap(struct case_setup *setup, struct session *s, bool tap) {
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

enum status case_setup_open(struct case_setup *setup, struct session *s,
                            const struct grid_shape *grid, bool tap) {
    *setup = (struct case_setup){0};
    enum status st =
        grid_init(&setup->grid, s->run->world, grid->sp_size, grid->dp_shard_size, grid->placement);
    if (st != ST_OK)
        return st;
    const struct transport_config config = {
        .algorithm = s->options.mpi_algo,
        .ledger = &setup->ledger,
        .trace = s->run->trace,
        .world = s->run->world,
        .host_key = s->run->places[s->run->world->rank].host_key,
        .cache_bytes = s->cache_bytes,
    };
    st = transport_open(s->options.transport, &config, &setup->transport);
    if (st == ST_OK)
        st = wrap(setup, s, tap);
    st = group_agree(s->run->world, st);
    if (st == ST_OK)
        traffic_open(&setup->traffic, setup->transport, s->run->world, s->run->places);
    return st;
}

void case_setup_close(struct case_setup *setup) {
    traffic_close(&setup->traffic);
    transport_close(setup->transport);
    grid_free(&setup->grid);
}

struct hosts case_setup_hosts(const struct session *s, const struct case_setup *setup) {
    const struct process_grid *g = &setup->grid;
    return grid_sp_hosts(g->placement, g->sp_size, g->dp_shard_size, g->dp_rank,
                         (struct hosts){s->host_keys, 0, 1});
}

#include "comm/plan/peer_bytes.h"

#include <stdlib.h>

static void add_up(const struct block *blocks, size_t n, uint64_t *bytes) {
    for (size_t i = 0; i < n; i++)
        bytes[blocks[i].peer] += block_bytes(&blocks[i]);
}

enum status peer_bytes_agree(const struct plan_spec *spec, struct peer_bytes *out) {
    const struct group *g = spec->group;
    const size_t size = (size_t)g->size;
    uint64_t *bytes = calloc(3 * size, sizeof *bytes);
    *out = (struct peer_bytes){bytes, bytes ? bytes + size : NULL};
    enum status st =
        bytes ? ST_OK : fail(ST_ENV, "out of memory for a plan over %d ranks", g->size);
    st = group_agree(g, st);
    if (st != ST_OK)
        return st;
    add_up(spec->send, spec->n_send, out->send);
    add_up(spec->recv, spec->n_recv, out->recv);
    uint64_t *announced = bytes + 2 * size;
    group_alltoall(g, out->send, announced, sizeof *announced);
    for (int p = 0; p < g->size && st == ST_OK; p++)
        if (announced[p] != out->recv[p])
            st = fail(
                ST_ENV,
                "exchange plan: rank %d sends %llu bytes to rank %d, which expects %llu; this "
                "is a bug in the exchange",
                p, (unsigned long long)announced[p], g->rank, (unsigned long long)out->recv[p]);
    return group_agree(g, st);
}

void peer_bytes_free(struct peer_bytes *bytes) {
    free(bytes->send);
    *bytes = (struct peer_bytes){0};
}

void plan_count(const struct plan_spec *spec, struct plan *plan) {
    plan->send_bytes = plan->own_bytes = 0;
    for (size_t i = 0; i < spec->n_send; i++) {
        const size_t bytes = block_bytes(&spec->send[i]);
        if (spec->send[i].peer == spec->group->rank)
            plan->own_bytes += bytes;
        else
            plan->send_bytes += bytes;
    }
}

#include "comm/op/pairs.h"

/* The last seat of an even number stays, the others turn around it: ranks whose numbers add up to
 * the round modulo n - 1 meet, and the one that would meet itself meets the last seat. With an odd
 * number of ranks that seat is empty. */
int tournament_rounds(int ranks) {
    return ranks < 2 ? 0 : ranks % 2 == 0 ? ranks - 1 : ranks;
}

int tournament_peer(int ranks, int round, int rank) {
    const int turning = tournament_rounds(ranks), last = turning;
    int peer;
    if (rank == last)
        peer = (int)((long)round * ((turning + 1) / 2) % turning); /* half of the round */
    else
        peer = ((round - rank) % turning + turning) % turning;
    if (peer == rank)
        peer = last;
    return peer < ranks ? peer : -1;
}

int pairs_sizes(size_t largest, size_t elem_bytes, size_t sizes[PAIRS_SIZES]) {
    int n = 0;
    for (size_t bytes = 8; bytes < largest && n < PAIRS_SIZES - 1; bytes *= 4)
        sizes[n++] = bytes;
    sizes[n++] = largest / elem_bytes * elem_bytes;
    return n > 1 && sizes[n - 1] == sizes[n - 2] ? n - 1 : n;
}

size_t pairs_volume(const size_t *sizes, int n_sizes, int ranks) {
    size_t sum = 0;
    for (int s = 0; s < n_sizes; s++)
        sum += sizes[s];
    return 2 * sum * (size_t)(ranks - 1);
}

enum status pairs_open(struct pairs *pairs, struct transport *t, struct group *group,
                       struct pattern pattern, const size_t *sizes, int n_sizes) {
    const size_t largest = sizes[n_sizes - 1];
    *pairs = (struct pairs){.transport = t,
                            .group = group,
                            .pattern = pattern,
                            .sizes = sizes,
                            .n_sizes = n_sizes,
                            .peer = -1};
    enum status st = buffer_alloc(t, MEM_EXCHANGE, largest, &pairs->send);
    st = group_agree(group, st);
    if (st == ST_OK)
        st = group_agree(group, buffer_alloc(t, MEM_EXCHANGE, largest, &pairs->recv));
    if (st == ST_OK)
        pattern_fill(&pattern, group->rank, 0, pairs->send.data, largest / pattern.elem_bytes);
    return st;
}

static void leave(struct pairs *pairs) {
    for (int s = pairs->n_sizes - 1; s >= 0; s--) {
        plan_free(pairs->plans[s].both);
        plan_free(pairs->plans[s].back);
        plan_free(pairs->plans[s].out);
        pairs->plans[s] = (struct pair_plans){0};
    }
}

void pairs_close(struct pairs *pairs) {
    if (!pairs->transport)
        return;
    leave(pairs);
    buffer_free(pairs->transport, &pairs->recv);
    buffer_free(pairs->transport, &pairs->send);
}

bool pairs_leads(const struct pairs *pairs) {
    return pairs->group->rank < pairs->peer;
}

/* One plan for all pairs of the round: each starts its own part when it likes. */
static enum status create(struct pairs *pairs, size_t bytes, bool sends, bool receives,
                          struct plan **out) {
    const bool plays = pairs->peer >= 0;
    const struct block send = {pairs->peer, &pairs->send, 0, 1, bytes, bytes};
    const struct block recv = {pairs->peer, &pairs->recv, 0, 1, bytes, bytes};
    const struct plan_spec spec = {pairs->group, TRAFFIC_SP,     &send,
                                   &recv,        plays && sends, plays && receives};
    return plan_create(pairs->transport, &spec, out);
}

enum status pairs_enter(struct pairs *pairs, int round) {
    enum status st = ST_OK;
    leave(pairs);
    pairs->peer = tournament_peer(pairs->group->size, round, pairs->group->rank);
    const bool leads = pairs_leads(pairs);
    for (int s = 0; s < pairs->n_sizes && st == ST_OK; s++) {
        struct pair_plans *plans = &pairs->plans[s];
        st = create(pairs, pairs->sizes[s], leads, !leads, &plans->out);
        if (st == ST_OK)
            st = create(pairs, pairs->sizes[s], !leads, leads, &plans->back);
        if (st == ST_OK)
            st = create(pairs, pairs->sizes[s], true, true, &plans->both);
    }
    return st;
}

void pairs_run(struct pairs *pairs, enum pair_direction direction, int size, size_t count) {
    const struct pair_plans *plans = &pairs->plans[size];
    for (size_t i = 0; i < count; i++) {
        if (direction == PAIR_BOTH) {
            plan_run(plans->both);
            continue;
        }
        plan_run(plans->out);
        plan_run(plans->back);
    }
}

static void poison(struct pairs *pairs, int size) {
    pattern_poison(pairs->recv.data, pairs->sizes[size]);
}

static uint64_t wrong(const struct pairs *pairs, int size) {
    return pattern_wrong(&pairs->pattern, pairs->peer, 0, pairs->recv.data,
                         pairs->sizes[size] / pairs->pattern.elem_bytes);
}

uint64_t pairs_verify(struct pairs *pairs) {
    uint64_t n = 0;
    for (int s = 0; s < pairs->n_sizes && pairs->peer >= 0; s++)
        for (int d = 0; d < PAIR_DIRECTIONS; d++) {
            poison(pairs, s);
            pairs_run(pairs, (enum pair_direction)d, s, 1);
            n += wrong(pairs, s);
        }
    return n;
}

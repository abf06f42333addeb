#include "attn/problem/work.h"

#include <stdlib.h>

/* Of the tokens that the rank's Ulysses group has together. */
static uint64_t visible_pairs(const struct problem *p, int ring_rank, int32_t *pos) {
    uint64_t pairs = 0;
    for (int u = 0; u < p->ulysses_size; u++) {
        problem_positions(p, usp_rank(p->inner, p->ulysses_size, p->ring_size, u, ring_rank), pos);
        pairs += mask_pairs_at(&p->mask, pos, problem_local_tokens(p), p->seq);
    }
    return pairs;
}

/* Of the rank's own, in all its sequences. */
static int64_t count_tokens(const struct problem *p, int sp_rank, int32_t *pos) {
    int64_t tokens = 0;
    problem_positions(p, sp_rank, pos);
    for (int i = 0; i < problem_local_tokens(p); i++)
        tokens += pos[i] != POS_NOWHERE;
    return tokens * p->batch;
}

enum status work_of_rank(const struct problem *p, int sp_rank, double *out) {
    int ulysses_rank, ring_rank;
    usp_coordinates(p->inner, p->ulysses_size, p->ring_size, sp_rank, &ulysses_rank, &ring_rank);
    const int heads = head_share(p->heads, p->kv_heads, p->ulysses_size, ulysses_rank).nq;
    int32_t *pos = malloc((size_t)problem_local_tokens(p) * sizeof *pos);
    if (!pos)
        return fail(ST_ENV, "out of memory for the positions of a rank");
    const uint64_t pairs = visible_pairs(p, ring_rank, pos);
    const int64_t tokens = count_tokens(p, sp_rank, pos);
    free(pos);
    *out = problem_part_flops(p, heads, pairs, tokens);
    return ST_OK;
}

enum status work_balance(const struct problem *p, double *out) {
    double sum = 0, most = 0;
    for (int r = 0; r < p->sp_size; r++) {
        double work;
        const enum status st = work_of_rank(p, r, &work);
        if (st != ST_OK)
            return st;
        sum += work;
        most = work > most ? work : most;
    }
    *out = most > 0 ? sum / p->sp_size / most : 1;
    return ST_OK;
}

/* allgather, reduce-scatter, and allreduce, which is one after the other. Sized by the whole
 * buffer, of which a rank's shard is one P-th; by shape, the shard is the rank's K/V. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/op.h"
#include "comm/pattern.h"
#include "comm/reduce.h"
#include "comm/volume.h"

enum { SHARD, WHOLE, STAGING };
enum { GATHER, SCATTER };

static size_t shard_bytes(const struct op_params *p, int ranks) {
    const size_t shard = p->by_shape ? local_kv_bytes(&p->shape) : p->bytes / (size_t)ranks;
    return whole_elements(shard, p->shape.elem_bytes);
}

static size_t whole_bytes(const struct op_params *p, int ranks) {
    return shard_bytes(p, ranks) * (size_t)ranks;
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    if (shard_bytes(p, ranks) > 0)
        return true;
    snprintf(why, why_size, "%zu bytes are less than one %zu-byte element for each of %d ranks",
             p->bytes, p->shape.elem_bytes, ranks);
    return false;
}

static size_t gather_volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return volume_allgather(shard_bytes(p, ranks), ranks);
}

static size_t scatter_volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return volume_reduce_scatter(shard_bytes(p, ranks), ranks);
}

static size_t allreduce_volume(const struct op_params *p, int ranks, int rank) {
    return gather_volume(p, ranks, rank) + scatter_volume(p, ranks, rank);
}

static size_t gather_memory(const struct op_params *p, int ranks, int rank, const char *algorithm) {
    (void)rank;
    (void)algorithm;
    return shard_bytes(p, ranks) + whole_bytes(p, ranks);
}

/* What arrives is kept apart until it is added up. */
static size_t scatter_memory(const struct op_params *p, int ranks, int rank,
                             const char *algorithm) {
    return gather_memory(p, ranks, rank, algorithm) + whole_bytes(p, ranks);
}

static struct pattern pattern_of(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_RAW, s->params.shape.elem_bytes};
}

static size_t shard_elements(const struct op_stage *s) {
    return shard_bytes(&s->params, s->group->size) / s->params.shape.elem_bytes;
}

static enum status create_buffers(struct op_stage *s, bool staging) {
    const size_t shard = shard_bytes(&s->params, s->group->size);
    const size_t whole = whole_bytes(&s->params, s->group->size);
    enum status st = stage_buffer(s, SHARD, shard);
    if (st == ST_OK)
        st = stage_buffer(s, WHOLE, whole);
    if (st == ST_OK && staging)
        st = stage_buffer(s, STAGING, whole);
    return st;
}

static enum status gather_plan(struct op_stage *s) {
    return allgather_plan(s->transport, s->group, TRAFFIC_SP, &s->buffers[SHARD], 0,
                          &s->buffers[WHOLE], 0, s->buffers[SHARD].bytes, &s->plans[GATHER]);
}

static enum status scatter_plan(struct op_stage *s) {
    return reduce_scatter_plan(s->transport, s->group, TRAFFIC_SP, &s->buffers[WHOLE], 0,
                               &s->buffers[STAGING], s->buffers[SHARD].bytes, &s->plans[SCATTER]);
}

static enum status gather_create(struct op_stage *s) {
    const enum status st = create_buffers(s, false);
    return st == ST_OK ? gather_plan(s) : st;
}

static enum status scatter_create(struct op_stage *s) {
    const enum status st = create_buffers(s, true);
    return st == ST_OK ? scatter_plan(s) : st;
}

static enum status allreduce_create(struct op_stage *s) {
    const enum status st = scatter_create(s);
    return st == ST_OK ? gather_plan(s) : st;
}

static void gather_fill(struct op_stage *s) {
    const struct pattern p = pattern_of(s);
    pattern_fill(&p, s->group->rank, 0, s->buffers[SHARD].data, shard_elements(s));
    pattern_poison(s->buffers[WHOLE].data, s->buffers[WHOLE].bytes);
}

static void scatter_fill(struct op_stage *s) {
    const struct pattern p = pattern_of(s);
    pattern_fill(&p, s->group->rank, 0, s->buffers[WHOLE].data,
                 s->buffers[WHOLE].bytes / p.elem_bytes);
    pattern_poison(s->buffers[SHARD].data, s->buffers[SHARD].bytes);
    pattern_poison(s->buffers[STAGING].data, s->buffers[STAGING].bytes);
}

static void gather_run(struct op_stage *s) {
    plan_run(s->plans[GATHER]);
}

static void scatter_run(struct op_stage *s) {
    plan_run(s->plans[SCATTER]);
    trace_begin(s->transport->trace, PHASE_ACCUMULATE);
    reduce_slots(s->buffers[SHARD].data, s->buffers[STAGING].data, s->group->size,
                 shard_elements(s), s->params.shape.elem_bytes);
    trace_end(s->transport->trace);
}

static void allreduce_run(struct op_stage *s) {
    scatter_run(s);
    gather_run(s);
}

static uint64_t gather_verify(struct op_stage *s) {
    const struct pattern p = pattern_of(s);
    const size_t n = shard_elements(s);
    uint64_t wrong = 0;
    gather_fill(s);
    gather_run(s);
    for (int q = 0; q < s->group->size; q++)
        wrong += pattern_wrong(
            &p, q, 0, (const char *)s->buffers[WHOLE].data + (size_t)q * n * p.elem_bytes, n);
    return wrong;
}

/* Elements of result that differ from the sum, over ranks in order, of their elements [first, first
 * + n). Regenerated a few at a time: the check needs little memory at any size. */
static uint64_t sums_wrong(const struct op_stage *s, const char *result, size_t first, size_t n) {
    enum { CHUNK = 4096 };
    const struct pattern p = pattern_of(s);
    const size_t ranks = (size_t)s->group->size;
    char *slots = malloc(ranks * CHUNK * p.elem_bytes);
    if (!slots) {
        fail(ST_ENV, "out of memory for verification");
        return n;
    }
    uint64_t wrong = 0;
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t piece = n - at < CHUNK ? n - at : CHUNK;
        for (size_t q = 0; q < ranks; q++)
            pattern_fill(&p, (int)q, first + at, slots + q * piece * p.elem_bytes, piece);
        reduce_slots(slots, slots, (int)ranks, piece, p.elem_bytes);
        wrong += rows_differ(slots, result + at * p.elem_bytes, piece, p.elem_bytes);
    }
    free(slots);
    return wrong;
}

static uint64_t scatter_verify(struct op_stage *s) {
    const size_t n = shard_elements(s);
    scatter_fill(s);
    scatter_run(s);
    return sums_wrong(s, s->buffers[SHARD].data, (size_t)s->group->rank * n, n);
}

static uint64_t allreduce_verify(struct op_stage *s) {
    scatter_fill(s);
    allreduce_run(s);
    return sums_wrong(s, s->buffers[WHOLE].data, 0, shard_elements(s) * (size_t)s->group->size);
}

const struct stage_ops stage_allgather = {supports,      whole_bytes,   shard_bytes,
                                          gather_volume, gather_memory, gather_create,
                                          gather_fill,   gather_run,    gather_verify};
const struct stage_ops stage_reduce_scatter = {supports,       whole_bytes,    shard_bytes,
                                               scatter_volume, scatter_memory, scatter_create,
                                               scatter_fill,   scatter_run,    scatter_verify};
const struct stage_ops stage_allreduce = {supports,         whole_bytes,    shard_bytes,
                                          allreduce_volume, scatter_memory, allreduce_create,
                                          scatter_fill,     allreduce_run,  allreduce_verify};

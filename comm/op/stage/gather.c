/* allgather, reduce-scatter, and allreduce, which is one after the other. Sized by the whole
 * buffer, of which a rank's shard is one P-th. By shape, what is gathered is K/V, what is summed is
 * dK/dV in the gradients' type, and the backward pass of allgather is what a layer's is: K/V
 * gathered again, then dK/dV scattered as sums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/op/data/pattern.h"
#include "comm/op/data/reduce.h"
#include "comm/op/stage/stage.h"
#include "comm/shape/volume.h"

enum { SHARD, WHOLE, SUM_SHARD, SUM_WHOLE, STAGING };
enum { GATHER, SCATTER };

static size_t shard_elements(const struct op_params *p, int ranks) {
    return (p->by_shape ? local_kv_bytes(&p->shape) : p->bytes / (size_t)ranks) /
           p->shape.elem_bytes;
}

/* Bytes of an element that is summed. */
static size_t sum_elem_bytes(const struct op_params *p) {
    return p->by_shape ? p->shape.grad_bytes : p->shape.elem_bytes;
}

static size_t shard_bytes(const struct op_params *p, int ranks) {
    return shard_elements(p, ranks) * p->shape.elem_bytes;
}

static size_t whole_bytes(const struct op_params *p, int ranks) {
    return shard_bytes(p, ranks) * (size_t)ranks;
}

static size_t sum_shard_bytes(const struct op_params *p, int ranks) {
    return shard_elements(p, ranks) * sum_elem_bytes(p);
}

static size_t sum_whole_bytes(const struct op_params *p, int ranks) {
    return sum_shard_bytes(p, ranks) * (size_t)ranks;
}

static size_t backward_whole_bytes(const struct op_params *p, int ranks) {
    return sum_whole_bytes(p, ranks) + (p->by_shape ? whole_bytes(p, ranks) : 0);
}

static size_t backward_shard_bytes(const struct op_params *p, int ranks) {
    return sum_shard_bytes(p, ranks) + (p->by_shape ? shard_bytes(p, ranks) : 0);
}

static bool supports(const struct op_params *p, int ranks, char *why, size_t why_size) {
    if (shard_elements(p, ranks) > 0)
        return true;
    snprintf(why, why_size, "%zu bytes are less than one %zu-byte element for each of %d ranks",
             p->bytes, p->shape.elem_bytes, ranks);
    return false;
}

static size_t gather_volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return p->by_shape ? volume_kv_gather_forward(&p->shape)
                       : volume_allgather(shard_bytes(p, ranks), ranks);
}

static size_t scatter_volume(const struct op_params *p, int ranks, int rank) {
    (void)rank;
    return volume_reduce_scatter(sum_shard_bytes(p, ranks), ranks);
}

static size_t backward_volume(const struct op_params *p, int ranks, int rank) {
    return p->by_shape ? volume_kv_gather_backward(&p->shape) : scatter_volume(p, ranks, rank);
}

static size_t allreduce_volume(const struct op_params *p, int ranks, int rank) {
    return scatter_volume(p, ranks, rank) + volume_allgather(sum_shard_bytes(p, ranks), ranks);
}

static size_t gather_memory(const struct op_params *p, int ranks, int rank,
                            const struct staging *how) {
    (void)rank;
    (void)how;
    return shard_bytes(p, ranks) + whole_bytes(p, ranks);
}

/* What arrives is kept apart until it is added up. */
static size_t scatter_memory(const struct op_params *p, int ranks, int rank,
                             const struct staging *how) {
    (void)rank;
    (void)how;
    return sum_shard_bytes(p, ranks) + 2 * sum_whole_bytes(p, ranks);
}

static size_t backward_memory(const struct op_params *p, int ranks, int rank,
                              const struct staging *how) {
    return scatter_memory(p, ranks, rank, how) +
           (p->by_shape ? gather_memory(p, ranks, rank, how) : 0);
}

static struct pattern gather_pattern(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_RAW, s->params.shape.elem_bytes};
}

static struct pattern sum_pattern(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_DO, sum_elem_bytes(&s->params)};
}

static size_t my_elements(const struct op_stage *s) {
    return shard_elements(&s->params, s->group->size);
}

static enum status gather_plan(struct op_stage *s, int shard, int whole) {
    return allgather_plan(s->transport, s->group, TRAFFIC_SP, &s->buffers[shard], 0,
                          &s->buffers[whole], 0, s->buffers[shard].bytes, &s->plans[GATHER]);
}

static enum status gather_create(struct op_stage *s) {
    const struct buffer_size sizes[] = {{SHARD, shard_bytes(&s->params, s->group->size)},
                                        {WHOLE, whole_bytes(&s->params, s->group->size)}};
    const enum status st = stage_buffers(s, sizes, 2);
    return st == ST_OK ? gather_plan(s, SHARD, WHOLE) : st;
}

static enum status scatter_create(struct op_stage *s) {
    const size_t whole = sum_whole_bytes(&s->params, s->group->size);
    const struct buffer_size sizes[] = {{SUM_SHARD, sum_shard_bytes(&s->params, s->group->size)},
                                        {SUM_WHOLE, whole},
                                        {STAGING, whole}};
    const enum status st = stage_buffers(s, sizes, 3);
    if (st != ST_OK)
        return st;
    return reduce_scatter_plan(s->transport, s->group, TRAFFIC_SP, &s->buffers[SUM_WHOLE], 0,
                               &s->buffers[STAGING], s->buffers[SUM_SHARD].bytes,
                               &s->plans[SCATTER]);
}

static enum status backward_create(struct op_stage *s) {
    const enum status st = s->params.by_shape ? gather_create(s) : ST_OK;
    return st == ST_OK ? scatter_create(s) : st;
}

static enum status allreduce_create(struct op_stage *s) {
    const enum status st = scatter_create(s);
    return st == ST_OK ? gather_plan(s, SUM_SHARD, SUM_WHOLE) : st;
}

static void gather_fill(struct op_stage *s) {
    const struct pattern p = gather_pattern(s);
    pattern_fill(&p, s->group->rank, 0, s->buffers[SHARD].data, my_elements(s));
    pattern_poison(s->buffers[WHOLE].data, s->buffers[WHOLE].bytes);
}

static void scatter_fill(struct op_stage *s) {
    const struct pattern p = sum_pattern(s);
    pattern_fill(&p, s->group->rank, 0, s->buffers[SUM_WHOLE].data,
                 s->buffers[SUM_WHOLE].bytes / p.elem_bytes);
    pattern_poison(s->buffers[SUM_SHARD].data, s->buffers[SUM_SHARD].bytes);
    pattern_poison(s->buffers[STAGING].data, s->buffers[STAGING].bytes);
}

static void backward_fill(struct op_stage *s) {
    if (s->params.by_shape)
        gather_fill(s);
    scatter_fill(s);
}

static void gather_run(struct op_stage *s) {
    plan_run(s->plans[GATHER]);
}

static void scatter_run(struct op_stage *s) {
    plan_run(s->plans[SCATTER]);
    trace_begin(s->transport->trace, PHASE_ACCUMULATE);
    reduce_slots(s->buffers[SUM_SHARD].data, s->buffers[STAGING].data, s->group->size,
                 my_elements(s), sum_elem_bytes(&s->params));
    trace_end(s->transport->trace);
}

static void backward_run(struct op_stage *s) {
    if (s->params.by_shape)
        gather_run(s);
    scatter_run(s);
}

static void allreduce_run(struct op_stage *s) {
    scatter_run(s);
    gather_run(s);
}

static uint64_t gathered_wrong(const struct op_stage *s) {
    const struct pattern p = gather_pattern(s);
    const size_t n = my_elements(s);
    uint64_t wrong = 0;
    for (int q = 0; q < s->group->size; q++)
        wrong += pattern_wrong(
            &p, q, 0, (const char *)s->buffers[WHOLE].data + (size_t)q * n * p.elem_bytes, n);
    return wrong;
}

static uint64_t gather_verify(struct op_stage *s) {
    gather_fill(s);
    gather_run(s);
    return gathered_wrong(s);
}

/* Elements of result that differ from the sum, over ranks in order, of their elements [first, first
 * + n). Regenerated a few at a time: the check needs little memory at any size. */
static uint64_t sums_wrong(const struct op_stage *s, const char *result, size_t first, size_t n) {
    enum { CHUNK = 4096 };
    const struct pattern p = sum_pattern(s);
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

/* This rank's shard of the sums. */
static uint64_t scattered_wrong(const struct op_stage *s) {
    const size_t n = my_elements(s);
    return sums_wrong(s, s->buffers[SUM_SHARD].data, (size_t)s->group->rank * n, n);
}

static uint64_t scatter_verify(struct op_stage *s) {
    scatter_fill(s);
    scatter_run(s);
    return scattered_wrong(s);
}

static uint64_t backward_verify(struct op_stage *s) {
    backward_fill(s);
    backward_run(s);
    return scattered_wrong(s) + (s->params.by_shape ? gathered_wrong(s) : 0);
}

static uint64_t allreduce_verify(struct op_stage *s) {
    scatter_fill(s);
    allreduce_run(s);
    return sums_wrong(s, s->buffers[SUM_WHOLE].data, 0, my_elements(s) * (size_t)s->group->size);
}

static const struct stage_ops stage_allgather = {supports,      whole_bytes,   shard_bytes,
                                                 gather_volume, gather_memory, gather_create,
                                                 gather_fill,   gather_run,    gather_verify};
static const struct stage_ops stage_allgather_backward = {
    supports,        backward_whole_bytes, backward_shard_bytes, backward_volume, backward_memory,
    backward_create, backward_fill,        backward_run,         backward_verify};
static const struct stage_ops stage_reduce_scatter = {
    supports,       sum_whole_bytes, sum_shard_bytes, scatter_volume, scatter_memory,
    scatter_create, scatter_fill,    scatter_run,     scatter_verify};
static const struct stage_ops stage_allreduce = {
    supports,         sum_whole_bytes, sum_shard_bytes, allreduce_volume, scatter_memory,
    allreduce_create, scatter_fill,    allreduce_run,   allreduce_verify};

const struct op_row op_allgather = {
    .name = "allgather",
    .help = "shards gathered whole; backward reduce-scatter, by shape after K/V again",
    .forward = &stage_allgather,
    .backward = &stage_allgather_backward,
};

const struct op_row op_reduce_scatter = {
    .name = "reduce-scatter",
    .help = "sums scattered as shards; backward allgather",
    .forward = &stage_reduce_scatter,
    .backward = &stage_allgather,
};

const struct op_row op_allreduce = {
    .name = "allreduce",
    .help = "reduce-scatter, then allgather",
    .forward = &stage_allreduce,
    .backward = &stage_allreduce,
};

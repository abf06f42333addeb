#include "comm/plan/kv_gather.h"

#include <stdlib.h>

size_t kv_heads_elements(const struct kv_heads *h) {
    return 2 * (size_t)h->batch * (size_t)h->tokens * (size_t)h->n * (size_t)h->head_dim;
}

/* Half 0 is K, half 1 is V. */
static struct block token_side(const struct kv_heads *h, const struct buffer *kv, int half,
                               int peer, size_t elem) {
    const size_t head = (size_t)h->head_dim * elem, row = (size_t)h->kv_heads * head;
    const size_t rows = (size_t)h->batch * (size_t)h->tokens;
    return (struct block){
        peer, kv, (size_t)half * rows * row + (size_t)h->head0 * head, rows, (size_t)h->n * head,
        row};
}

static struct block whole_side(const struct kv_heads *h, const struct buffer *whole, int half,
                               int peer, int ranks, size_t elem) {
    const size_t part = (size_t)h->tokens * (size_t)h->n * (size_t)h->head_dim * elem;
    const size_t all = (size_t)ranks * part, batch = (size_t)h->batch;
    return (struct block){peer,  whole, (size_t)half * batch * all + (size_t)peer * part,
                          batch, part,  all};
}

static struct block slot_side(const struct kv_heads *h, const struct buffer *slots, int half,
                              int peer, size_t elem) {
    const size_t bytes = kv_heads_elements(h) / 2 * elem;
    return (struct block){peer, slots, (size_t)(2 * peer + half) * bytes, 1, bytes, bytes};
}

static enum status plan(struct transport *t, struct group *group, struct block *blocks,
                        struct plan **out) {
    const size_t n = 2 * (size_t)group->size;
    const struct plan_spec spec = {group, TRAFFIC_SP, blocks, blocks + n, n, n};
    const enum status st = plan_create(t, &spec, out);
    free(blocks);
    return st;
}

/* Send blocks, then as many receive blocks: two to and from each rank. */
static enum status alloc_blocks(struct group *group, struct block **out) {
    *out = calloc(4 * (size_t)group->size, sizeof **out);
    const enum status st =
        group_agree(group, *out ? ST_OK : fail(ST_ENV, "out of memory for an exchange"));
    if (st != ST_OK)
        free(*out);
    return st;
}

/* All of K, then all of V: what goes to several ranks stands together. */
enum status kv_gather_plan(struct transport *t, struct group *group, const struct kv_heads *h,
                           size_t elem_bytes, const struct buffer *kv, const struct buffer *whole,
                           struct plan **out) {
    struct block *blocks;
    const int ranks = group->size;
    const enum status st = alloc_blocks(group, &blocks);
    if (st != ST_OK)
        return st;
    for (int half = 0; half < 2; half++)
        for (int q = 0; q < ranks; q++) {
            blocks[half * ranks + q] = token_side(h, kv, half, q, elem_bytes);
            blocks[(2 + half) * ranks + q] = whole_side(h, whole, half, q, ranks, elem_bytes);
        }
    return plan(t, group, blocks, out);
}

enum status kv_scatter_plan(struct transport *t, struct group *group, const struct kv_heads *h,
                            size_t elem_bytes, const struct buffer *whole,
                            const struct buffer *slots, struct plan **out) {
    struct block *blocks;
    const int ranks = group->size;
    const enum status st = alloc_blocks(group, &blocks);
    if (st != ST_OK)
        return st;
    for (int q = 0; q < ranks; q++)
        for (int half = 0; half < 2; half++) {
            blocks[2 * q + half] = whole_side(h, whole, half, q, ranks, elem_bytes);
            blocks[2 * (ranks + q) + half] = slot_side(h, slots, half, q, elem_bytes);
        }
    return plan(t, group, blocks, out);
}

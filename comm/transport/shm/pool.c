#include "comm/transport/shm/pool.h"

#include <stdlib.h>

/* Processors fetch lines in pairs: buffers that share one would disturb each other. */
enum { ALIGNMENT = 128 };

static const size_t SLAB_BYTES = (size_t)1 << 20;

/* Larger buffers have a slab to themselves. */
static const size_t SMALL_BYTES = (size_t)1 << 17;

/* A new slab at *link. */
static enum status add_slab(struct shm_slab **link, size_t bytes) {
    struct shm_slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return fail(ST_ENV, "out of memory for a buffer");
    const enum status st = shm_segment_create(bytes, &slab->segment);
    if (st != ST_OK) {
        free(slab);
        return st;
    }
    slab->next = *link;
    *link = slab;
    return ST_OK;
}

static bool fits(const struct shm_slab *slab, size_t bytes) {
    return slab && slab->used <= slab->segment.bytes && bytes <= slab->segment.bytes - slab->used;
}

enum status shm_pool_alloc(struct shm_pool *pool, size_t bytes, struct shm_piece *out) {
    const bool small = bytes <= SMALL_BYTES;
    /* A large one stands behind the slab that is filled. */
    struct shm_slab **link = small || !pool->slabs ? &pool->slabs : &pool->slabs->next;
    if (!small || !fits(*link, bytes)) {
        const enum status st = add_slab(link, small ? SLAB_BYTES : bytes);
        if (st != ST_OK)
            return st;
    }
    struct shm_slab *slab = *link;
    *out = (struct shm_piece){slab, slab->used};
    slab->used += (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT; /* at least one, also of nothing */
    slab->live++;
    return ST_OK;
}

void shm_pool_free(struct shm_pool *pool, struct shm_piece piece) {
    struct shm_slab **link = &pool->slabs;
    while (*link != piece.slab)
        link = &(*link)->next;
    if (--piece.slab->live > 0)
        return;
    *link = piece.slab->next;
    shm_segment_free(&piece.slab->segment);
    free(piece.slab);
}

/* Shared memory for buffers: large ones have a segment of their own, small ones share one, since
 * each segment costs an open file. */
#ifndef SPB_COMM_TRANSPORT_SHM_POOL_H
#define SPB_COMM_TRANSPORT_SHM_POOL_H

#include "comm/transport/shm/segment.h"

/* A segment and the buffers in it. */
struct shm_slab {
    struct shm_segment segment;
    struct shm_slab *next;
    size_t used; /* bytes handed out since it was last empty */
    size_t live; /* buffers in it */
};

/* Zero-initialise. */
struct shm_pool {
    struct shm_slab *slabs; /* the one that is filled stands first */
};

/* Where a buffer lies. */
struct shm_piece {
    struct shm_slab *slab;
    size_t offset; /* bytes from the start of the slab's segment */
};

/* bytes of shared memory, contents undefined. ST_ENV, logged, when there is none. */
enum status shm_pool_alloc(struct shm_pool *pool, size_t bytes, struct shm_piece *out);
void shm_pool_free(struct shm_pool *pool, struct shm_piece piece);

static inline char *shm_piece_data(struct shm_piece piece) {
    return (char *)piece.slab->segment.data + piece.offset;
}

#endif

#include "comm/transport/shm/shm.h"

#include <stdio.h>
#include <stdlib.h>

#include "comm/ranks/host_map.h"
#include "comm/transport/shm/plan.h"

static enum status shm_alloc(struct transport *t, enum mem_category category, size_t bytes,
                             struct buffer *out) {
    struct shm_buffer *b = malloc(sizeof *b);
    if (!b)
        return fail(ST_ENV, "out of memory for a buffer");
    b->category = category;
    const enum status st = shm_pool_alloc(&((struct shm_transport *)t)->pool, bytes, &b->piece);
    if (st != ST_OK) {
        free(b);
        return st;
    }
    mem_note(t->ledger, category, MEM_SHARED, (ptrdiff_t)bytes);
    *out = (struct buffer){shm_piece_data(b->piece), bytes, b};
    return ST_OK;
}

static void shm_free(struct transport *t, struct buffer *buffer) {
    struct shm_buffer *b = buffer->handle;
    mem_note(t->ledger, b->category, MEM_SHARED, -(ptrdiff_t)buffer->bytes);
    shm_pool_free(&((struct shm_transport *)t)->pool, b->piece);
    free(b);
}

static const char *shm_algorithm(const struct plan *plan) {
    return ((const struct shm_plan *)plan)->push ? "push" : "pull";
}

static void shm_close(struct transport *t) {
    struct shm_transport *shm = (struct shm_transport *)t;
    shm_segment_free(&shm->bell);
    free(shm);
}

static const struct transport_ops shm_ops = {
    .alloc = shm_alloc,
    .free = shm_free,
    .plan_create = shm_plan_create,
    .plan_start = shm_plan_start,
    .plan_progress = shm_plan_progress,
    .plan_wait = shm_plan_wait,
    .plan_free = shm_plan_free,
    .algorithm = shm_algorithm,
    .close = shm_close,
};

static bool shm_reaches(const struct transport_config *config, char *why, size_t why_size) {
    struct host_map map;
    if (host_map_create(config->world, config->host_key, &map) != ST_OK) {
        snprintf(why, why_size, "out of memory");
        return false;
    }
    const bool shares = host_map_shares(&map, config->world->size, why, why_size);
    host_map_free(&map);
    return shares;
}

static struct staging_rule shm_staging(const struct mpi_algorithm *algorithm, bool one_host) {
    (void)algorithm;
    (void)one_host;
    return (struct staging_rule){STAGED_NOTHING, false};
}

static enum status shm_open(const struct transport_config *config, struct transport **out) {
    struct host_map map;
    enum status st = host_map_create(config->world, config->host_key, &map);
    if (st != ST_OK)
        return st;
    const int ranks_here = map.ranks_here;
    host_map_free(&map);
    struct shm_transport *shm = calloc(1, sizeof *shm);
    if (!shm)
        return fail(ST_ENV, "out of memory for the shm transport");
    shm->base =
        (struct transport){.ops = &shm_ops, .ledger = config->ledger, .trace = config->trace};
    shm->cache_bytes = config->cache_bytes ? config->cache_bytes : (size_t)32 << 20;
    shm->ranks_here = ranks_here;
    st = shm_segment_create(sizeof(struct shm_bell), &shm->bell);
    if (st != ST_OK) {
        free(shm);
        return st;
    }
    *out = &shm->base;
    return ST_OK;
}

const struct transport_row transport_shm = {
    .name = "shm",
    .help = "copies straight from the sender's memory, on one host",
    .one_host = true,
    .available = shared_memory_works,
    .reaches = shm_reaches,
    .staging = shm_staging,
    .open = shm_open,
};

#include "tests/attn/method/sp_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/comm/rows.h"

int ranks_per_host(const char *exchange, int ranks) {
    const char *number = strchr(exchange, ':');
    const int n = number ? atoi(number + 1) : ranks;
    return n < ranks ? n : ranks;
}

void run_prepare(struct run *r, const struct problem *p, struct group *world,
                 const char *exchange) {
    *r = (struct run){0};
    const bool pull = strcmp(exchange, "pull") == 0;
    const int per_host = ranks_per_host(exchange, world->size);
    const char *transport = pull ? "shm" : strchr(exchange, ':') ? "hybrid" : "mpi";
    const char *algorithm = strcmp(transport, "mpi") == 0 ? exchange : "auto";
    for (int i = 0; i < world->size; i++)
        r->host_keys[i] = 1 + (uint64_t)(i / per_host);
    r->staging = transport_staging(transport_named(transport), algorithm_named(algorithm),
                                   per_host >= world->size);
    const struct transport_config config = {.algorithm = algorithm_named(algorithm),
                                            .ledger = &r->ledger,
                                            .trace = &r->trace,
                                            .world = world,
                                            .host_key = r->host_keys[world->rank]};
    const struct compute_config cpu = {p->dtype, p->head_dim, 1, "auto"};
    assert_int_equal(compute_open(&cpu_compute, &cpu, &r->compute), ST_OK);
    assert_int_equal(transport_open(transport_named(transport), &config, &r->transport), ST_OK);
    assert_int_equal(grid_init(&r->grid, world, p->sp_size, p->dp_shard_size, p->placement), ST_OK);
}

void run_open(struct run *r, const struct problem *p, const struct sp_method *method,
              struct group *world, const char *exchange,
              struct transport *(*wrap)(struct transport *inner)) {
    run_prepare(r, p, world, exchange);
    if (wrap)
        r->transport = wrap(r->transport);
    assert_int_equal(
        layer_open(&r->layer, p, method, r->compute, r->transport, &r->grid, &r->ledger), ST_OK);
}

void run_close(struct run *r) {
    layer_close(&r->layer);
    grid_free(&r->grid);
    transport_close(r->transport);
    compute_close(r->compute);
    assert_int_equal(r->ledger.total_now, 0);
}

void run_pass(struct run *r) {
    const struct problem *p = &r->layer.attention.problem;
    if (p->forward)
        layer_forward(&r->layer);
    if (p->backward)
        layer_backward(&r->layer);
}

bool memory_is_predicted(const struct run *r, const struct algorithm_list *planned, char *why,
                         size_t why_size) {
    const struct attention *a = &r->layer.attention;
    const struct attn_piece piece = predict_piece(&a->problem, a->method, r->grid.sp_rank);
    const struct compute_config config = {a->problem.dtype, piece.head_dim, a->dev->threads,
                                          "auto"};
    const struct process_grid *g = &r->grid;
    const struct hosts world = {r->host_keys, 0, 1};
    const struct predict_env env = {
        .sp_rank = r->grid.sp_rank,
        .world_size = r->grid.world->size,
        .workspace_bytes = a->compute->row->workspace_bytes(&config, &piece),
        .staging = {r->staging, planned,
                    grid_sp_hosts(g->placement, g->sp_size, g->dp_shard_size, g->dp_rank, world)},
    };
    struct mem_predict predicted;
    predict_memory(&a->problem, a->method, &env, &predicted);
    for (int c = 0; c < MEM_CATEGORIES; c++)
        if (r->ledger.peak[c] != predicted.bytes[c]) {
            snprintf(why, why_size, "%s: %zu bytes used, %zu predicted by %s",
                     mem_category_name((enum mem_category)c), r->ledger.peak[c], predicted.bytes[c],
                     planned ? planned->text : "what is known before");
            return false;
        }
    return true;
}

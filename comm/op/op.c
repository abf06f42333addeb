#include "comm/op/op.h"

const char *op_pass_name(enum op_pass pass) {
    static const char *const names[] = {
        [OP_FORWARD] = "fwd", [OP_BACKWARD] = "bwd", [OP_BOTH] = "fwdbwd"};
    return names[pass];
}

/* The stages of a pass, in order; returns their number. */
static int stages_of(const struct op_row *row, enum op_pass pass, const struct stage_ops *out[2]) {
    int n = 0;
    if (pass & OP_FORWARD)
        out[n++] = row->forward;
    if (pass & OP_BACKWARD)
        out[n++] = row->backward;
    return n;
}

bool op_supports(const struct op_row *row, enum op_pass pass, const struct op_params *p, int ranks,
                 char *why, size_t why_size) {
    const struct stage_ops *stages[2];
    const int n = stages_of(row, pass, stages);
    for (int i = 0; i < n; i++)
        if (!stages[i]->supports(p, ranks, why, why_size))
            return false;
    return true;
}

size_t op_send_buffer(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      int ranks) {
    const struct stage_ops *stages[2];
    const int n = stages_of(row, pass, stages);
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += stages[i]->send_buffer(p, ranks);
    return bytes;
}

size_t op_per_peer(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                   int ranks) {
    const struct stage_ops *stages[2];
    stages_of(row, pass, stages);
    return stages[0]->per_peer ? stages[0]->per_peer(p, ranks) : 0;
}

size_t op_rank_volume(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      int ranks, int rank) {
    const struct stage_ops *stages[2];
    const int n = stages_of(row, pass, stages);
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += stages[i]->volume(p, ranks, rank);
    return bytes;
}

size_t op_volume(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                 int ranks) {
    size_t most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const size_t bytes = op_rank_volume(row, pass, p, ranks, rank);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

size_t op_memory(const struct op_row *row, enum op_pass pass, const struct op_params *p, int ranks,
                 const struct staging *how) {
    const struct stage_ops *stages[2];
    const int n = stages_of(row, pass, stages);
    size_t most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        size_t bytes = 0;
        for (int i = 0; i < n; i++)
            bytes += stages[i]->memory(p, ranks, rank, how);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

void op_free(struct op *op) {
    for (int s = op->n_stages - 1; s >= 0; s--) {
        struct op_stage *stage = &op->stages[s];
        for (int i = STAGE_PLANS - 1; i >= 0; i--)
            plan_free(stage->plans[i]);
        for (int i = STAGE_BUFFERS - 1; i >= 0; i--)
            buffer_free(stage->transport, &stage->buffers[i]);
    }
    usp_close(&op->usp);
    *op = (struct op){0};
}

enum status op_create(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      struct transport *t, struct group *group, struct op *out) {
    const struct stage_ops *stages[2];
    const int n = stages_of(row, pass, stages);
    *out = (struct op){.row = row};
    for (int i = 0; i < n; i++) {
        struct op_stage *stage = &out->stages[out->n_stages++];
        *stage = (struct op_stage){.ops = stages[i],
                                   .backward = i > 0 || !(pass & OP_FORWARD),
                                   .transport = t,
                                   .group = group,
                                   .usp = &out->usp,
                                   .params = *p};
        const enum status st = stages[i]->create(stage);
        if (st != ST_OK) {
            op_free(out);
            return st;
        }
    }
    return ST_OK;
}

void op_fill(struct op *op) {
    for (int i = 0; i < op->n_stages; i++)
        op->stages[i].ops->fill(&op->stages[i]);
}

void op_run(struct op *op) {
    for (int i = 0; i < op->n_stages; i++)
        op->stages[i].ops->run(&op->stages[i]);
}

uint64_t op_verify(struct op *op) {
    uint64_t wrong = 0;
    for (int i = 0; i < op->n_stages; i++)
        wrong += op->stages[i].ops->verify(&op->stages[i]);
    return wrong;
}

size_t op_own_bytes(const struct op *op) {
    size_t bytes = 0;
    for (int s = 0; s < op->n_stages; s++)
        for (int i = 0; i < STAGE_PLANS; i++)
            if (op->stages[s].plans[i])
                bytes += op->stages[s].plans[i]->own_bytes;
    return bytes;
}

static void add_algorithms(const struct op_stage *stage, struct algorithm_list *list) {
    for (int i = 0; i < STAGE_PLANS; i++)
        if (stage->plans[i])
            algorithm_list_add(list, plan_algorithm(stage->plans[i]), stage->plans[i]->stages);
}

struct algorithm_list op_algorithms(const struct op *op) {
    struct algorithm_list list = {.n = 0};
    for (int s = 0; s < op->n_stages; s++)
        add_algorithms(&op->stages[s], &list);
    if (list.n == 0)
        algorithm_list_add(&list, "none", (struct staging_rule){STAGED_NOTHING, false});
    return list;
}

size_t op_memory_as_planned(const struct op *op, const struct hosts *hosts) {
    size_t bytes = 0;
    for (int s = 0; s < op->n_stages; s++) {
        const struct op_stage *stage = &op->stages[s];
        struct algorithm_list list = {.n = 0};
        add_algorithms(stage, &list);
        const struct staging how = {.planned = &list, .hosts = *hosts};
        bytes += stage->ops->memory(&stage->params, stage->group->size, stage->group->rank, &how);
    }
    return bytes;
}

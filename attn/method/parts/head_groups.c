#include "attn/method/parts/head_groups.h"

#include <stdlib.h>

#include "comm/plan/exchange.h"

void head_groups_close(struct head_groups *g) {
    if (!g->a)
        return;
    struct plan *const plans[] = {g->join_dkv, g->join_dq, g->cut_dout, g->join_o, g->cut_q};
    struct buffer *const buffers[] = {&g->dkv, &g->dq, &g->dout, &g->o, &g->q};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        plan_free(plans[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_free(g->a->transport, buffers[i]);
    *g = (struct head_groups){.a = NULL};
}

/* The pieces of a plan of this rank with itself. */
struct pieces {
    struct block *token_side, *group_side; /* [n] */
    size_t n;
};

/* The heads [head0, head0 + n) of a tensor of `heads` heads at byte `at`, and the same behind the
 * pieces' last bytes in `grouped`. Returns where the next one begins. */
static size_t add_piece(const struct attention *a, struct pieces *p, const struct buffer *tensor,
                        size_t at, int heads, int head0, int n, size_t elem,
                        const struct buffer *grouped, size_t grouped_at) {
    const size_t head = (size_t)a->problem.head_dim * elem;
    const size_t rows = (size_t)a->problem.batch * (size_t)problem_local_tokens(&a->problem);
    const size_t bytes = rows * (size_t)n * head;
    p->token_side[p->n] = (struct block){a->sp->rank, tensor,           at + (size_t)head0 * head,
                                         rows,        (size_t)n * head, (size_t)heads * head};
    p->group_side[p->n++] = (struct block){a->sp->rank, grouped, grouped_at, 1, bytes, bytes};
    return grouped_at + bytes;
}

static void add_q(const struct head_groups *g, struct pieces *p, const struct buffer *tensor,
                  size_t elem, const struct buffer *grouped) {
    size_t at = 0;
    for (int i = 0; i < g->n; i++) {
        const struct head_share h = kv_group(&g->a->problem, i);
        at = add_piece(g->a, p, tensor, 0, g->a->problem.heads, h.q0, h.nq, elem, grouped, at);
    }
}

static void add_dkv(const struct head_groups *g, struct pieces *p) {
    const struct attention *a = g->a;
    size_t at = 0;
    for (int i = 0; i < g->n; i++) {
        const struct head_share h = kv_group(&a->problem, i);
        for (size_t half = 0; half < 2; half++)
            at = add_piece(a, p, &a->dkv, half * (a->dkv.bytes / 2), a->problem.kv_heads, h.kv0,
                           h.nkv, sizeof(float), &g->dkv, at);
    }
}

static enum status copy_plan(struct attention *a, const struct pieces *p, bool cut,
                             struct plan **out) {
    const struct plan_spec spec = {
        a->sp, TRAFFIC_SP, cut ? p->token_side : p->group_side, cut ? p->group_side : p->token_side,
        p->n,  p->n};
    return plan_create(a->transport, &spec, out);
}

static enum status plan_copies(struct head_groups *g, struct block *room) {
    struct attention *a = g->a;
    const size_t elem = dtype_bytes(a->problem.dtype);
    struct pieces p = {room, room + 2 * g->n, 0};
    add_q(g, &p, &a->q, elem, &g->q);
    enum status st = copy_plan(a, &p, true, &g->cut_q);
    p.n = 0;
    add_q(g, &p, &a->o, elem, &g->o);
    if (st == ST_OK)
        st = copy_plan(a, &p, false, &g->join_o);
    if (st != ST_OK || !a->problem.backward)
        return st;
    p.n = 0;
    add_q(g, &p, &a->dout, elem, &g->dout);
    st = copy_plan(a, &p, true, &g->cut_dout);
    p.n = 0;
    add_q(g, &p, &a->dq, sizeof(float), &g->dq);
    if (st == ST_OK)
        st = copy_plan(a, &p, false, &g->join_dq);
    p.n = 0;
    add_dkv(g, &p);
    return st == ST_OK ? copy_plan(a, &p, false, &g->join_dkv) : st;
}

static enum status alloc_copies(struct head_groups *g) {
    const struct attention *a = g->a;
    struct buffer *const copies[] = {&g->q, &g->o, &g->dout, &g->dq, &g->dkv};
    const struct buffer *const tensors[] = {&a->q, &a->o, &a->dout, &a->dq, &a->dkv};
    enum status st = ST_OK;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0] && st == ST_OK; i++)
        if (tensors[i]->data)
            st = buffer_alloc(a->transport, MEM_EXCHANGE, tensors[i]->bytes, copies[i]);
    return st;
}

enum status head_groups_open(struct head_groups *g, struct attention *a) {
    *g = (struct head_groups){.a = a, .n = kv_groups_count(&a->problem)};
    if (g->n == 1)
        return ST_OK;
    struct block *room = calloc(4 * (size_t)g->n, sizeof *room);
    enum status st = room ? alloc_copies(g) : fail(ST_ENV, "out of memory for a method");
    st = group_agree(a->sp, st);
    if (st == ST_OK)
        st = plan_copies(g, room);
    free(room);
    return st;
}

const struct buffer *head_groups_tensor(const struct head_groups *g, enum grouped_tensor tensor) {
    const struct attention *a = g->a;
    const struct buffer *const copies[] = {&g->q, &g->o, &g->dout, &g->dq, &g->dkv};
    const struct buffer *const tensors[] = {&a->q, &a->o, &a->dout, &a->dq, &a->dkv};
    return g->n > 1 ? copies[tensor] : tensors[tensor];
}

void head_groups_copy(const struct head_groups *g, struct plan *plan) {
    if (!plan)
        return;
    trace_begin(g->a->transport->trace, PHASE_PACK);
    plan_run(plan);
    trace_end(g->a->transport->trace);
}

#include "attn/check/part.h"

#include <string.h>

#include "device/bf16.h"

/* Neighbours check different heads and sequences, and each rank others in every turn. First that of
 * the next rank, not of this one: under ulysses this rank's tokens with the heads that it computes
 * itself never left it. */
void check_pair(const struct check *c, int sp_rank, int *batch, int *kv_head) {
    const struct problem *p = c->p;
    const int dp = c->l->grid->dp_rank, next = (sp_rank + 1) % p->sp_size;
    const int64_t head = ((int64_t)next * p->kv_heads / p->sp_size + dp) % p->kv_heads;
    const int64_t pairs = (int64_t)p->batch * p->kv_heads;
    const int64_t pair = ((sp_rank + dp) % p->batch * p->kv_heads + head + c->turn) % pairs;
    *kv_head = (int)(pair % p->kv_heads);
    *batch = (int)(pair / p->kv_heads);
}

int32_t check_position(const struct check *c, int i) {
    return c->l->attention.mine[c->token[i]];
}

size_t check_row(const struct check *c, int i) {
    return (size_t)c->batch * (size_t)problem_local_tokens(c->p) + (size_t)c->token[i];
}

void check_read(const struct check *c, const void *tensor, enum dtype dtype, size_t at, int n,
                float *out) {
    struct device *dev = c->l->attention.dev;
    const char *from = (const char *)tensor + at * dtype_bytes(dtype);
    dev->row->download(dev, out, from, (size_t)n * dtype_bytes(dtype));
    if (dtype == DTYPE_FP32)
        return;
    /* In place, from the end: it is twice as long. */
    for (int i = n - 1; i >= 0; i--) {
        uint16_t half;
        memcpy(&half, (const char *)out + (size_t)i * sizeof half, sizeof half);
        out[i] = bf16_to_float(half);
    }
}

void check_round(const struct problem *p, float *x, size_t n) {
    for (size_t i = 0; p->dtype == DTYPE_BF16 && i < n; i++)
        x[i] = bf16_round(x[i]);
}

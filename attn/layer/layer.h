/* The full attention layer of one rank, forward and backward: x -> Q, K, V projections -> RoPE by
 * global positions -> attention -> output projection. With core_only just the attention, on
 * generated Q, K, V. */
#ifndef SPB_ATTN_LAYER_LAYER_H
#define SPB_ATTN_LAYER_LAYER_H

#include "attn/layer/params.h"
#include "attn/method/attention.h"
#include "comm/ranks/grid.h"

struct layer {
    struct attention attention;
    struct process_grid *grid; /* borrowed */

    /* Not with core_only. Weights are row-major [out, in]: wq, wk, wv one after the other, and wo.
     */
    struct params_scratch scratch;
    struct params qkv, out;
    float *x, *y;   /* [batch, tokens, hidden] */
    float *dy, *dx; /* backward */
};

/* Allocates and plans everything, and fills the inputs and weights with generated data. Collective
 * over the grid's world. Closed by layer_close(), also after a failure. */
enum status layer_open(struct layer *l, const struct problem *p, const struct sp_method *method,
                       struct compute *compute, struct transport *t, struct process_grid *grid,
                       struct mem_ledger *ledger);
void layer_close(struct layer *l);

void layer_forward(struct layer *l);
void layer_backward(struct layer *l);

/* Global index of the rank's first sequence: data-parallel groups have different data. */
uint32_t layer_batch0(const struct problem *p, int dp_rank);

/* Parameters of the two units, in elements. */
size_t layer_qkv_elements(const struct problem *p);
size_t layer_out_elements(const struct problem *p);

/* Row `row` of the stacked wq, wk, wv ([(heads + 2 kv_heads) head_dim, hidden]), columns [col, col
 * + n); and of wo ([hidden, heads * head_dim]). What the layer's weights are filled with. */
void layer_qkv_weights(const struct problem *p, size_t row, int col, int n, float *out);
void layer_out_weights(const struct problem *p, size_t row, int col, int n, float *out);

#endif

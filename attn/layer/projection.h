/* Products of the layer with its weights, which are row-major [out, in]. What is in flight gets on
 * meanwhile. */
#ifndef SPB_ATTN_LAYER_PROJECTION_H
#define SPB_ATTN_LAYER_PROJECTION_H

#include "attn/method/parts/tensors.h"

/* Rows of the rank's tokens: [batch * tokens, width]. */
struct tokens {
    void *x;
    enum dtype dtype;
};

/* out = in w^T */
void project(struct attention *a, int n_out, int n_in, struct tokens in, const float *w,
             struct tokens out);

/* din (+)= dout w */
void project_input_grad(struct attention *a, int n_out, int n_in, const float *dout, const float *w,
                        bool add, struct tokens din);

/* dw = dout^T in */
void project_weight_grad(struct attention *a, int n_out, int n_in, const float *dout,
                         struct tokens in, float *dw);

#endif

/* The whole layer in double precision, every element, from the definition and the generator. What
 * bf16 layers store is rounded as they do: x, weights, Q, K, V and dO. Shares nothing with kernels,
 * methods and checks but the rows of attn/check/reference.h. */
#ifndef SPB_TESTS_ATTN_METHOD_LAYER_REFERENCE_H
#define SPB_TESTS_ATTN_METHOD_LAYER_REFERENCE_H

#include "tests/attn/method/sp_case.h"

/* Of all data-parallel groups' sequences, one after the other: [sequences, seq, heads (of each),
 * head_dim]; lse and delta without head_dim; dq and dk before RoPE. */
struct layer_tensors {
    double *o, *lse, *delta, *dq, *dk, *dv;
};

struct layer_reference {
    int sequences;
    size_t rows, kv_rows;     /* of query heads; of kv heads */
    double *q, *k, *v, *dout; /* the inputs of attention, like struct layer_tensors */
    struct layer_tensors exact;
    double *delta_terms, *dq_terms, *dk_terms; /* [rows], [rows], [kv_rows]: see ref_grad_error() */
    double *y, *dx;                            /* [sequences, seq, hidden] */
    double *dw_qkv, *dw_out;                   /* like the weights of struct layer */
};

/* Zeros. */
struct layer_tensors layer_tensors_new(const struct layer_reference *r, int head_dim);
void layer_tensors_free(struct layer_tensors *t);

/* Collective over world, whose ranks share the work. Freed by layer_reference_free(). */
struct layer_reference layer_reference_new(const struct problem *p, const struct group *world);
void layer_reference_free(struct layer_reference *r);

/* Stages that follow from what a run made of the ones before, as check_layer() has them: Y, dX and
 * the weight gradients from its O, dQ, dK and dV as products read them, since gradients may cancel
 * to their rounding; and in bf16, where what is rounded on the way is far more than the errors that
 * are to be found, delta from its O, and dQ, dK, dV from its LSE and delta. All else remains exact.
 * Changes run. Collective over world. */
void layer_reference_follow(struct layer_reference *r, const struct problem *p,
                            const struct group *world, struct layer_tensors *run);

/* A run's tensors, of all ranks. Collective over its world. */
struct layer_tensors layer_tensors_of_run(const struct layer_reference *r, const struct run *run);

/* The greatest error of any row of each tensor, on all ranks. Collective over the run's world. */
void layer_reference_errors(const struct layer_reference *ref, const struct run *run,
                            double error[CHECK_TENSORS]);

#endif

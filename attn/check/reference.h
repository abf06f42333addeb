/* Attention in double precision, row by row, straight from the definition: what sampled results are
 * checked against. Shares nothing with the kernels.
 *
 * p_ij = exp(scale q_i.k_j - lse_i) over visible j, o_i = sum_j p_ij v_j; and for the gradients
 * ds_ij = p_ij (dO_i.v_j - delta_i), dq_i = scale sum_j ds_ij k_j, dk_j = scale sum_i ds_ij q_i,
 * dv_j = sum_i p_ij dO_i, with delta_i = dO_i.o_i (Dao et al., "FlashAttention", 2022, appendix B).
 */
#ifndef SPB_ATTN_CHECK_REFERENCE_H
#define SPB_ATTN_CHECK_REFERENCE_H

#include <stdint.h>

#include "attn/problem/mask.h"

/* All keys of one (batch, kv head). */
struct ref_keys {
    int n, head_dim;
    double scale;
    const struct mask *mask;
    const int32_t *pos;  /* [n] */
    const double *k, *v; /* [n, head_dim] */
};

/* All query rows of one (batch, kv head): the tokens of every head that reads it, in any order. */
struct ref_queries {
    int n, head_dim;
    double scale;
    const struct mask *mask;
    const int32_t *pos;        /* [n] */
    const double *q, *dout;    /* [n, head_dim] */
    const double *lse, *delta; /* [n], over all keys */
};

/* o [head_dim] and lse of the query row q [head_dim]; 0 and -inf when it sees no key. */
void ref_forward(const struct ref_keys *keys, const double *q, int32_t q_pos, double *o,
                 double *lse);

/* dq [head_dim] of one query row, from its lse and delta. Returns the size of the terms that dq is
 * the sum of: scale sum_j p_ij (|dO_i|.|v_j| + |delta_i|) max|k_j|, where |dO_i|.|v_j| is the sum
 * of absolute products, since it is them that are rounded, and dO_i.v_j may cancel. */
double ref_dq(const struct ref_keys *keys, const double *q, int32_t q_pos, const double *dout,
              double lse, double delta, double *dq);

/* dk, dv [head_dim] of the key row k, v at k_pos. Returns the size of dk's terms, as ref_dq() does.
 */
double ref_dkv(const struct ref_queries *queries, const double *k, const double *v, int32_t k_pos,
               double *dk, double *dv);

/* delta = dO.o. Returns the size of its terms: max|dO| sum_k |o_k|. Not the sum of |dO_k o_k|: dO
 * is a result too (of the output projection), whose elements are all off by up to some part of the
 * row's greatest one, those that cancelled to little as well. With few elements dO and o may be
 * large in different ones, and delta then is nothing but those errors. */
double ref_delta(const double *dout, const double *o, int n, double *delta);

/* max|x - ref| / max|ref| over a row of n. When ref is all zero: 0 if x is too, infinite otherwise.
 * Infinite when x is not finite. */
double ref_row_error(const float *x, const double *ref, int n);

/* The same for a row of dQ or dK. Those can cancel to nothing (a query that sees one key has
 * dQ = 0), which leaves only the rounding of their terms to compare: the error is relative to a
 * tenth of the terms' size where that is more than max|ref|. */
double ref_grad_error(const float *x, const double *ref, int n, double terms);

#endif

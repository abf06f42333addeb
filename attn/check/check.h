/* Whether a layer's results are right: sampled rows against double precision.
 *
 * The reference is made from the generator, so that no rank needs another's tensors. O and LSE are
 * recomputed from the inputs; delta from the run's own O; dQ, dK, dV from the run's own LSE and
 * delta of all rows, which are themselves checked on the sampled ones. Of the whole layer, Y and dX
 * are recomputed on a strip of columns from the run's own O, dQ, dK, dV, and strips of the weight
 * gradients as sums over all tokens of all ranks. */
#ifndef SPB_ATTN_CHECK_CHECK_H
#define SPB_ATTN_CHECK_CHECK_H

#include <stdbool.h>

#include "attn/layer/layer.h"

/* What is checked. Without projections up to DV, without a backward pass only O, LSE and Y. */
enum check_tensor {
    CHECK_O,
    CHECK_LSE,
    CHECK_DELTA,
    CHECK_DQ,
    CHECK_DK,
    CHECK_DV,
    CHECK_Y,
    CHECK_DX,
    CHECK_DWQ,
    CHECK_DWK,
    CHECK_DWV,
    CHECK_DWO,
    CHECK_WEIGHTS, /* gathered; every element */
    CHECK_TENSORS
};

/* "o", "lse", ..., "dwo". */
const char *check_tensor_name(enum check_tensor tensor);

/* Equal on all ranks. Errors are the greatest max|x - ref| / max|ref| of a row (LSE: |x - ref|,
 * which is the relative error of exp(LSE)), infinite where a result is not finite.
 *
 * The RMS error is sqrt(sum (x - ref)^2 / sum ref^2) over the elements of all rows of all ranks
 * (LSE: the root mean square of x - ref). It is infinite where the greatest error is, and NAN where
 * there is nothing that it could be relative to: nothing compared (the gathered weights are
 * compared bit by bit), or a gradient that cancels to the rounding of its terms. */
struct check_report {
    double error[CHECK_TENSORS];
    double rms[CHECK_TENSORS];
    long compared[CHECK_TENSORS]; /* rows */
    double max_rel_err;           /* the greatest of them */
    enum check_tensor worst; /* the tensor farthest towards, or beyond, what is allowed for it */
    double allowed;          /* for that one */
    bool ok;                 /* every tensor is within what is allowed */
    long rows;               /* compared, of all tensors and ranks */
};

/* Of results in fp32, and in bf16, for every tensor (gradients that travel in bf16 are allowed
 * more): the rounding of sums of thousands of terms stays below it, a missing or misplaced term
 * does not. The reference of a bf16 problem is made from the inputs as bf16 has them. */
#define CHECK_TOLERANCE_FP32 3e-5
#define CHECK_TOLERANCE_BF16 2e-2

/* Checks what the last layer_forward(), and layer_backward() if the problem has a backward pass,
 * left in the layer. Collective over the grid's world; untimed, and cheaper than an iteration. Its
 * memory is bounded by chunks and not entered in the ledger. Status: whether it could be checked
 * (ST_ENV: out of memory); out->ok says whether it is right. */
enum status check_layer(struct layer *l, struct check_report *out);

#endif

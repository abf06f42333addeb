/* Counter-based random data: every tensor element is a pure function of where it stands.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3", SC11).
 * Counter = (dim / 4, head, token, batch), key = (seed, tensor); one call gives the four elements
 * dim..dim+3. Any rank can so regenerate any element, and verify an exchange without one. */
#ifndef SPB_BASE_RANDOM_H
#define SPB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Four 32-bit words of the block cipher. */
struct philox {
    uint32_t v[4];
};

struct philox philox4x32(struct philox counter, uint32_t key0, uint32_t key1);

/* What a tensor is called in the generator's key. */
enum tensor_id {
    TENSOR_Q,
    TENSOR_K,
    TENSOR_V,
    TENSOR_DO, /* gradient of the attention output */
    TENSOR_X,  /* layer input */
    TENSOR_DY, /* gradient of the layer output */
    TENSOR_WQ,
    TENSOR_WK,
    TENSOR_WV,
    TENSOR_WO,
    TENSOR_RAW, /* model-free exchanges */
    TENSOR_FILLER
};

/* Elements [dim, dim + n) of one row, uniform in [-1, 1), times scale.
 * out: n floats. Matrices use token = row, head = 0, dim = column. */
void random_row(float *out, size_t n, uint32_t seed, enum tensor_id tensor, uint32_t batch,
                uint32_t token, uint32_t head, uint32_t dim, float scale);

#endif

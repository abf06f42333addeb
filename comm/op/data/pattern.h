/* Generated elements for exchanges: filled on one side, regenerated and compared on the other.
 *
 * Elements are fp32, or the same rounded to bf16. */
#ifndef SPB_COMM_OP_DATA_PATTERN_H
#define SPB_COMM_OP_DATA_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

struct pattern {
    uint32_t seed;
    enum tensor_id tensor;
    size_t elem_bytes; /* 4: fp32, 2: bf16 */
};

/* A flat buffer of rank `source`: its elements [first, first + n). */
void pattern_fill(const struct pattern *p, int source, size_t first, void *out, size_t n);

/* Number of the n elements at data that differ, bit for bit. */
uint64_t pattern_wrong(const struct pattern *p, int source, size_t first, const void *data,
                       size_t n);

/* Model tensors: heads [head, head + n_heads) of one global token, [n_heads, head_dim]. */
void pattern_fill_heads(const struct pattern *p, int batch, size_t token, int head, int n_heads,
                        int head_dim, void *out);
uint64_t pattern_wrong_heads(const struct pattern *p, int batch, size_t token, int head,
                             int n_heads, int head_dim, const void *data);

/* Number of elements that differ between two rows of n. */
uint64_t rows_differ(const void *a, const void *b, size_t n, size_t elem_bytes);

/* Overwrites with a pattern that no generated element has, so that stale data cannot pass. Nothing
 * to overwrite may be NULL. */
void pattern_poison(void *data, size_t bytes);

#endif

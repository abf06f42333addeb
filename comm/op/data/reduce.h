/* Sums of received contributions, in a fixed order. */
#ifndef SPB_COMM_OP_DATA_REDUCE_H
#define SPB_COMM_OP_DATA_REDUCE_H

#include <stddef.h>

/* out[i] = slot 0 + slot 1 + ... of n elements each, one slot after the other. Elements are fp32 (4
 * bytes) or bf16 (2; added in fp32, rounded to nearest even at the end). out may be slot 0. */
void reduce_slots(void *out, const void *slots, int n_slots, size_t n, size_t elem_bytes);

#endif

/* Copies between strided blocks and contiguous memory. */
#ifndef SPB_COMM_COPY_STRIDED_H
#define SPB_COMM_COPY_STRIDED_H

#include "comm/plan/block.h"

/* Gathers the block's rows into out, or scatters in over them; block_bytes() bytes. */
void block_pack(const struct block *b, char *out);
void block_unpack(const struct block *b, const char *in);

/* src's bytes in row order into dst's rows; the byte counts must agree, the shapes need not. */
void block_copy(const struct block *dst, const struct block *src);

#endif

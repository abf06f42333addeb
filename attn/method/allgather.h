/* Between the files of the allgather method. */
#ifndef SPB_ATTN_METHOD_ALLGATHER_H
#define SPB_ATTN_METHOD_ALLGATHER_H

#include "attn/method/method.h"
#include "attn/method/parts/head_groups.h"
#include "comm/plan/kv_gather.h"

/* A group of heads as it is gathered. */
struct kv_heads allgather_heads(const struct problem *p, struct head_share h);

/* Whether the next group is gathered while one is computed with. */
bool allgather_double_buffered(const struct problem *p);

/* Of the method's row. */
size_t allgather_volume(const struct problem *p, int sp_rank);
void allgather_memory(const struct problem *p, const struct predict_env *env,
                      struct mem_predict *out);

#endif

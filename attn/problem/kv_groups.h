/* Groups of KV heads, with the query heads that read them, which are gathered one after the other
 * (--kv-groups): as even as can be. */
#ifndef SPB_ATTN_PROBLEM_KV_GROUPS_H
#define SPB_ATTN_PROBLEM_KV_GROUPS_H

#include "attn/problem/problem.h"

/* Number of groups, and the heads of group i. */
int kv_groups_count(const struct problem *p);
struct head_share kv_group(const struct problem *p, int i);

/* A group that none has more heads than. */
struct head_share kv_group_largest(const struct problem *p);

#endif

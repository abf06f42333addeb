/* Tensors of a rank's tokens cut into groups of KV heads, with the query heads that read them: so
 * that attention can run on one group after the other. With one group the tensors serve as they
 * are; with several they are copied, group by group, by plans of the rank with itself. */
#ifndef SPB_ATTN_METHOD_PARTS_HEAD_GROUPS_H
#define SPB_ATTN_METHOD_PARTS_HEAD_GROUPS_H

#include "attn/method/parts/tensors.h"
#include "attn/problem/kv_groups.h"

struct head_groups {
    struct attention *a;
    int n;
    /* Each group after group [batch, tokens, the group's heads, head_dim]; dkv: K then V of each.
     */
    struct buffer q, o, dout, dq, dkv; /* with one group unused */
    struct plan *cut_q, *join_o, *cut_dout, *join_dq, *join_dkv;
};

/* Collective over the SP group. Zero-initialise; closed by head_groups_close(), also after a
 * failure. */
enum status head_groups_open(struct head_groups *g, struct attention *a);
void head_groups_close(struct head_groups *g);

/* The tensors in groups: those of attention itself where there is one. */
enum grouped_tensor { HEADS_Q, HEADS_O, HEADS_DOUT, HEADS_DQ, HEADS_DKV };
const struct buffer *head_groups_tensor(const struct head_groups *g, enum grouped_tensor tensor);

/* Runs one of the plans, if there is one. */
void head_groups_copy(const struct head_groups *g, struct plan *plan);

#endif

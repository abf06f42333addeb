/* ulysses: an exchange of heads among all SP ranks. See attn/method/parts/heads_exchange.h. */
#include "attn/formula/unified.h"

static void split(struct problem *p) {
    p->ulysses_size = p->sp_size;
    p->ring_size = 1;
}

const struct sp_method sp_ulysses = {
    .name = "ulysses",
    .help = "all-to-all to a slice of heads and back (DeepSpeed-Ulysses)",
    .options = (const char *const[]){"fuse_qkv", NULL},
    .default_layout = unified_contiguous_layout,
    .split = split,
    .supports = unified_heads_suffice,
    UNIFIED_FORMULAS,
};

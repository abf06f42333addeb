/* local: one rank holds the whole sequence. What the other methods are compared with. */
#include <stdio.h>

#include "attn/formula/unified.h"

static bool supports(const struct problem *p, char *why, size_t why_size) {
    if (p->sp_size == 1)
        return true;
    snprintf(why, why_size, "local keeps a sequence on one rank, but --sp is %d; use --sp 1",
             p->sp_size);
    return false;
}

const struct sp_method sp_local = {
    .name = "local",
    .help = "no sequence parallelism: the whole sequence on one rank",
    .default_layout = unified_contiguous_layout,
    .split = unified_split_ring,
    .supports = supports,
    UNIFIED_FORMULAS,
};

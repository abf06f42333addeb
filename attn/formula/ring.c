/* ring: K/V blocks travel round a ring of all SP ranks. See attn/method/parts/ring_pass.h. */
#include "attn/formula/unified.h"

static bool supports(const struct problem *p, char *why, size_t why_size) {
    (void)p;
    (void)why;
    (void)why_size;
    return true;
}

const struct sp_method sp_ring = {
    .name = "ring",
    .help = "K/V blocks travel round a ring, compute overlaps the hops (Ring Attention)",
    .default_layout = unified_balanced_layout,
    .split = unified_split_ring,
    .supports = supports,
    UNIFIED_FORMULAS,
};

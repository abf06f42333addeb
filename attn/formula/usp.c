/* usp: heads are exchanged in Ulysses groups, K/V travel round rings of such groups. */
#include <stdio.h>

#include "attn/formula/unified.h"

/* ulysses_size 0: the default. A size that does not divide sp_size is left for supports(). */
static void split(struct problem *p) {
    if (p->ulysses_size == 0)
        p->ulysses_size = usp_default_ulysses_size(p->sp_size, p->kv_heads);
    p->ring_size = p->sp_size / p->ulysses_size;
}

static bool supports(const struct problem *p, char *why, size_t why_size) {
    if (p->ulysses_size * p->ring_size == p->sp_size)
        return unified_heads_suffice(p, why, why_size);
    snprintf(
        why, why_size,
        "usp splits the %d ranks of a sequence into Ulysses groups of --ulysses-size %d, which "
        "does not divide %d",
        p->sp_size, p->ulysses_size, p->sp_size);
    return false;
}

const struct sp_method sp_usp = {
    .name = "usp",
    .help = "heads exchanged in groups, K/V in rings of groups (Ulysses x Ring)",
    .options = (const char *const[]){"fuse_qkv", "ulysses_size", "inner", NULL},
    .two_groups = true,
    .default_layout = unified_balanced_layout,
    .split = split,
    .supports = supports,
    UNIFIED_FORMULAS,
};

#include "attn/problem/mask.h"

int mask_document(const struct mask *mask, int32_t pos) {
    int first = 0, end = mask->n_docs; /* the document is in [first, end] */
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (mask->docs[middle + 1] <= pos)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

struct interval mask_interval(const struct mask *mask, int32_t q_pos) {
    if (q_pos == POS_NOWHERE) /* empty, and behind all others */
        return (struct interval){INT32_MAX, INT32_MAX};
    struct interval keys = {0, INT32_MAX};
    if (mask->n_docs > 0) {
        const int d = mask_document(mask, q_pos);
        keys.lo = mask->docs[d];
        if (d < mask->n_docs)
            keys.hi = mask->docs[d + 1];
    }
    const bool window = mask->window > 0;
    if ((mask->causal || window) && q_pos + 1 < keys.hi)
        keys.hi = q_pos + 1;
    if (window && q_pos + 1 - mask->window > keys.lo)
        keys.lo = q_pos + 1 - mask->window;
    return keys;
}

bool mask_visible(const struct mask *mask, int32_t q_pos, int32_t k_pos) {
    const struct interval keys = mask_interval(mask, q_pos);
    return keys.lo <= k_pos && k_pos < keys.hi;
}

enum mask_cover mask_classify(const struct mask *mask, int32_t q_min, int32_t q_max, int32_t k_min,
                              int32_t k_max) {
    /* Both ends are monotone in q: the outermost queries bound every interval between them. */
    const struct interval first = mask_interval(mask, q_min);
    const struct interval last = mask_interval(mask, q_max);
    if (k_min >= last.hi || k_max < first.lo)
        return MASK_NONE;
    if (last.lo <= k_min && k_max < first.hi)
        return MASK_ALL;
    return MASK_PARTIAL;
}

uint64_t mask_pairs_at(const struct mask *mask, const int32_t *pos, int n, int32_t seq) {
    uint64_t pairs = 0;
    for (int i = 0; i < n; i++) {
        const struct interval keys = mask_interval(mask, pos[i]);
        const int32_t hi = keys.hi < seq ? keys.hi : seq;
        if (hi > keys.lo)
            pairs += (uint64_t)(hi - keys.lo);
    }
    return pairs;
}

/* Of one document of n tokens. Under a window, the first queries see all before them. */
static uint64_t pairs_of(const struct mask *mask, uint64_t n) {
    const uint64_t window = (uint64_t)mask->window;
    if (window > 0 && window < n)
        return window * (window + 1) / 2 + (n - window) * window;
    return mask->causal || window > 0 ? n * (n + 1) / 2 : n * n;
}

uint64_t mask_visible_pairs(const struct mask *mask, int32_t seq) {
    if (mask->n_docs == 0)
        return pairs_of(mask, (uint64_t)seq);
    uint64_t pairs = 0;
    for (int i = 0; i < mask->n_docs; i++)
        pairs += pairs_of(mask, (uint64_t)(mask->docs[i + 1] - mask->docs[i]));
    return pairs;
}

#include "bench/record/head_shares.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "results/record/record.h"

static struct head_share share_of(const struct sp_shape *s, int ulysses_rank) {
    return head_share(s->heads, s->kv_heads, s->ulysses_size, ulysses_rank);
}

static bool uneven(const struct sp_shape *s) {
    if (s->ulysses_size < 2) /* there may be no heads */
        return false;
    const struct head_share first = share_of(s, 0);
    for (int q = 1; q < s->ulysses_size; q++) {
        const struct head_share share = share_of(s, q);
        if (share.nq != first.nq || share.nkv != first.nkv)
            return true;
    }
    return false;
}

/* "10,9,9": what each rank has of one kind of heads. */
static void list(const struct sp_shape *s, bool kv, char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share h = share_of(s, q);
        if (used + 16 > size) {
            snprintf(out + used, size - used, ",...");
            return;
        }
        used +=
            (size_t)snprintf(out + used, size - used, "%s%d", q > 0 ? "," : "", kv ? h.nkv : h.nq);
    }
}

void head_shares_text(const struct sp_shape *s, char *out, size_t size) {
    char query[160], kv[160];
    out[0] = '\0';
    if (!uneven(s))
        return;
    list(s, false, query, sizeof query);
    list(s, true, kv, sizeof kv);
    snprintf(out, size, "heads per Ulysses rank: query %s; key/value %s", query, kv);
}

void head_shares_record(const struct sp_shape *s, json_t *record) {
    if (!uneven(s))
        return;
    for (int q = 0; q < s->ulysses_size; q++) {
        const struct head_share h = share_of(s, q);
        record_append(record, "params", "head_shares",
                      json_pack("{s:i, s:i, s:i, s:i, s:i}", "ulysses_rank", q, "q_first", h.q0,
                                "q_heads", h.nq, "kv_first", h.kv0, "kv_heads", h.nkv));
    }
}

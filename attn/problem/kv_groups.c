#include "attn/problem/kv_groups.h"

int kv_groups_count(const struct problem *p) {
    return p->kv_groups > 1 ? p->kv_groups : 1;
}

struct head_share kv_group(const struct problem *p, int i) {
    const int n = kv_groups_count(p), group = p->heads / p->kv_heads;
    const int first = (int)((long)p->kv_heads * i / n),
              end = (int)((long)p->kv_heads * (i + 1) / n);
    return (struct head_share){first * group, (end - first) * group, first, end - first};
}

struct head_share kv_group_largest(const struct problem *p) {
    struct head_share most = kv_group(p, 0);
    for (int i = 1; i < kv_groups_count(p); i++)
        if (kv_group(p, i).nkv > most.nkv)
            most = kv_group(p, i);
    return most;
}

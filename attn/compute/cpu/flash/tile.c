#include "attn/compute/cpu/flash/tile.h"

static int min_int(int a, int b) {
    return a < b ? a : b;
}

static int max_int(int a, int b) {
    return a > b ? a : b;
}

static int32_t last_pos(struct tile t) {
    return t.pos + (t.count - 1) * t.step;
}

/* Whether n positions grow by step. Without an early exit, so that it is compiled to vector code:
 * kernels ask it of every tile of keys that a mask makes them skip. */
static bool is_even(const int32_t *pos, int n, int32_t step) {
    uint32_t differences = 0;
    for (int i = 0; i < n; i++)
        differences |= (uint32_t)pos[i] - (uint32_t)pos[0] - (uint32_t)i * (uint32_t)step;
    return differences == 0;
}

struct tile tile_at(const int32_t *pos, int n, int begin, int size) {
    const int end = min_int(n, (begin / size + 1) * size);
    struct tile t = {begin, 1, pos[begin], 1};
    if (begin + 1 == end || pos[begin + 1] <= pos[begin])
        return t;
    t.step = pos[begin + 1] - pos[begin];
    if (is_even(pos + begin, end - begin, t.step)) {
        t.count = end - begin;
        return t;
    }
    while (begin + t.count < end && pos[begin + t.count] - pos[begin + t.count - 1] == t.step)
        t.count++;
    return t;
}

enum mask_cover tile_cover(const struct mask *mask, struct tile q, struct tile k) {
    return mask_classify(mask, q.pos, last_pos(q), k.pos, last_pos(k));
}

/* How many tokens of the tile stand before position. */
static int tokens_before(struct tile t, int32_t position) {
    if (position <= t.pos)
        return 0;
    return min_int(t.count, (position - t.pos - 1) / t.step + 1);
}

struct span tile_seen(const struct mask *mask, struct tile q, struct tile k) {
    return (struct span){tokens_before(k, mask_interval(mask, q.pos).lo),
                         tokens_before(k, mask_interval(mask, last_pos(q)).hi)};
}

static struct visible partial_block(const struct mask *mask, struct tile q, struct tile k,
                                    struct span *spans) {
    struct visible b = {0, 0, k.count, 0};
    int col_end = 0;
    for (int i = 0; i < q.count; i++) {
        const struct interval seen = mask_interval(mask, q.pos + i * q.step);
        const struct span s = {tokens_before(k, seen.lo), tokens_before(k, seen.hi)};
        spans[i] = s.begin < s.end ? s : (struct span){0, 0};
        if (s.begin >= s.end)
            continue;
        if (b.rows == 0)
            b.row = i;
        b.rows = i + 1 - b.row;
        b.col = min_int(b.col, s.begin);
        col_end = max_int(col_end, s.end);
    }
    if (b.rows == 0)
        return (struct visible){0};
    b.cols = col_end - b.col;
    for (int i = b.row; i < b.row + b.rows; i++) {
        spans[i].begin = max_int(spans[i].begin - b.col, 0);
        spans[i].end = max_int(spans[i].end - b.col, 0);
    }
    return b;
}

struct visible tile_block(const struct mask *mask, struct tile q, struct tile k,
                          struct span *spans) {
    switch (tile_cover(mask, q, k)) {
    case MASK_NONE:
        return (struct visible){0};
    case MASK_PARTIAL:
        return partial_block(mask, q, k, spans);
    case MASK_ALL:
        break;
    }
    for (int i = 0; i < q.count; i++)
        spans[i] = (struct span){0, k.count};
    return (struct visible){0, q.count, 0, k.count};
}

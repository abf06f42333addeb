#include "attn/mask.h"

#include <string.h>

static bool parse_full(const char *value, struct mask *mask) {
    (void)mask;
    return value == NULL;
}

static bool parse_causal(const char *value, struct mask *mask) {
    mask->causal = true;
    return value == NULL;
}

/* Terms of a mask. parse(): value is what follows "name:", NULL when nothing does; false when it
 * makes no sense. A term without parse() is known and not there yet. */
static const struct term {
    const char *name;
    bool (*parse)(const char *value, struct mask *mask);
} terms[] = {
    {"full", parse_full},
    {"causal", parse_causal},
    {"docs", NULL},
    {"window", NULL},
};

static const struct term *find_term(const char *name) {
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        if (strcmp(name, terms[i].name) == 0)
            return &terms[i];
    return NULL;
}

/* text: one term, which is cut at its ':'. whole: for the message. */
static enum status parse_term(char *text, const char *whole, struct mask *mask) {
    char *value = strchr(text, ':');
    if (value)
        *value++ = '\0';
    const struct term *term = find_term(text);
    if (!term)
        return fail(ST_USAGE, "mask '%s': unknown term '%s'; use full or causal", whole, text);
    if (!term->parse)
        return fail(ST_USAGE,
                    "mask '%s': '%s' is not supported by this version; use full or causal", whole,
                    text);
    if (!term->parse(value, mask))
        return fail(ST_USAGE, "mask '%s': '%s' does not take the value '%s'", whole, text, value);
    return ST_OK;
}

enum status mask_parse(const char *text, struct mask *out) {
    char copy[256];
    const size_t len = strlen(text);
    if (len >= sizeof copy)
        return fail(ST_USAGE, "the mask is longer than %zu characters", sizeof copy - 1);
    memcpy(copy, text, len + 1);

    struct mask mask = {0};
    char *next = copy;
    while (next) {
        char *term = next;
        next = strchr(term, '+');
        if (next)
            *next++ = '\0';
        const enum status st = parse_term(term, text, &mask);
        if (st)
            return st;
    }
    *out = mask;
    return ST_OK;
}

struct interval mask_interval(const struct mask *mask, int32_t q_pos) {
    return (struct interval){0, mask->causal ? q_pos + 1 : INT32_MAX};
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

/* Keys of 0..seq-1 that the query at q_pos sees. */
static uint64_t keys_seen(const struct mask *mask, int32_t q_pos, int32_t seq) {
    const struct interval keys = mask_interval(mask, q_pos);
    const int32_t lo = keys.lo > 0 ? keys.lo : 0;
    const int32_t hi = keys.hi < seq ? keys.hi : seq;
    return hi > lo ? (uint64_t)(hi - lo) : 0;
}

uint64_t mask_pairs_at(const struct mask *mask, const int32_t *pos, int n, int32_t seq) {
    uint64_t pairs = 0;
    for (int i = 0; i < n; i++)
        pairs += keys_seen(mask, pos[i], seq);
    return pairs;
}

uint64_t mask_visible_pairs(const struct mask *mask, int32_t seq) {
    uint64_t pairs = 0;
    for (int32_t q = 0; q < seq; q++)
        pairs += keys_seen(mask, q, seq);
    return pairs;
}

#include "comm/shape/staging.h"

#include <stdio.h>
#include <string.h>

static void append(struct algorithm_list *list, const char *name) {
    static const char cut[] = ",...";
    const size_t used = strlen(list->text), room = sizeof list->text - used;
    if (strlen(name) + sizeof cut < room)
        snprintf(list->text + used, room, "%s%s", used > 0 ? "," : "", name);
    else if (!strstr(list->text, cut))
        snprintf(list->text + used, room, "%s", cut);
}

void algorithm_list_add(struct algorithm_list *list, const char *name, struct staging_rule rule) {
    const bool alike = list->n > 0 && !strchr(list->text, ',');
    const int before = list->n++;
    if (before < ALGORITHM_RULES)
        list->rules[before] = rule;
    if (alike && strcmp(list->text, name) == 0)
        return;
    char first[48];
    snprintf(first, sizeof first, "%.47s", list->text);
    for (int i = 1; alike && i < before; i++) /* which one name stood for */
        append(list, first);
    append(list, name);
}

struct staging_rule staging_nth(const struct staging *how, int index) {
    const struct algorithm_list *planned = how->planned;
    if (!planned)
        return how->rule;
    const bool kept = index < planned->n && index < ALGORITHM_RULES;
    return kept ? planned->rules[index] : (struct staging_rule){STAGED_MOST, false};
}

struct staging_rule staging_kv_alone(const struct sp_shape *s, struct staging_rule rule) {
    for (int q = 1; q < s->ulysses_size && rule.what == STAGED_SIDES; q++)
        if (head_share(s->heads, s->kv_heads, s->ulysses_size, q).kv0 ==
            head_share(s->heads, s->kv_heads, s->ulysses_size, q - 1).kv0)
            rule.what = STAGED_STRIDED;
    return rule;
}

/* Bytes of one tensor's blocks on both sides of a rank, for one peer. On the token side a block has
 * one row per token and lies in one piece only if it has all heads; on the head side one row per
 * batch entry. */
struct pair_bytes {
    size_t tokens, heads;
    bool tokens_strided, heads_strided;
};

static struct pair_bytes pair(const struct sp_shape *s, int rank, int peer, bool kv) {
    const struct head_share mine = head_share(s->heads, s->kv_heads, s->ulysses_size, rank);
    const struct head_share theirs = head_share(s->heads, s->kv_heads, s->ulysses_size, peer);
    const size_t token = (size_t)s->batch * local_tokens(s) * (size_t)s->head_dim * s->elem_bytes;
    const int all = kv ? s->kv_heads : s->heads;
    const int here = kv ? mine.nkv : mine.nq, there = kv ? theirs.nkv : theirs.nq;
    return (struct pair_bytes){
        .tokens = token * (size_t)there,
        .heads = token * (size_t)here,
        .tokens_strided = there != all && (size_t)s->batch * local_tokens(s) > 1,
        .heads_strided = s->batch > 1 && s->ulysses_size > 1,
    };
}

/* hosts: whose peers share memory with the rank, and need no packed copy. */
static size_t strided(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
                      int n_kv) {
    size_t bytes = 0;
    for (int peer = 0; peer < s->ulysses_size; peer++) {
        if (peer == rank || hosts_shared(hosts, rank, peer))
            continue;
        for (int kv = 0; kv < 2; kv++) {
            const struct pair_bytes b = pair(s, rank, peer, kv);
            const size_t n = (size_t)(kv ? n_kv : n_q);
            bytes += n * (b.tokens_strided ? b.tokens : 0);
            bytes += n * (b.heads_strided ? b.heads : 0);
        }
    }
    return bytes;
}

/* A single tensor's head side lies in peer order when there is one batch entry; everything else is
 * packed. One rank sends to nobody but itself, in place if its blocks follow one another. The token
 * side of a KV tensor of which heads are shared is one of gradients, a copy for each that shares
 * them: peers take turns with the copies, so that only those of a single head lie in their order.
 */
static size_t sides(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
                    int n_kv) {
    (void)hosts; /* a single library call for all of them */
    const bool copies =
        n_kv > 0 && s->kv_heads > 1 && kv_replica_slots(s->heads, s->kv_heads, s->ulysses_size) > 1;
    size_t tokens = 0, heads = 0;
    bool tokens_strided = n_q + n_kv > 1 || copies, heads_strided = n_q + n_kv > 1;
    for (int peer = 0; peer < s->ulysses_size; peer++)
        for (int kv = 0; kv < 2; kv++) {
            const struct pair_bytes b = pair(s, rank, peer, kv);
            const size_t n = (size_t)(kv ? n_kv : n_q);
            if (n == 0)
                continue;
            tokens += n * b.tokens;
            heads += n * b.heads;
            tokens_strided |= b.tokens_strided;
            heads_strided |= b.heads_strided;
        }
    return (tokens_strided ? tokens : 0) + (heads_strided ? heads : 0);
}

static size_t nothing(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
                      int n_kv) {
    (void)s;
    (void)rank;
    (void)hosts;
    (void)n_q;
    (void)n_kv;
    return 0;
}

typedef size_t formula_fn(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
                          int n_kv);

static formula_fn *const formulas[STAGED_KINDS] = {
    [STAGED_NOTHING] = nothing,
    [STAGED_STRIDED] = strided,
    [STAGED_SIDES] = sides,
};

size_t staging_ulysses(const struct sp_shape *s, int rank, struct staging_rule rule,
                       const struct hosts *hosts, int n_q, int n_kv) {
    static const struct hosts apart = {.keys = NULL};
    if (rule.what != STAGED_MOST)
        return formulas[rule.what](s, rank, rule.between_hosts ? hosts : &apart, n_q, n_kv);
    size_t most = 0;
    for (int k = STAGED_MOST + 1; k < STAGED_KINDS; k++) {
        const size_t bytes = formulas[k](s, rank, &apart, n_q, n_kv);
        most = bytes > most ? bytes : most;
    }
    return most;
}

struct packing staging_packing(struct staging_rule rule, const struct hosts *hosts, int rank,
                               int ranks) {
    if (rule.what == STAGED_NOTHING)
        return (struct packing){0, false};
    struct packing out = {ranks - 1, rule.what != STAGED_STRIDED};
    for (int peer = 0; rule.between_hosts && peer < ranks; peer++)
        out.peers -= peer != rank && hosts_shared(hosts, rank, peer);
    return out;
}

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

void algorithm_list_add(struct algorithm_list *list, const char *name) {
    const bool alike = list->n > 0 && !strchr(list->text, ',');
    const int before = list->n++;
    if (alike && strcmp(list->text, name) == 0)
        return;
    const struct algorithm_name first = staging_nth(list->text, 0);
    for (int i = 1; alike && i < before; i++) /* which one name stood for */
        append(list, first.text);
    append(list, name);
}

struct algorithm_name staging_nth(const char *algorithms, int index) {
    struct algorithm_name out;
    const char *at = algorithms;
    for (const char *comma; index > 0 && (comma = strchr(at, ',')); index--)
        at = comma + 1;
    snprintf(out.text, sizeof out.text, "%.*s", (int)strcspn(at, ","), at);
    return out;
}

const char *staging_algorithm(const char *transport, const char *mpi_algorithm, bool one_host) {
    const bool named = strcmp(mpi_algorithm, "auto") != 0, either = strcmp(transport, "auto") == 0;
    if (strcmp(transport, "mpi") == 0 || (either && (named || !one_host)))
        return mpi_algorithm;
    if (strcmp(transport, "hybrid") == 0 && !one_host) /* whose remote part is no all-to-all */
        return strcmp(mpi_algorithm, "datatype") == 0 ? "pull+datatype" : "pull+pairwise";
    return "pull";
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
static size_t pairwise(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
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
static size_t alltoall(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
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

/* What carries messages between hosts only, others inside a host, knows of hosts. */
static const struct rule {
    const char *algorithm;
    bool between_hosts;
    size_t (*bytes)(const struct sp_shape *s, int rank, const struct hosts *hosts, int n_q,
                    int n_kv);
} rules[] = {
    {"pairwise", false, pairwise},     {"alltoall", false, alltoall},
    {"datatype", false, nothing},      {"pull", false, nothing},
    {"pull+pairwise", true, pairwise}, {"pull+datatype", true, nothing},
    {"push", false, nothing},          {"push+pairwise", true, pairwise},
    {"push+datatype", true, nothing},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static const struct hosts apart = {.keys = NULL};

static const struct rule *rule_of(const char *algorithm) {
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].algorithm, algorithm) == 0)
            return &rules[i];
    return NULL;
}

size_t staging_ulysses(const struct sp_shape *s, int rank, const char *algorithm,
                       const struct hosts *hosts, int n_q, int n_kv) {
    const struct rule *rule = rule_of(algorithm);
    if (rule)
        return rule->bytes(s, rank, rule->between_hosts ? hosts : &apart, n_q, n_kv);
    size_t most = 0;
    for (size_t i = 0; i < RULES; i++) {
        const size_t bytes = rules[i].bytes(s, rank, &apart, n_q, n_kv);
        most = bytes > most ? bytes : most;
    }
    return most;
}

struct packing staging_packing(const char *algorithm, const struct hosts *hosts, int rank,
                               int ranks) {
    const struct rule *rule = rule_of(algorithm);
    if (rule && rule->bytes == nothing)
        return (struct packing){0, false};
    struct packing out = {ranks - 1, !rule || rule->bytes == alltoall};
    for (int peer = 0; rule && rule->between_hosts && peer < ranks; peer++)
        out.peers -= peer != rank && hosts_shared(hosts, rank, peer);
    return out;
}

/* Packed copies that plans keep, by formula (for memory predictions). */
#ifndef SPB_COMM_SHAPE_STAGING_H
#define SPB_COMM_SHAPE_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/shape/hosts.h"
#include "comm/shape/shape.h"

/* Which blocks of a plan are packed. */
enum staged {
    STAGED_MOST,    /* not known yet: the most of what follows */
    STAGED_NOTHING, /* they are copied straight, or described as they lie */
    STAGED_STRIDED, /* the strided ones, to and from other ranks */
    STAGED_SIDES,   /* the whole message of each side that does not lie as MPI_Alltoall wants it */
    STAGED_KINDS
};

struct staging_rule {
    enum staged what;
    bool between_hosts; /* of ranks on other hosts only */
};

/* The algorithms of several exchanges: one name where they are all the same, else one an exchange,
 * in the order in which they were planned, as "pairwise,datatype"; and their rules.
 * Zero-initialise.
 */
enum { ALGORITHM_RULES = 512 };
struct algorithm_list {
    char text[4096];
    struct staging_rule rules[ALGORITHM_RULES];
    int n;
};

/* Appends what plan_algorithm() and the plan's head say of the next exchange. A text that runs out
 * of room ends in "...", and rules that are not kept are STAGED_MOST. */
void algorithm_list_add(struct algorithm_list *list, const char *name, struct staging_rule rule);

/* What decides which blocks of a group's exchanges are packed. */
struct staging {
    struct staging_rule rule;             /* of all its plans ... */
    const struct algorithm_list *planned; /* ... or, not NULL, of each of them */
    struct hosts hosts;                   /* of its ranks */
};

/* Of the index-th plan. */
struct staging_rule staging_nth(const struct staging *how, int index);

/* Of an exchange of nothing but K or V to heads by this rule: where neighbours are sent the same
 * ones it is no all-to-all, and goes in pairs. */
struct staging_rule staging_kv_alone(const struct sp_shape *s, struct staging_rule rule);

/* Of one Ulysses exchange of n_q query-head and n_kv key/value tensors, in either direction: bytes
 * on this rank. hosts: of the Ulysses group. */
size_t staging_ulysses(const struct sp_shape *s, int rank, struct staging_rule rule,
                       const struct hosts *hosts, int n_q, int n_kv);

/* Of other exchanges over a group of `ranks`, where blocks are strided (contiguous ones travel in
 * place): for how many of the other ranks they are packed, and whether an all-to-all is one message
 * to the library, with the rank's own. */
struct packing {
    int peers;
    bool whole;
};
struct packing staging_packing(struct staging_rule rule, const struct hosts *hosts, int rank,
                               int ranks);

#endif

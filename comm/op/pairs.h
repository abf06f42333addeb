/* Exchanges between pairs of ranks: who meets whom in which round, and the plans of a round.
 *
 * A tournament lets every two ranks meet exactly once, in rounds of disjoint pairs. In each round
 * a rank has at most one peer, and with it plans in one direction, in the other, and in both. */
#ifndef SPB_COMM_OP_PAIRS_H
#define SPB_COMM_OP_PAIRS_H

#include <stdint.h>

#include "comm/op/data/pattern.h"
#include "comm/plan/plan.h"

/* Rounds of a tournament of so many ranks: P - 1, or P where P is odd; 0 below two. */
int tournament_rounds(int ranks);

/* Whom rank meets in this round, or -1: it has a bye, as one rank has in every round of an odd
 * number. Symmetric. (The circle method: Kirkman, "On a problem in combinations", 1847.) */
int tournament_peer(int ranks, int round, int rank);

/* Message sizes of a curve: 8 bytes, then times 4, and the largest one, in whole elements. */
enum { PAIRS_SIZES = 24 };
int pairs_sizes(size_t largest, size_t elem_bytes, size_t sizes[PAIRS_SIZES]);

/* Bytes that a rank sends in a verification of all rounds (pairs_verify), by formula: to every
 * other rank each size twice, in one direction and in both. */
size_t pairs_volume(const size_t *sizes, int n_sizes, int ranks);

enum pair_direction { PAIR_ONE, PAIR_BOTH, PAIR_DIRECTIONS };

struct pair_plans {
    struct plan *out, *back; /* from the lower rank to the higher one, and the other way */
    struct plan *both;       /* at once */
};

/* Zero-initialise. */
struct pairs {
    struct transport *transport;
    struct group *group;
    struct pattern pattern;
    struct buffer send, recv;
    const size_t *sizes; /* [n_sizes] bytes; borrowed */
    int n_sizes;
    int peer; /* of this round; -1: none */
    struct pair_plans plans[PAIRS_SIZES];
};

/* Buffers of the largest size. Collective over group; pairs_close() also after a failure. */
enum status pairs_open(struct pairs *pairs, struct transport *t, struct group *group,
                       struct pattern pattern, const size_t *sizes, int n_sizes);
void pairs_close(struct pairs *pairs);

/* The plans of a round, instead of those of the last one. Collective over the group. */
enum status pairs_enter(struct pairs *pairs, int round);

/* Runs count exchanges of sizes[size] with the peer, which does the same: messages in both
 * directions at once, or, one direction at a time, there and back. */
void pairs_run(struct pairs *pairs, enum pair_direction direction, int size, size_t count);

/* Exchanges each size in one direction and in both, on fresh data, and returns the number of
 * elements that are wrong on this rank. */
uint64_t pairs_verify(struct pairs *pairs);

/* Does this rank send first? */
bool pairs_leads(const struct pairs *pairs);

#endif

/* A transport around another one that breaks on purpose: proof that checks, --timeout and the
 * supervisor catch what they are there to catch. */
#ifndef SPB_COMM_WRAP_FAULT_H
#define SPB_COMM_WRAP_FAULT_H

#include "comm/plan/plan.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_CORRUPT, /* one received byte is flipped after every exchange */
    FAULT_HANG,    /* the rank never takes part in the exchange */
    FAULT_DIE      /* the rank is killed (SIGKILL) */
};

struct fault {
    enum fault_kind kind;
    int rank;      /* world rank that breaks */
    long exchange; /* the first exchange that breaks, counted from 1 over the run */
};

/* KIND[:RANK[:EXCHANGE]], e.g. "corrupt", "die:1:200"; false when it is not. */
bool fault_read(const char *text, struct fault *out);

/* NULL if text reads as a fault; otherwise what would be allowed. */
const char *fault_check(const char *text);

/* Takes over inner. counter counts this rank's exchanges over the run; the caller keeps it. */
enum status fault_open(struct transport *inner, const struct fault *fault, int world_rank,
                       long *counter, struct transport **out);

#endif

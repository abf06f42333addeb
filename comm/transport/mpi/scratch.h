/* A plan's stand-in: the same blocks, in buffers of its own that hold nothing of worth. */
#ifndef SPB_COMM_TRANSPORT_MPI_SCRATCH_H
#define SPB_COMM_TRANSPORT_MPI_SCRATCH_H

#include "comm/plan/plan.h"

struct scratch {
    struct plan_spec spec; /* refers to blocks, they to buffers */
    struct block *blocks;
    const struct buffer **originals; /* [n] */
    struct buffer *buffers;          /* [n], their stand-ins */
    size_t n;
    size_t bytes; /* of all buffers */
    struct mem_ledger ledger;
};

/* Lists the blocks and counts the bytes, for which there is no memory yet. false: none even for
 * that. Released with scratch_free(), also then. */
bool scratch_plan(struct scratch *s, const struct plan_spec *spec);

/* Gives the buffers memory as the mpi transport has it, entered into a ledger of the trial's, and
 * touches it. */
bool scratch_fill(struct scratch *s);
void scratch_free(struct scratch *s);

#endif

/* A plan of the mpi transport, carried out by one algorithm. */
#ifndef SPB_COMM_TRANSPORT_MPI_PLAN_H
#define SPB_COMM_TRANSPORT_MPI_PLAN_H

#include "comm/plan/plan.h"
#include "comm/transport/mpi/algorithm.h"

/* A plan's own copy of its block lists, and what its algorithm keeps. */
struct mpi_plan {
    struct plan base;
    struct group *group;
    const struct mpi_algorithm *algorithm;
    int tag;
    size_t unit; /* 1, 2, 4 or 8: divides rows, strides and offsets on all ranks */
    struct block *send, *recv;
    size_t n_send, n_recv;
    char *staging_send, *staging_recv; /* packed messages, or NULL where blocks are sent in place */
    void *state;                       /* the algorithm's */
};

/* What a plan is like; the same on all ranks of its group. */
struct plan_traits {
    int tag;      /* of group_take_tag(); plans that do not live at the same time may share one */
    bool dense;   /* an all-to-all, in which every rank sends data of its own to every peer */
    bool strided; /* some rank has a block that is not one run of memory */
    double bytes; /* the most that a rank sends or receives, its own blocks included */
    size_t unit;  /* as in struct mpi_plan */
};

/* A plan by one algorithm. Collective over spec->group: a plan on all ranks or on none. */
enum status mpi_plan_build(struct transport *t, const struct plan_spec *spec,
                           const struct mpi_algorithm *algorithm, const struct plan_traits *traits,
                           struct plan **out);

/* The transport's operations on plans. */
void mpi_plan_start(struct plan *plan);
bool mpi_plan_progress(struct plan *plan);
void mpi_plan_wait(struct plan *plan);
void mpi_plan_free(struct plan *plan);
const char *mpi_plan_algorithm(const struct plan *plan);

#endif

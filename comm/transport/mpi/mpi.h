/* The `mpi` transport: strided blocks as MPI messages, by one of several algorithms. */
#ifndef SPB_COMM_TRANSPORT_MPI_MPI_H
#define SPB_COMM_TRANSPORT_MPI_MPI_H

#include "comm/transport/transport.h"

bool mpi_transport_available(char *why, size_t why_size);
bool mpi_transport_reaches(const struct transport_config *config, char *why, size_t why_size);
enum status mpi_transport_open(const struct transport_config *config, struct transport **out);

/* Between mpi_transport.c and its algorithms. */

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

/* One way to carry out a plan over MPI: a row of mpi_algorithm_table. */
struct mpi_algorithm {
    const char *name;
    const char *help;
    bool needs_every_peer; /* for plans in which all ranks send to all only */
    bool for_strided;      /* nothing new where no block is strided */
    size_t most_bytes;     /* that a rank can send or receive; 0: no limit */
    enum status (*create)(struct mpi_plan *plan); /* fills state and staging */
    void (*start)(struct mpi_plan *plan);
    bool (*progress)(struct mpi_plan *plan);
    void (*destroy)(struct mpi_plan *plan);
};

extern const struct mpi_algorithm mpi_pairwise; /* one nonblocking message a block */
extern const struct mpi_algorithm mpi_datatype; /* the same with derived datatypes */
extern const struct mpi_algorithm mpi_alltoall; /* pack, the library's all-to-all, unpack */

/* Terminated by NULL; the first one carries out every plan. */
extern const struct mpi_algorithm *const mpi_algorithm_table[];

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

#endif

/* --mpi-algo auto: for each plan, the algorithm that a short trial finds fastest. */
#ifndef SPB_COMM_TRANSPORT_MPI_CHOICE_H
#define SPB_COMM_TRANSPORT_MPI_CHOICE_H

#include "comm/transport/mpi/plan.h"

/* What can be chosen from, and what was chosen before, so that plans of one shape are carried out
 * alike. Zero-initialise but for the algorithms. */
struct mpi_choices {
    const struct mpi_algorithm *const *algorithms; /* up to NULL; the first carries out all plans */
    struct mpi_choice *v;
    size_t n, room;
};
void mpi_choices_free(struct mpi_choices *choices);

/* Runs the plan by each algorithm that can carry it out, on memory of its own: the plan's buffers,
 * the transport's counters, ledger and trace stay as they are. Some 20 ms an algorithm at most, or
 * five exchanges where they take longer. Takes the one with the lowest median over iterations of
 * the slowest rank's time; without memory for a trial the first one. Collective over
 * spec->group, the same choice on all its ranks. */
const struct mpi_algorithm *mpi_choose(struct mpi_choices *choices, const struct transport *t,
                                       const struct plan_spec *spec,
                                       const struct plan_traits *traits);

#endif

/* Exchanges that run while something is computed. They run one after the other, in the order in
 * which they were asked for, so that what is needed first is not held up by what is needed later,
 * and all ranks start the same ones in the same order. Progress is made by polling. */
#ifndef SPB_COMM_PLAN_IN_FLIGHT_H
#define SPB_COMM_PLAN_IN_FLIGHT_H

#include "comm/plan/plan.h"

/* Of one rank; used by the thread that drives the exchanges. A plan is in one list at most. */
struct in_flight {
    bool overlap;         /* else an exchange is over when it has been started */
    struct trace *trace;  /* borrowed */
    struct plan *first;   /* that was asked for and is not finished yet */
    struct plan *running; /* those before it are over; NULL: all are */
};

/* Asks for an exchange, unless it was asked for already; NULL: nothing. Its buffers are its own
 * until it is finished. Waiting counts as the phase. */
void in_flight_start(struct in_flight *f, struct plan *plan, enum phase phase);

/* The same where the result is not needed soon: nothing without overlap. */
void in_flight_ahead(struct in_flight *f, struct plan *plan, enum phase phase);

/* Waits until it is over, and so are those before it. One that was not asked for is. */
void in_flight_finish(struct in_flight *f, struct plan *plan, enum phase phase);

/* Whether anything is under way. */
bool in_flight_any(const struct in_flight *f);

/* What kernels call while they compute: arg is a struct in_flight. */
void in_flight_poll(void *arg);

#endif

/* What a case runs on: its ranks, memory and transport. */
#ifndef SPB_BENCH_SESSION_CASE_SETUP_H
#define SPB_BENCH_SESSION_CASE_SETUP_H

#include "bench/cases/grid_shape.h"
#include "bench/session/session.h"
#include "comm/ranks/grid.h"
#include "comm/transport/transport.h"
#include "comm/wrap/traffic.h"

struct case_setup {
    struct process_grid grid;
    struct mem_ledger ledger;
    struct transport *transport; /* what plans are made on */
    struct transport *tap;       /* the same with a tap, else NULL */
    struct traffic_log traffic;  /* of it */
};

/* Collective over the world. Closed by case_setup_close(), also after a failure. */
enum status case_setup_open(struct case_setup *setup, struct session *s,
                            const struct grid_shape *grid, bool tap);
void case_setup_close(struct case_setup *setup);

/* Where the ranks of the case's SP group are. */
struct hosts case_setup_hosts(const struct session *s, const struct case_setup *setup);

#endif

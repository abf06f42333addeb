/* What a case runs on: its ranks, memory and transport. */
#ifndef SPB_BENCH_SESSION_SETUP_H
#define SPB_BENCH_SESSION_SETUP_H

#include "bench/cases/spread.h"
#include "bench/session/session.h"
#include "comm/ranks/grid.h"
#include "comm/transport/transport.h"
#include "comm/wrap/traffic.h"

struct setup {
    struct process_grid grid;
    struct mem_ledger ledger;
    struct transport *transport; /* what plans are made on */
    struct transport *tap;       /* the same with a tap, else NULL */
    struct traffic_log traffic;  /* of it */
};

/* Collective over the world. Closed by setup_close(), also after a failure. */
enum status setup_open(struct setup *setup, struct session *s, const struct spread *spread,
                       bool tap);
void setup_close(struct setup *setup);

/* Where the ranks of the case's SP group are. */
struct hosts setup_hosts(const struct session *s, const struct setup *setup);

#endif

/* What every measured case sets up and records in the same way. */
#ifndef SPB_BENCH_MEASURE_SETUP_H
#define SPB_BENCH_MEASURE_SETUP_H

#include <jansson.h>

#include "bench/cases/cases.h"
#include "bench/cases/spread.h"
#include "bench/launch/run.h"
#include "bench/links/rates.h"
#include "bench/measure/measure.h"
#include "comm/ranks/grid.h"
#include "comm/transport/transport.h"
#include "comm/wrap/fault.h"
#include "comm/wrap/traffic.h"
#include "topology/place/placement.h"

/* What is known of the links of a launch under one transport (bench/links/source.h). */
struct link_source {
    const char *transport;
    bool found;     /* rank 0 */
    bool cold_done; /* rates.model.cold were asked for */
    struct link_rates rates;
};

enum { LINK_SOURCES = 4, MOST_ADVICE = 16 };

/* A command's run over its cases, on one rank. */
struct session {
    struct run *run;
    uint64_t *host_keys; /* of run->places, [run->world->size] */
    struct sweep *sweep;
    struct options options; /* of the case that runs, as they were asked for */
    char title[TITLE_ROOM]; /* what it is called in messages */
    struct measure_config config;
    size_t cache_bytes; /* of last-level cache, where a host has the most */
    struct group crowd; /* the ranks that must share cores with this one */
    struct fault fault;
    long exchanges; /* of this rank so far, for the fault */
    struct link_source sources[LINK_SOURCES];
    int n_sources;
    struct placement_shape
        advised[MOST_ADVICE]; /* what advice was given for (bench/links/advice.h) */
    int n_advised;
};

enum status session_open(struct session *s, struct run *run);
void session_close(struct session *s);

/* How the case is measured: the session's settings, with the case's own. */
struct measure_config case_config(const struct session *s);

/* One case's ranks, memory and transport. */
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

/* Params that every kind of record has, and those that the rows of options say; scope: as in
 * options_keep(). transport and algorithm are the resolved ones; algorithm as in struct
 * algorithm_list. */
void setup_record(const struct session *s, const struct setup *setup, const char *const *scope,
                  const struct spread *spread, const char *algorithm, json_t *record);

/* Time, samples and phases of a measurement. */
void measurement_record(const struct measurement *m, json_t *record);

/* Peak memory: the ledger's and the process's, the maximum over ranks per value. Collective. */
struct peaks {
    uint64_t total, rss;
    uint64_t category[MEM_CATEGORIES];
};
struct peaks peaks_over_ranks(const struct group *world, const struct mem_ledger *ledger);

/* Completes the record under its case name and hands it to the sink. Rank 0; nothing elsewhere. */
enum status finish_record(struct session *s, json_t *record);

#endif

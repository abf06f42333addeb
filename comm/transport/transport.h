/* The ways to reach peers: rows of a table, one of which is opened for a run.
 *
 * A new one is a file with its row and its name in the list of table.c. */
#ifndef SPB_COMM_TRANSPORT_TRANSPORT_H
#define SPB_COMM_TRANSPORT_TRANSPORT_H

#include "comm/plan/plan.h"

struct mpi_algorithm;

struct transport_config {
    const struct mpi_algorithm *algorithm; /* --mpi-algo; NULL: auto */
    struct mem_ledger *ledger;
    struct trace *trace;
    const struct group *world; /* all ranks; opening is collective over it */
    uint64_t host_key;         /* equal on ranks that share a host (topology/place/place.h) */
    size_t cache_bytes;        /* of last-level cache, equal on all ranks; 0: unknown */
};

/* How much of an exchange --mpi-algo decides. Naming an algorithm rules all out of "auto" that do
 * not carry out everything by it. */
enum algorithm_use { ALGORITHM_UNUSED, ALGORITHM_BETWEEN_HOSTS, ALGORITHM_EVERYWHERE };

/* One way to reach peers: a row of transport_table. */
struct transport_row {
    const char *name;
    const char *help;
    enum algorithm_use algorithm;
    bool one_host; /* it reaches no other one */
    /* false: this build or machine has none, and why says so. */
    bool (*available)(char *why, size_t why_size);
    /* Whether it joins all ranks of this run; why says so in either case. Collective over the
     * world, the same answer on all ranks. */
    bool (*reaches)(const struct transport_config *config, char *why, size_t why_size);
    /* What its plans pack with this --mpi-algo, on one host or on several. */
    struct staging_rule (*staging)(const struct mpi_algorithm *algorithm, bool one_host);
    enum status (*open)(const struct transport_config *config, struct transport **out);
};

/* Terminated by NULL; "auto" tries them in this order. */
extern const struct transport_row *const transport_table[];

/* What stages when a row (NULL: "auto") is asked for with this --mpi-algo: STAGED_MOST where a
 * trial, or between several rows the hosts, will decide. */
struct staging_rule transport_staging(const struct transport_row *row,
                                      const struct mpi_algorithm *algorithm, bool one_host);

/* Opens a row; NULL: "auto", the first one that is available and reaches all ranks (and carries out
 * everything by the algorithm, where config names one).
 * Collective over config->world. Closed by transport_close(). */
enum status transport_open(const struct transport_row *row, const struct transport_config *config,
                           struct transport **out);

#endif

/* The ways to reach peers: rows of a table, one of which is opened for a run.
 *
 * A new one is a file with its row and its name in the list of table.c. */
#ifndef SPB_COMM_TRANSPORT_TRANSPORT_H
#define SPB_COMM_TRANSPORT_TRANSPORT_H

#include "comm/plan/plan.h"

struct transport_config {
    const char *algorithm; /* --mpi-algo: "auto" or a name of mpi_algorithm_table */
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
    struct staging_rule (*staging)(const char *algorithm, bool one_host);
    enum status (*open)(const struct transport_config *config, struct transport **out);
};

/* Terminated by NULL; "auto" tries them in this order. */
extern const struct transport_row *const transport_table[];

/* The row called name; NULL: there is none, as for "auto". */
const struct transport_row *transport_find(const char *name);

/* What stages when a transport is asked for by name with this --mpi-algo: STAGED_MOST where a
 * trial, or between several rows of "auto" the hosts, will decide. */
struct staging_rule transport_staging(const char *name, const char *algorithm, bool one_host);

/* Opens a transport by name; "auto" takes the first row that is available and reaches all ranks
 * (and has the algorithm, where config names one).
 * Collective over config->world. Closed by transport_close(). */
enum status transport_open(const char *name, const struct transport_config *config,
                           struct transport **out);

#endif

/* Exchanges are planned: there is no other way to communicate tensors.
 *
 * An exchange is a list of strided 2-D blocks on the send and on the receive side. plan_create() is
 * collective; then plan_start(), plan_progress(), plan_wait() any number of times. The k-th block
 * that rank p sends to q fills the k-th block that q receives from p; their shapes may differ,
 * their byte counts not. Blocks whose peer is the rank itself are local copies.
 *
 * A transport is one row of a table. Wrappers (comm/wrap/tap.h, comm/wrap/fault.h) are transports
 * around another one: measurement modes and fault injection are not known to any exchange or
 * method. */
#ifndef SPB_COMM_TRANSPORT_TRANSPORT_H
#define SPB_COMM_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ledger.h"
#include "base/status.h"
#include "base/trace.h"
#include "comm/ranks/group.h"

/* What the bytes are for; the two are counted apart. */
enum traffic { TRAFFIC_SP, TRAFFIC_PARAM, TRAFFIC_KINDS };

/* Memory that can be exchanged. data may be read and written between wait and start. */
struct buffer {
    void *data;
    size_t bytes;
    void *handle; /* the transport's own */
};

struct block {
    int peer; /* rank in the plan's group */
    const struct buffer *buffer;
    size_t offset;    /* bytes from the start of the buffer */
    size_t rows;      /* number of rows */
    size_t row_bytes; /* contiguous bytes of one row */
    size_t stride;    /* bytes from one row's start to the next one's */
};

struct plan_spec {
    struct group *group;
    enum traffic traffic;
    const struct block *send, *recv;
    size_t n_send, n_recv;
};

struct transport;
struct traffic_log;

/* What every transport's plan begins with. */
struct plan {
    struct transport *transport;
    enum traffic traffic;
    size_t send_bytes; /* to other ranks, per start */
    size_t own_bytes;  /* to itself, per start */
    bool started;
};

struct transport_ops {
    const char *name;
    const char *help;
    enum status (*alloc)(struct transport *t, enum mem_category category, size_t bytes,
                         struct buffer *out);
    void (*free)(struct transport *t, struct buffer *buffer);
    enum status (*plan_create)(struct transport *t, const struct plan_spec *spec,
                               struct plan **out);
    void (*plan_start)(struct plan *plan);
    bool (*plan_progress)(struct plan *plan); /* true: complete */
    void (*plan_wait)(struct plan *plan);
    void (*plan_free)(struct plan *plan);
    const char *(*algorithm)(const struct plan *plan); /* as recorded, e.g. "pairwise" */
    void (*close)(struct transport *t);
};

/* What every transport begins with. ledger and trace are borrowed and outlive it; wrappers take
 * over what the inner one says. */
struct transport {
    const struct transport_ops *ops;
    const char *name;    /* of its row */
    char chosen_as[240]; /* why "auto" took it, "" when it was asked for by name */
    struct mem_ledger *ledger;
    struct trace *trace;
    struct traffic_log
        *log; /* is told of plans and exchanges (comm/wrap/traffic.h); NULL: nobody is */
    uint64_t
        sent[TRAFFIC_KINDS]; /* payload bytes handed to other ranks: counted where they leave */
};

struct transport_config {
    const char *algorithm; /* --mpi-algo: "auto" or a name of mpi_algorithm_table */
    struct mem_ledger *ledger;
    struct trace *trace;
    const struct group *world; /* all ranks; opening is collective over it */
    uint64_t host_key;         /* equal on ranks that share a host (topology/place/place.h) */
    size_t cache_bytes;        /* of last-level cache, equal on all ranks; 0: unknown */
};

/* One way to reach peers: a row of transport_table. */
struct transport_row {
    const char *name;
    const char *help;
    /* false: this build or machine has none, and why says so. */
    bool (*available)(char *why, size_t why_size);
    /* Whether it joins all ranks of this run; why says so in either case. Collective over the
     * world, the same answer on all ranks. */
    bool (*reaches)(const struct transport_config *config, char *why, size_t why_size);
    enum status (*open)(const struct transport_config *config, struct transport **out);
    bool mpi_algorithms; /* --mpi-algo means something to it: naming one rules the others out of
                            "auto" */
};

/* Terminated by a row without a name. */
extern const struct transport_row transport_table[];

/* Opens a transport by name; "auto" takes the first row that is available and reaches all ranks
 * (and has the algorithm, where config names one).
 * Collective over config->world. Closed by transport_close(). */
enum status transport_open(const char *name, const struct transport_config *config,
                           struct transport **out);
void transport_close(struct transport *t);

/* bytes of memory for exchanges, accounted to category; freed before the transport is closed. */
enum status buffer_alloc(struct transport *t, enum mem_category category, size_t bytes,
                         struct buffer *out);
void buffer_free(struct transport *t, struct buffer *buffer);

/* Collective over spec->group. The buffers must outlive the plan and keep their contents, the block
 * lists need not outlive it.
 * ST_USAGE/ST_ENV on all ranks when one of them cannot. */
enum status plan_create(struct transport *t, const struct plan_spec *spec, struct plan **out);
void plan_start(struct plan *plan);
bool plan_progress(struct plan *plan);
void plan_wait(struct plan *plan);
void plan_free(struct plan *plan);
const char *plan_algorithm(const struct plan *plan);

/* start and wait in one. */
void plan_run(struct plan *plan);

#endif

/* Exchanges are planned: there is no other way to communicate tensors.
 *
 * An exchange is a list of strided 2-D blocks on the send and on the receive side. plan_create() is
 * collective; then plan_start(), plan_progress(), plan_wait() any number of times. The k-th block
 * that rank p sends to q fills the k-th block that q receives from p; their shapes may differ,
 * their byte counts not. Blocks whose peer is the rank itself are local copies.
 *
 * What carries it out is a transport: one that reaches peers (comm/transport), or one around
 * another (comm/wrap): measurement modes and fault injection are not known to any exchange or
 * method. */
#ifndef SPB_COMM_PLAN_PLAN_H
#define SPB_COMM_PLAN_PLAN_H

#include <stdint.h>

#include "base/ledger.h"
#include "base/status.h"
#include "base/trace.h"
#include "comm/plan/block.h"
#include "comm/ranks/group.h"
#include "comm/shape/staging.h"

/* What the bytes are for; the two are counted apart. */
enum traffic { TRAFFIC_SP, TRAFFIC_PARAM, TRAFFIC_KINDS };

struct plan_spec {
    struct group *group;
    enum traffic traffic;
    const struct block *send, *recv;
    size_t n_send, n_recv;
};

struct transport;
struct transport_row;

/* What every transport's plan begins with. */
struct plan {
    struct transport *transport;
    enum traffic traffic;
    size_t send_bytes; /* to other ranks, per start */
    size_t own_bytes;  /* to itself, per start */
    struct staging_rule stages;
    bool started;
    struct plan *next; /* that was asked for after it (comm/plan/in_flight.h) */
};

struct transport_ops {
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
    const struct transport_row *row; /* comm/plan/plan.h */
    char chosen_as[240];             /* why "auto" took it, "" when it was asked for by name */
    struct mem_ledger *ledger;
    struct trace *trace;
    uint64_t
        sent[TRAFFIC_KINDS]; /* payload bytes handed to other ranks: counted where they leave */
};

/* What transport_open() or a wrapper made. NULL is allowed. */
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

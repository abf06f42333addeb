/* Private to comm/shm_*.c: a plan of the shm transport, and how it is connected to its peers'. */
#ifndef SPB_COMM_TRANSPORT_SHM_PLAN_H
#define SPB_COMM_TRANSPORT_SHM_PLAN_H

#include "comm/copy/list.h"
#include "comm/plan/peer_bytes.h"
#include "comm/transport/shm/pool.h"
#include "comm/transport/shm/signal.h"

/* What a buffer's handle points to. */
struct shm_buffer {
    struct shm_piece piece;
    enum mem_category category;
};

struct shm_transport {
    struct transport base;
    struct shm_pool pool;
    struct shm_segment bell; /* a struct shm_bell: this rank's */
    struct shm_plan *active; /* plans between start and the end of wait */
    size_t cache_bytes;      /* last-level cache of the host ... */
    int ranks_here;          /* ... and the ranks that share it */
};

/* A rank whose memory this one copies from (pull) or into (push). */
struct shm_partner {
    struct copy_list copies;      /* pull only */
    const struct shm_flag *ready; /* raised by the partner: its blocks may be read, or written */
    struct shm_flag *ack;         /* raised here: that has been done */
    struct shm_bell *bell;        /* the partner's */
};

/* A rank that copies from this one's memory, or into it. */
struct shm_mover {
    const struct shm_flag *ack; /* in this plan's flags */
    struct shm_bell *bell;      /* the mover's */
};

struct shm_plan {
    struct plan base;
    struct group *group;
    struct shm_plan *next; /* in the transport's list of active plans */
    uint64_t exchange;     /* counts starts */
    copy_rows_fn *copy;
    bool push; /* the sender writes into its receivers' memory, else the receiver reads the
                  senders' */

    struct shm_segment flags;     /* struct shm_flag [1 + n_movers]: ready, then the movers' acks */
    struct shm_segment *attached; /* of peers */
    size_t n_attached;

    struct copy_list own;         /* blocks for this rank itself; push: for everybody, woven */
    struct shm_partner *partners; /* by rising distance, so that no rank is everybody's first */
    struct shm_mover *movers;
    size_t n_partners, n_movers;

    /* Of the running exchange. */
    bool own_done;
    size_t *pending; /* [n_pending] partners that are not served to the end, in order */
    size_t n_pending;
    size_t opened; /* partners that are ready, counted in order; push */
    size_t acked;  /* movers that are done, counted in order */
};

static inline struct shm_flag *shm_plan_flag(const struct shm_plan *plan, size_t i) {
    return (struct shm_flag *)plan->flags.data + i;
}

/* Fills in flags, attached, own, partners and movers by swapping descriptors with the peers that
 * bytes names. Collective over spec->group; the status is this rank's own. */
enum status shm_connect(struct shm_plan *plan, const struct plan_spec *spec,
                        const struct peer_bytes *bytes);

/* Releases what shm_connect() made, also in part. */
void shm_disconnect(struct shm_plan *plan);

/* The transport's operations on plans. */
enum status shm_plan_create(struct transport *t, const struct plan_spec *spec, struct plan **out);
void shm_plan_start(struct plan *plan);
bool shm_plan_progress(struct plan *plan);
void shm_plan_wait(struct plan *plan);
void shm_plan_free(struct plan *plan);

#endif

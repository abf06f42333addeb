/* One direction of an operation: its buffers and plans, how they are filled, run and verified, and
 * its volume and memory by formula. */
#ifndef SPB_COMM_OP_STAGE_STAGE_H
#define SPB_COMM_OP_STAGE_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/plan/exchange.h"
#include "comm/ranks/usp.h"
#include "comm/shape/staging.h"

/* Sized by bytes (of the rank's whole send buffer; for gather and reduce operations of the whole
 * gathered buffer, as nccl-tests' "size") or by a model's shape. */
struct op_params {
    bool by_shape;
    size_t bytes;          /* by bytes */
    struct sp_shape shape; /* by shape; elem_bytes and grad_bytes always */
    uint32_t seed;
    bool separate_qkv;    /* ulysses, usp: an all-to-all each for Q, K and V, not one for all */
    bool both_ways;       /* ring, ring-hop: halves of a block travel in opposite directions */
    enum usp_inner inner; /* usp; shape.ulysses_size x shape.ring_size = shape.sp_size */
};

struct op_stage;

/* One direction of an operation: a row in one of the files beside this. */
struct stage_ops {
    bool (*supports)(const struct op_params *p, int ranks, char *why, size_t why_size);
    size_t (*send_buffer)(const struct op_params *p, int ranks); /* bytes, own block included */
    size_t (*per_peer)(const struct op_params *p, int ranks);    /* bytes; NULL: differs by peer */
    size_t (*volume)(const struct op_params *p, int ranks, int rank); /* predicted bytes sent */
    /* Bytes of exchange memory that create() takes, by formula. */
    size_t (*memory)(const struct op_params *p, int ranks, int rank, const struct staging *how);
    enum status (*create)(struct op_stage *stage);
    void (*fill)(struct op_stage *stage); /* sources generated, destinations poisoned */
    void (*run)(struct op_stage *stage);
    /* Runs once more on fresh data and returns the number of wrong elements on this rank. */
    uint64_t (*verify)(struct op_stage *stage);
};

enum { STAGE_BUFFERS = 12, STAGE_PLANS = 8 };

/* A stage with its buffers and plans; which is which is the row's business. */
struct op_stage {
    const struct stage_ops *ops;
    bool backward;
    struct transport *transport;
    struct group *group;
    struct usp *usp; /* the groups inside it, of the whole operation: open for usp only */
    struct op_params params;
    struct buffer buffers[STAGE_BUFFERS];
    struct plan *plans[STAGE_PLANS];
};

/* An operation: what autograd would run forward and backward. */
struct op_row {
    const char *name;
    const char *help;
    const struct stage_ops *forward, *backward;

    /* Keys of options that not all operations have, of those it has; ends with NULL. NULL: none. */
    const char *const *options;

    /* Splits sp_size into Ulysses groups and rings. The ulysses_size that was asked for, or 0, is
     * there. NULL: it has neither. */
    void (*split)(struct sp_shape *shape);
    bool two_groups; /* it has both, of sizes that can be chosen */

    const char *total_rate; /* metric: what all ranks together send over the time, or NULL */
};

/* Buffers of the exchange category; of several, the ranks agree only once. Collective.
 */
struct buffer_size {
    int index;
    size_t bytes;
};
enum status stage_buffers(struct op_stage *stage, const struct buffer_size *sizes, int n);
enum status stage_buffer(struct op_stage *stage, int index, size_t bytes);

/* n elements of elem_bytes that fit into bytes, as bytes. */
static inline size_t whole_elements(size_t bytes, size_t elem_bytes) {
    return bytes / elem_bytes * elem_bytes;
}

#endif

/* The operations of `spbench comm`: exchanges alone, on generated data, verified element by
 * element.
 *
 * An operation is a forward stage and a backward stage (what autograd would run); a stage is a row
 * that knows how to create its buffers and plans, fill, run, verify, and its volume by formula. */
#ifndef SPB_COMM_OP_OP_H
#define SPB_COMM_OP_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/plan/exchange.h"
#include "comm/ranks/usp.h"
#include "comm/shape/staging.h"

enum op_pass { OP_FORWARD = 1, OP_BACKWARD = 2, OP_BOTH = 3 };

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

/* One direction of an operation: a row in one of the op_*.c files. */
struct stage_ops {
    bool (*supports)(const struct op_params *p, int ranks, char *why, size_t why_size);
    size_t (*send_buffer)(const struct op_params *p, int ranks); /* bytes, own block included */
    size_t (*per_peer)(const struct op_params *p, int ranks);    /* bytes; 0: differs by peer */
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

struct op_row {
    const char *name;
    const char *help;
    const struct stage_ops *forward, *backward;
    const char *total_rate; /* metric: what all ranks together send over the time, or NULL */
};

/* Terminated by a row without a name. */
extern const struct op_row op_table[];

/* The row called name, or NULL. */
const struct op_row *op_find(const char *name);

/* An operation ready to run: one or two stages. It stays where it was created. */
struct op {
    const struct op_row *row;
    struct usp usp;
    struct op_stage stages[2];
    int n_stages;
};

/* false, and why: the pass or the size does not suit the operation. */
bool op_supports(const struct op_row *row, enum op_pass pass, const struct op_params *p, int ranks,
                 char *why, size_t why_size);

size_t op_send_buffer(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      int ranks);
size_t op_per_peer(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                   int ranks);

/* Predicted bytes that one rank sends; and the maximum over ranks. */
size_t op_rank_volume(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      int ranks, int rank);
size_t op_volume(const struct op_row *row, enum op_pass pass, const struct op_params *p, int ranks);

/* Predicted exchange memory, the maximum over ranks. */
size_t op_memory(const struct op_row *row, enum op_pass pass, const struct op_params *p, int ranks,
                 const struct staging *how);

/* Collective over group. On failure nothing is left to free. */
enum status op_create(const struct op_row *row, enum op_pass pass, const struct op_params *p,
                      struct transport *t, struct group *group, struct op *out);
void op_free(struct op *op);

void op_fill(struct op *op);
void op_run(struct op *op);

/* Wrong elements on this rank. Collective: it runs the exchanges. */
uint64_t op_verify(struct op *op);

/* Bytes that a run moves from this rank to itself. */
size_t op_own_bytes(const struct op *op);

/* The algorithms of all its plans, in their order ("none": there is no plan). */
struct algorithm_list op_algorithms(const struct op *op);

/* Exchange memory of this rank by formula, with the algorithms that its plans have, and the hosts
 * of the group that it was created over. */
size_t op_memory_as_planned(const struct op *op, const struct hosts *hosts);

/* Rows used by op_table. */
extern const struct stage_ops stage_alltoall, stage_bisection;
extern const struct stage_ops stage_ulysses_forward, stage_ulysses_backward;
extern const struct stage_ops stage_usp_forward, stage_usp_backward;
extern const struct stage_ops stage_ring, stage_ring_backward, stage_hop, stage_hop_backward;
extern const struct stage_ops stage_allgather, stage_allgather_backward;
extern const struct stage_ops stage_reduce_scatter, stage_allreduce;

/* For stages: buffers of the exchange category; of several, the ranks agree only once. Collective.
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

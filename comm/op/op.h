/* The operations of `spbench comm`: exchanges alone, on generated data, verified element by
 * element.
 *
 * A new one is a file in comm/op/stage with its row, and the row's name in the list of table.c. */
#ifndef SPB_COMM_OP_OP_H
#define SPB_COMM_OP_OP_H

#include "comm/op/stage/stage.h"

enum op_pass { OP_FORWARD = 1, OP_BACKWARD = 2, OP_BOTH = 3 };

/* "fwd", "bwd", "fwdbwd". */
const char *op_pass_name(enum op_pass pass);

/* Terminated by NULL. */
extern const struct op_row *const op_table[];

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

#endif

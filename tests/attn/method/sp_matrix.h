/* Every way to run a layer that the tests know: a table of dimensions, and the problem that a
 * choice of one value of each stands for. */
#ifndef SPB_TESTS_ATTN_METHOD_SP_MATRIX_H
#define SPB_TESTS_ATTN_METHOD_SP_MATRIX_H

#include "attn/formula/method.h"

/* The first ones say what is computed, the others how. */
enum sp_dim {
    DIM_MASK,
    DIM_DTYPE,
    DIM_SHAPE, /* sequences and heads */
    DIM_SEQ,   /* that divides, and not */
    DIM_PROJECTIONS,
    DIM_PASS,
    DIM_METHOD, /* with its split of the ranks and its order, and the grid around it */
    DIM_LAYOUT,
    DIM_FUSE_QKV,
    DIM_OVERLAP,
    DIM_KV_GROUPS,
    DIM_GRAD_DTYPE,
    DIM_EXCHANGE, /* transport and algorithm */
    DIM_PLACEMENT,
    DIM_CHECK, /* whether check_layer() is asked, too */
    SP_DIMS
};

struct sp_choice {
    int v[SP_DIMS];
};

/* Values of a dimension on this many ranks. */
int sp_dim_size(enum sp_dim dim, int ranks);

/* The problem; *method and *exchange: what run_open() takes. The mask is opened: mask_close(). */
struct problem sp_choice_problem(const struct sp_choice *c, int ranks,
                                 const struct sp_method **method, const char **exchange);

/* Whether the value of a dimension changes anything, given the others, against value 0: only then
 * it makes another case. */
bool sp_choice_matters(const struct sp_choice *c, int ranks, enum sp_dim dim);

/* As on the command line, about. */
void sp_choice_text(const struct sp_choice *c, const struct problem *p,
                    const struct sp_method *method, const char *exchange, char *out, size_t size);

#endif

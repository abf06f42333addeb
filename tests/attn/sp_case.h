/* Layers over a group of ranks, for the tests of methods, layer and check. */
#ifndef SPB_TESTS_ATTN_SP_CASE_H
#define SPB_TESTS_ATTN_SP_CASE_H

#include "attn/check.h"
#include "attn/method.h"
#include "tests/mpi_test.h"

/* A layer with everything that it borrows. */
struct run {
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *transport;
    struct device *dev;
    struct grid grid;
    struct layer layer;
    const char *algorithm;
};

/* Collective over world. wrap, if any, puts another transport around the mpi one. */
void run_open(struct run *r, const struct problem *p, const struct sp_method *method,
              struct group *world, const char *algorithm,
              struct transport *(*wrap)(struct transport *inner));
/* Also asserts that all memory was given back. */
void run_close(struct run *r);

/* The measured pass, once. */
void run_pass(struct run *r);

/* Ledger peaks against predict_memory(), every category. */
void assert_memory_predicted(const struct run *r);

/* The same problem on one rank: the groups' batches are its batch. */
struct problem local_problem(const struct problem *p);

/* Greatest max|x - ref| / max|ref| over all ranks' rows of each tensor (both weight gradients of
 * the stacked unit count as dwq), ref being local's. A row of dq or dk can vanish (a query that
 * sees one key has dq = 0) and leave the rounding of its terms, which are as large as the tensor's
 * greatest elements: the divisor is at least a tenth of these, as in ref_grad_error(). Collective.
 */
void run_compare(const struct run *r, const struct run *local, double error[CHECK_TENSORS]);

/* Fails, naming the errors, unless all are below the tolerance. */
void assert_errors(const double error[CHECK_TENSORS], double tolerance);

#endif

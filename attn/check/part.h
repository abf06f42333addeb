/* Between the files of attn/check: what a rank checks, its reference inputs, the run's results. */
#ifndef SPB_ATTN_CHECK_PART_H
#define SPB_ATTN_CHECK_PART_H

#include "attn/check/check.h"

enum { CHECK_TOKENS = 12, CHECK_COLUMNS = 16 };

/* What a rank knows of a tensor's errors. */
struct check_errors {
    double max;              /* of a row */
    double rows;             /* compared */
    double diff, ref, terms; /* sums over their elements: (x - ref)^2, ref^2, and the square of the
                                size of the terms that ref is the sum of */
};

/* One rank's part: some of its own tokens, of one sequence and one kv head with its query heads. */
struct check {
    const struct layer *l;
    const struct problem *p;
    int group;          /* query heads per kv head */
    int batch, kv_head; /* of this rank's part */
    int turn;           /* of check_pair() */
    int n_tokens;
    int token[CHECK_TOKENS]; /* local indices */
    struct check_errors errors[CHECK_TENSORS];
};

/* Enters a row's error. */
void check_note(struct check *c, enum check_tensor tensor, double error);

/* Enters n elements, of a row that check_note() has, into the RMS. */
void check_squares(struct check *c, enum check_tensor tensor, const float *x, const double *ref,
                   int n, double terms);

/* Both, for a whole row; terms as in ref_grad_error(). */
void check_elements(struct check *c, enum check_tensor tensor, const float *x, const double *ref,
                    int n, double terms);

/* Both, for a number whose error is absolute. */
void check_number(struct check *c, enum check_tensor tensor, double x, double ref);

/* What all ranks entered: the report's error, rms and compared. Collective over the world. */
void check_combine(struct check *c, struct check_report *out);

/* The kv head and sequence that an SP rank of this rank's group checks in c->turn. */
void check_pair(const struct check *c, int sp_rank, int *batch, int *kv_head);

/* Global position of the i-th token that is checked, and its row in tensors of [batch, tokens]. */
int32_t check_position(const struct check *c, int i);
size_t check_row(const struct check *c, int i);

/* n elements of the run's results from element `at`, in dtype, as fp32. */
void check_read(const struct check *c, const void *tensor, enum dtype dtype, size_t at, int n,
                float *out);

/* n numbers as a product of the problem reads them: rounded, if its dtype is bf16. */
void check_round(const struct problem *p, float *x, size_t n);

/* Inputs of attention in double precision for some tokens of the rank's pair: after projection and
 * RoPE, or straight from the generator with core_only. */
struct source {
    double *k, *v;    /* [tokens, head_dim] */
    double *q, *dout; /* [tokens, group, head_dim]; dout with a backward pass */
    struct source_scratch *scratch;
};

/* Tokens that source_fill() takes at most. */
enum { SOURCE_TOKENS = 256 };

/* ST_ENV: out of memory, logged. Closed by source_close(), also after a failure. */
enum status source_open(struct source *s, const struct check *c);
void source_close(struct source *s);
void source_fill(struct source *s, const struct check *c, const int32_t *pos, int n);

/* Rotates rows of head_dim as the layer's RoPE does, in double; inverse: back. */
void source_rope(const struct problem *p, int32_t pos, bool inverse, double *row);

/* Collective over the world, like the parts below. */
void check_weights(struct check *c);

/* Of all padding that the rank holds; x [head_dim]. */
void check_padding(struct check *c, float *x);

/* The parts. Each allocates first and agrees over the world, so that none waits for a rank that
 * could not. */
enum status check_attention(struct check *c);
enum status check_projections(struct check *c);

#endif

/* The groups of USP: those of comm/shape/usp.h. */
#ifndef SPB_COMM_RANKS_USP_H
#define SPB_COMM_RANKS_USP_H

#include "comm/ranks/group.h"
#include "comm/shape/usp.h"

/* A rank's two groups; its rank in each is its coordinate. */
struct usp {
    struct group ulysses, ring;
};

/* Collective over sp, whose size is ulysses_size x ring_size. On failure nothing is left to free.
 */
enum status usp_open(const struct group *sp, enum usp_inner inner, int ulysses_size,
                     struct usp *out);
void usp_close(struct usp *usp);

#endif

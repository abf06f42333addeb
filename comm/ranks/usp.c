#include "comm/ranks/usp.h"

enum status usp_open(const struct group *sp, enum usp_inner inner, int ulysses_size,
                     struct usp *out) {
    int u, r;
    *out = (struct usp){0};
    usp_coordinates(inner, ulysses_size, sp->size / ulysses_size, sp->rank, &u, &r);
    enum status st = group_split(sp, r, u, &out->ulysses);
    if (st == ST_OK)
        st = group_split(sp, u, r, &out->ring);
    if (st != ST_OK)
        usp_close(out);
    return st;
}

void usp_close(struct usp *usp) {
    group_free(&usp->ring);
    group_free(&usp->ulysses);
}

/* What would keep a case's exchanges on nearer links, said before it runs. */
#ifndef SPB_BENCH_LINKS_ADVICE_H
#define SPB_BENCH_LINKS_ADVICE_H

#include "bench/session/case_setup.h"
#include "comm/shape/shape.h"
#include "comm/shape/usp.h"
#include "topology/place/placement.h"

/* A case as far as advice goes. */
struct advice_case {
    const struct grid_shape *grid;
    const char *name; /* of its method or operation */
    bool ulysses;     /* it exchanges heads, in groups of shape.ulysses_size */
    enum usp_inner inner;
    struct sp_shape shape; /* read if ulysses */
    bool forward, backward;
};

/* Bytes that SP groups of this shape send over the links between two hosts (or whatever else `from`
 * and farther classes join), the mean over ranks. Pure; places[sp_size * dp_shard_size]. */
double advice_crossing(const struct place *places, const struct placement_shape *placement,
                       const struct advice_case *c, enum link_class from);

/* A note on stderr where there is advice, once a launch for cases that are placed alike; other
 * Ulysses groups are not advised unless fewer bytes would cross. Rank 0; nothing elsewhere. */
void advice_note(struct session *s, const struct advice_case *c);

#endif

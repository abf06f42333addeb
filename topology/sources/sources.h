/* Where a machine comes from: one row per source. Private to topology/. */
#ifndef SPB_TOPOLOGY_SOURCES_SOURCES_H
#define SPB_TOPOLOGY_SOURCES_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct hwloc_topology;

struct machine_source {
    const char *name;
    /* Readies topo, initialised, for hwloc_topology_load(), and writes to note[n], "" before, what
     * the source cannot tell; says what is wrong with input. */
    enum status (*configure)(struct hwloc_topology *topo, const char *input, char *note, size_t n);
    bool untrusted;      /* a file: hwloc may not survive what it says */
    enum status failure; /* what it means when the load fails after that */
    const char *remedy;  /* ... and what to do then */
};

/* NULL (and a logged error that lists the names) when there is no such source. */
const struct machine_source *source_find(const char *name);

/* The source that reads a file, by its root element; NULL (logged) if none does. */
const struct machine_source *source_of_file(const char *path);

#endif

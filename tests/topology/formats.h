/* Which files of data/ say the same whichever hwloc the tests are built with. */
#ifndef SPB_TESTS_TOPOLOGY_FORMATS_H
#define SPB_TESTS_TOPOLOGY_FORMATS_H

#include <hwloc.h>
#include <stdbool.h>
#include <string.h>

/* hwloc 3 reads no files of hwloc 1, and knows what its own format has beyond that of hwloc 2. */
static inline bool expected_of_this_hwloc(const char *name) {
    static const char *const of_hwloc2[] = {"hwloc1", "hwloc3-domain", "hwloc3-type"};
    for (size_t i = 0; i < sizeof of_hwloc2 / sizeof *of_hwloc2; i++)
        if (strstr(name, of_hwloc2[i]))
            return HWLOC_API_VERSION < 0x00030000;
    return true;
}

#endif

/* hwloc 3's XML for a program that was built with hwloc 2. Private to topology/. */
#ifndef SPB_TOPOLOGY_SOURCES_HWLOC3_H
#define SPB_TOPOLOGY_SOURCES_HWLOC3_H

#include <libxml/tree.h>

#include "base/status.h"

/* Rewrites a <topology version="3..."> in hwloc 2's format, where both hold the same: types of OS
 * devices are a set of bits there, and hops of matrices a kind of their own. What topology/ does
 * not use is dropped (kinds of processors, attributes and tiers of memory, places of PCI buses).
 * ST_USAGE
 * ("FILE:LINE: ...") for what hwloc 2 has no form for: objects of new types, and GPUs and NICs in a
 * PCI domain of more than 16 bits. */
enum status hwloc3_to_2(xmlDoc *doc, const char *path);

#endif

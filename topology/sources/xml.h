/* XML files that others wrote. Private to topology/. */
#ifndef SPB_TOPOLOGY_SOURCES_XML_H
#define SPB_TOPOLOGY_SOURCES_XML_H

#include <libxml/tree.h>

#include "base/status.h"

/* Parses a file of at most 64 MiB without touching the network or other files; it has a root.
 * ST_USAGE when it cannot be read or is damaged ("FILE:LINE: ..."); *doc is released with
 * xmlFreeDoc(). */
enum status xml_read(const char *path, xmlDoc **doc);

/* Whether node is an element of that name. */
int xml_is(const xmlNode *node, const char *name);

/* The text of an element's attribute, borrowed; NULL if there is none. */
const char *xml_attribute(const xmlNode *node, const char *name);

#endif

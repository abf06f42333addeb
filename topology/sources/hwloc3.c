#include "topology/sources/hwloc3.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/sources/xml.h"

static enum status bad(const char *path, const xmlNode *node, const char *what) {
    return fail(ST_USAGE,
                "%s:%ld: the format of hwloc 3, and %s, which this program's hwloc %u has no form "
                "for; export the machine again with `lstopo --export-xml-flags v2 FILE.xml`",
                path, xmlGetLineNo(node), what, hwloc_get_api_version() >> 16);
}

static void set(xmlNode *node, const char *name, long value) {
    char text[24];
    snprintf(text, sizeof text, "%ld", value);
    xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)text);
}

static void drop(xmlNode *node) {
    xmlUnlinkNode(node);
    xmlFreeNode(node);
}

/* By hwloc 3's bits hwloc 2's number, in the order in which its own export prefers them
 * (HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V2). */
static const struct {
    unsigned long bits;
    int type;
} os_device_types[] = {{1 | 2, 0}, {32, 3}, {16, 2}, {64, 4}, {8, 5}, {4, 1}};

/* False if it is of no type at all. */
static bool convert_os_device(xmlNode *node) {
    const char *text = xml_attribute(node, "osdev_type"), *name = xml_attribute(node, "name");
    const unsigned long bits = text ? strtoul(text, NULL, 10) : 0;
    const bool library = name && (!strncmp(name, "nvml", 4) || !strncmp(name, "rsmi", 4));
    for (size_t i = 0; i < sizeof os_device_types / sizeof *os_device_types; i++)
        if (bits & os_device_types[i].bits) {
            const int type = os_device_types[i].type;
            set(node, "osdev_type", type == 5 && library ? 1 : type);
            return true;
        }
    return false;
}

/* Network, display, accelerator. */
static bool is_lost(const xmlNode *node) {
    const char *id = xml_attribute(node, "pci_busid"), *type = xml_attribute(node, "pci_type");
    const unsigned long class = type ? strtoul(type, NULL, 16) >> 8 : 0;
    return id && strtoul(id, NULL, 16) > 0xffff &&
           (class == 0x02 || class == 0x03 || class == 0x12);
}

/* Depth is bounded: the parser refuses elements nested deeper than 256. */
static enum status convert_object(xmlNode *node, const char *path) {
    const char *name = xml_attribute(node, "type");
    hwloc_obj_type_t type;
    char what[96], shown[48];
    if (!name || hwloc_type_sscanf(name, &type, NULL, 0) < 0) {
        text_copy(shown, sizeof shown, name);
        snprintf(what, sizeof what, "an object of type \"%s\"", shown);
        return bad(path, node, what);
    }
    if (type == HWLOC_OBJ_PCI_DEVICE && is_lost(node))
        return bad(path, node, "a PCI domain of more than 16 bits");
    xmlUnsetProp(node, (const xmlChar *)"id");
    xmlUnsetProp(node, (const xmlChar *)"cache_inclusive");
    if (type == HWLOC_OBJ_OS_DEVICE && !convert_os_device(node)) {
        drop(node);
        return ST_OK;
    }
    enum status st = ST_OK;
    for (xmlNode *child = node->children, *next; child && !st; child = next) {
        next = child->next;
        if (xml_is(child, "object"))
            st = convert_object(child, path);
    }
    return st;
}

static void convert_matrix(xmlNode *node) {
    const long latency = 4, hops = 32;
    const char *text = xml_attribute(node, "kind");
    const long kind = text ? strtol(text, NULL, 10) : 0;
    if (kind & hops)
        set(node, "kind", (kind & ~hops) | latency);
}

enum status hwloc3_to_2(xmlDoc *doc, const char *path) {
    xmlNode *root = xmlDocGetRootElement(doc);
    enum status st = ST_OK;
    xmlSetProp(root, (const xmlChar *)"version", (const xmlChar *)"2.0");
    for (xmlNode *child = root->children, *next; child && !st; child = next) {
        next = child->next;
        if (xml_is(child, "object"))
            st = convert_object(child, path);
        else if (xml_is(child, "distances2") || xml_is(child, "distances2hetero"))
            convert_matrix(child);
        else
            drop(child);
    }
    return st;
}

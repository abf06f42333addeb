#include "topology/sources/sources.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "topology/sources/hwloc3.h"
#include "topology/sources/nccl.h"
#include "topology/sources/xml.h"

static enum status configure_native(hwloc_topology_t topo, const char *input, char *note,
                                    size_t n) {
    (void)input, (void)note, (void)n;
    /* These start a GPU runtime or ask an X server in every rank, and only name devices that the
     * PCI tree shows anyway. A component that is not installed is no error. */
    static const char *const unwanted[] = {"cuda", "opencl", "gl"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        hwloc_topology_set_components(topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    return ST_OK;
}

/* Files of hwloc 1 have no version. hwloc's own refusal does not tell another format from damage.
 */
static enum status check_format(xmlDoc *doc, const char *path, char *note, size_t n) {
    const xmlNode *root = xmlDocGetRootElement(doc);
    const char *version = xml_attribute(root, "version");
    const unsigned long major = version ? strtoul(version, NULL, 10) : 1;
    const unsigned ours = hwloc_get_api_version() >> 16;
    if (major == 3 && ours == 2)
        return hwloc3_to_2(doc, path);
    if (major > ours || (major < 2 && ours > 2))
        return fail(ST_USAGE,
                    "%s has the format of hwloc %lu, and this program was built with hwloc %u; "
                    "export the machine again with `lstopo --export-xml-flags v%u FILE.xml`",
                    path, major, ours, ours);
    if (major < 2)
        snprintf(
            note, n,
            "the file has the format of hwloc 1, which holds no links between GPUs beside PCI");
    return ST_OK;
}

static enum status configure_hwloc_xml(hwloc_topology_t topo, const char *path, char *note,
                                       size_t n) {
    xmlDoc *doc;
    xmlChar *text = NULL;
    int size = 0;
    enum status st = xml_read(path, &doc);
    if (st)
        return st;
    if (!xml_is(xmlDocGetRootElement(doc), "topology"))
        st = fail(ST_USAGE, "%s is no hwloc XML: its root is not <topology>", path);
    else
        st = check_format(doc, path, note, n);
    if (!st)
        xmlDocDumpMemoryEnc(doc, &text, &size, "UTF-8");
    if (!st && (!text || hwloc_topology_set_xmlbuffer(topo, (const char *)text, size + 1)))
        st = fail(ST_USAGE,
                  "%s is damaged: hwloc cannot parse it; export the machine again with `lstopo "
                  "FILE.xml`",
                  path);
    xmlFree(text);
    xmlFreeDoc(doc);
    return st;
}

static void note_nccl(const struct nccl_system *system, char *note, size_t n) {
    bool hidden = false, mute = false;
    for (size_t i = 0; i < system->n_links; i++)
        hidden |= system->links[i].to.domain == NCCL_HIDDEN;
    for (size_t i = 0; i < system->n_cpus; i++)
        mute |= hwloc_bitmap_iszero(system->cpus[i].pus);
    snprintf(note, n,
             "NCCL topologies tell no packages, cores and host bridges: NUMA nodes count as "
             "packages, and PHB may be NODE%s%s",
             hidden ? "; some NVSwitches are hidden, and not counted" : "",
             mute ? "; this one does not tell all processors" : "");
}

static enum status configure_nccl_xml(hwloc_topology_t topo, const char *path, char *note,
                                      size_t n) {
    struct nccl_system system;
    enum status st = nccl_read(&system, path);
    char *text = NULL;
    if (st == ST_OK)
        st = nccl_to_hwloc(&system, &text);
    if (st == ST_OK && hwloc_topology_set_xmlbuffer(topo, text, (int)strlen(text) + 1))
        st = fail(ST_USAGE, "%s: hwloc does not take the machine that it describes", path);
    if (st == ST_OK)
        note_nccl(&system, note, n);
    free(text);
    nccl_free(&system);
    return st;
}

static enum status configure_synthetic(hwloc_topology_t topo, const char *description, char *note,
                                       size_t n) {
    (void)note, (void)n;
    if (hwloc_topology_set_synthetic(topo, description))
        return fail(ST_USAGE,
                    "\"%s\" is not a synthetic machine; write levels from the outside in, such as "
                    "\"package:2 l3:1 core:4 pu:2\"",
                    description);
    return ST_OK;
}

static const struct machine_source sources[] = {
    {"hwloc", configure_native, false, ST_ENV, "see whether `lstopo` works here"},
    {"file", NULL, true, ST_USAGE, ""}, /* stands for the next two */
    {"hwloc-xml", configure_hwloc_xml, true, ST_USAGE,
     "the file is damaged; export the machine again with `lstopo FILE.xml`"},
    {"nccl-xml", configure_nccl_xml, true, ST_USAGE,
     "it describes no machine; dump it again with NCCL_TOPO_DUMP_FILE"},
    {"synthetic", configure_synthetic, false, ST_USAGE,
     "write levels from the outside in, such as \"package:2 l3:1 core:4 pu:2\""},
};

const struct machine_source *source_find(const char *name) {
    char known[128] = "";
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", sources[i].name);
    }
    fail(ST_USAGE, "no topology source \"%s\"; there are: %s", name, known);
    return NULL;
}

const struct machine_source *source_of_file(const char *path) {
    static const struct {
        const char *root, *source;
    } kinds[] = {{"topology", "hwloc-xml"}, {"system", "nccl-xml"}};
    char root[64];
    xmlDoc *doc;
    if (xml_read(path, &doc))
        return NULL;
    text_copy(root, sizeof root, (const char *)xmlDocGetRootElement(doc)->name);
    xmlFreeDoc(doc);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].root, root) == 0)
            return source_find(kinds[i].source);
    if (strcmp(root, "graphs") == 0)
        fail(ST_USAGE,
             "%s holds the graphs that NCCL chose, not a machine; dump that with "
             "NCCL_TOPO_DUMP_FILE",
             path);
    else
        fail(ST_USAGE,
             "%s is no topology: its root is <%s>; export the machine with `lstopo FILE.xml`, or "
             "with NCCL_TOPO_DUMP_FILE",
             path, root);
    return NULL;
}

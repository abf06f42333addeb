#include "topology/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum status configure_native(hwloc_topology_t topo, const char *input) {
    (void)input;
    /* These start a GPU runtime or ask an X server in every rank, and only name devices that the
     * PCI tree shows anyway. A component that is not installed is no error. */
    static const char *const unwanted[] = {"cuda", "opencl", "gl"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        hwloc_topology_set_components(topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    return ST_OK;
}

/* The major version in a root tag such as `<topology version="3.0">`; files of hwloc 1 have none.
 */
static unsigned long format_version(const char *tag) {
    static const char key[] = "version=\"";
    const char *end = strchr(tag, '>');
    const char *version = strstr(tag, key);
    return version && end && version < end ? strtoul(version + sizeof key - 1, NULL, 10) : 1;
}

/* Looks at the head of the file, since hwloc's own refusal does not tell a foreign format from a
 * newer one or from damage. */
static enum status check_xml(const char *path) {
    char head[8192];
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return fail(ST_USAGE, "cannot read topology file %s: it is no regular file", path);
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(head, 1, sizeof head - 1, file) : 0;
    const int error = !file || ferror(file) ? errno : 0;
    if (file)
        fclose(file);
    if (error)
        return fail(ST_USAGE, "cannot read topology file %s: %s", path, strerror(error));
    head[n] = '\0';

    const char *root = strstr(head, "<topology");
    if (!root && strstr(head, "<system"))
        return fail(
            ST_USAGE,
            "%s is an NCCL topology, not hwloc XML; export the machine with `lstopo FILE.xml`",
            path);
    if (!root)
        return fail(ST_USAGE,
                    "%s is not hwloc XML: no <topology> element in its first %zu bytes; export the "
                    "machine with `lstopo FILE.xml`",
                    path, n);
    const unsigned long major = format_version(root);
    const unsigned ours = hwloc_get_api_version() >> 16;
    if (major > ours)
        return fail(ST_USAGE,
                    "%s has the format of hwloc %lu, and this program was built with hwloc %u; "
                    "export the machine again with `lstopo --export-xml-flags v%u FILE.xml`",
                    path, major, ours, ours);
    return ST_OK;
}

static enum status configure_xml(hwloc_topology_t topo, const char *path) {
    const enum status status = check_xml(path);
    if (status)
        return status;
    if (hwloc_topology_set_xml(topo, path))
        return fail(ST_USAGE,
                    "%s is damaged: hwloc cannot parse it; export the machine again with `lstopo "
                    "FILE.xml`",
                    path);
    return ST_OK;
}

static enum status configure_synthetic(hwloc_topology_t topo, const char *description) {
    if (hwloc_topology_set_synthetic(topo, description))
        return fail(ST_USAGE,
                    "\"%s\" is not a synthetic machine; write levels from the outside in, such as "
                    "\"package:2 l3:1 core:4 pu:2\"",
                    description);
    return ST_OK;
}

static const struct source sources[] = {
    {"hwloc", configure_native, ST_ENV, "see whether `lstopo` works here"},
    {"hwloc-xml", configure_xml, ST_USAGE,
     "the file is damaged; export the machine again with `lstopo FILE.xml`"},
    {"synthetic", configure_synthetic, ST_USAGE,
     "write levels from the outside in, such as \"package:2 l3:1 core:4 pu:2\""},
};

const struct source *source_find(const char *name) {
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

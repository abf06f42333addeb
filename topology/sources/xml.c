#include "topology/sources/xml.h"

#include <errno.h>
#include <libxml/parser.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/text.h"

enum { MAX_FILE = 64 << 20 };

static enum status check_file(const char *path) {
    struct stat info;
    if (stat(path, &info))
        return fail(ST_USAGE, "cannot read topology file %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return fail(ST_USAGE, "cannot read topology file %s: it is no regular file", path);
    if (info.st_size > MAX_FILE)
        return fail(ST_USAGE, "%s is larger than any topology", path);
    return ST_OK;
}

static enum status damaged(const char *path, const xmlParserCtxt *parser) {
    const xmlError *error = xmlCtxtGetLastError((void *)parser);
    char why[160];
    text_copy(why, sizeof why, error && error->message ? error->message : "not XML");
    /* The message ends with a new line, which is not printable. */
    const size_t n = strlen(why);
    if (n > 0 && why[n - 1] == '?')
        why[n - 1] = '\0';
    return fail(ST_USAGE, "%s:%d: the file is damaged or no XML: %s", path, error ? error->line : 1,
                why);
}

enum status xml_read(const char *path, xmlDoc **doc) {
    *doc = NULL;
    enum status st = check_file(path);
    if (st)
        return st;
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser)
        return fail(ST_ENV, "out of memory for %s", path);
    *doc = xmlCtxtReadFile(parser, path, NULL,
                           XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!*doc)
        st = damaged(path, parser);
    xmlFreeParserCtxt(parser);
    return st;
}

int xml_is(const xmlNode *node, const char *name) {
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

const char *xml_attribute(const xmlNode *node, const char *name) {
    for (const xmlAttr *a = node->properties; a; a = a->next)
        if (strcmp((const char *)a->name, name) == 0)
            return a->children && a->children->content ? (const char *)a->children->content : "";
    return NULL;
}

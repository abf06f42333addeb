#include "topology/sources/xml.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/files.h"
#include "base/text/text.h"

enum { MAX_FILE = 64 << 20 };

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

/* Errors of encodings pass by the parser's own options, to a handler that hwloc's plugin has set to
 * a function of its own and left behind when it was unloaded. */
static void say_nothing(void *context, const char *message, ...) {
    (void)context, (void)message;
}

enum status xml_read(const char *path, xmlDoc **doc) {
    *doc = NULL;
    char *text;
    size_t n;
    enum status st = file_read(path, "topology file", MAX_FILE, &text, &n);
    if (st)
        return st;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (parser)
        *doc = xmlCtxtReadMemory(parser, text, (int)n, path, NULL,
                                 XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!parser)
        st = fail(ST_ENV, "out of memory for %s", path);
    else if (!*doc || !xmlDocGetRootElement(*doc))
        st = damaged(path, parser);
    xmlFreeParserCtxt(parser);
    free(text);
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

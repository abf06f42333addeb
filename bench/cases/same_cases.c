#include "bench/cases/same_cases.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cases/spread.h"
#include "comm/transport/transport.h"

enum { VALUE_ROOM = 64 };

/* What holds for every kind of cases. */
static bool comes_to(const struct case_source *from, size_t i, const struct spread *spread,
                     const char *key, char out[VALUE_ROOM]) {
    const struct transport_row *row = transport_find(sweep_str(from->sweep, i, "transport"));
    const bool apart = spread->sp_size > 1 && spread->dp_shard_size > 1;
    if (strcmp(key, "sp") == 0)
        snprintf(out, VALUE_ROOM, "%d", spread->sp_size);
    else if (strcmp(key, "dp_shard") == 0)
        snprintf(out, VALUE_ROOM, "%d", spread->dp_shard_size);
    else if ((strcmp(key, "placement") == 0 && !apart) ||
             (strcmp(key, "mpi_algo") == 0 && row && row->algorithm == ALGORITHM_UNUSED))
        out[0] = '\0';
    else
        return false;
    return true;
}

/* All variables of case i, with what they come to. malloc'ed; NULL without memory. */
static char *describe(const struct case_kind *kind, const struct case_source *from, size_t i,
                      const void *c, const struct sweep_case *vars) {
    struct spread spread;
    char *text = NULL;
    size_t size = 0;
    if (spread_resolve(from->sweep, i, from->ranks, &spread) != ST_OK)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t v = 0; v < vars->n; v++) {
        char value[VALUE_ROOM];
        const char *key = vars->vars[v].key;
        const bool resolved = comes_to(from, i, &spread, key, value) ||
                              (kind->comes_to && kind->comes_to(c, key, value, sizeof value));
        fprintf(out, "%s=%s\n", key, resolved ? value : vars->vars[v].value);
    }
    const int failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

/* "--layout contiguous comes to the same as auto, --placement ...: measured once" */
static void explain(const struct sweep_case *mine, const struct sweep_case *other, char *why,
                    size_t why_size) {
    size_t used = 0;
    for (size_t v = 0; v < mine->n; v++) {
        char option[VALUE_ROOM];
        const char *value = mine->vars[v].value, *first = other->vars[v].value;
        if (strcmp(value, first) == 0 || used >= why_size)
            continue;
        snprintf(option, sizeof option, "%s", mine->vars[v].key);
        for (char *at = option; (at = strchr(at, '_'));)
            *at = '-';
        used += (size_t)snprintf(why + used, why_size - used, "%s--%s %s comes to the same as %s",
                                 used ? ", " : "", option, value, first);
    }
    if (used < why_size)
        snprintf(why + used, why_size - used, ": measured once");
}

enum status same_cases_add(struct same_cases *seen, const struct case_kind *kind,
                           const struct case_source *from, size_t i, const void *c, char *why,
                           size_t why_size) {
    struct sweep_case mine, other;
    enum status st = sweep_case(from->sweep, i, &mine);
    if (st != ST_OK)
        return st;
    if (!seen->first)
        seen->first = json_object();
    char *text = describe(kind, from, i, c, &mine);
    const json_t *first = text ? json_object_get(seen->first, text) : NULL;
    if (first) {
        st = sweep_case(from->sweep, (size_t)json_integer_value(first), &other);
        if (st == ST_OK)
            explain(&mine, &other, why, why_size);
        sweep_case_free(&other);
    } else if (!text || json_object_set_new(seen->first, text, json_integer((json_int_t)i)) != 0)
        st = fail(ST_ENV, "out of memory for the cases of a sweep");
    free(text);
    sweep_case_free(&mine);
    return st;
}

void same_cases_free(struct same_cases *seen) {
    json_decref(seen->first);
    *seen = (struct same_cases){0};
}

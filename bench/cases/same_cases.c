#include "bench/cases/same_cases.h"

#include <stdlib.h>
#include <string.h>

/* "--layout contiguous comes to the same as auto, --placement ...: measured once" */
static void explain(const struct sweep *sweep, size_t i, size_t first, char *why, size_t why_size) {
    struct options asked[2];
    const struct option *o;
    size_t used = 0, values;
    sweep_options(sweep, i, &asked[0]);
    sweep_options(sweep, first, &asked[1]);
    for (size_t a = 0; (o = sweep_axis(sweep, a, &values)); a++) {
        char buf[2][32];
        const char *mine = option_text(o, &asked[0], buf[0]);
        const char *other = option_text(o, &asked[1], buf[1]);
        if (strcmp(mine, other) != 0 && used < why_size)
            used +=
                (size_t)snprintf(why + used, why_size - used, "%s--%s %s comes to the same as %s",
                                 used ? ", " : "", o->name, mine, other);
    }
    if (used < why_size)
        snprintf(why + used, why_size - used, ": measured once");
}

enum status same_cases_add(struct same_cases *seen, const struct sweep *sweep, size_t i,
                           const struct options *comes_to, char *why, size_t why_size) {
    enum status st = ST_OK;
    if (!seen->first)
        seen->first = json_object();
    char *text = sweep_case_name(sweep, comes_to);
    const json_t *first = text ? json_object_get(seen->first, text) : NULL;
    if (first)
        explain(sweep, i, (size_t)json_integer_value(first), why, why_size);
    else if (!text || json_object_set_new(seen->first, text, json_integer((json_int_t)i)) != 0)
        st = fail(ST_ENV, "out of memory for the cases of a sweep");
    free(text);
    return st;
}

void same_cases_free(struct same_cases *seen) {
    json_decref(seen->first);
    *seen = (struct same_cases){0};
}

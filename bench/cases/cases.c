#include "bench/cases/cases.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/ledger.h"
#include "base/text/units.h"
#include "bench/cases/same_cases.h"

enum { REMARK_ROOM = 400 };

enum status case_resolve(const struct case_kind *kind, const struct case_source *from, size_t i,
                         struct options *asked, void *c, struct same_cases *seen,
                         char why[WHY_ROOM]) {
    why[0] = '\0';
    sweep_options(from->sweep, i, asked);
    struct options comes_to = *asked;
    const enum status st = kind->resolve(from, &comes_to, c, why, WHY_ROOM);
    return st != ST_OK || why[0] ? st
                                 : same_cases_add(seen, from->sweep, i, &comes_to, why, WHY_ROOM);
}

static bool among(const size_t *offsets, size_t offset) {
    for (; *offsets; offsets++)
        if (*offsets == offset)
            return true;
    return false;
}

void case_title(const struct case_kind *kind, const struct sweep *sweep, const struct options *o,
                const void *c, char title[TITLE_ROOM]) {
    const size_t *said = kind->title(c, title, TITLE_ROOM);
    const struct option *row;
    size_t values;
    for (size_t a = 0; (row = sweep_axis(sweep, a, &values)); a++) {
        char buf[32];
        const size_t used = strlen(title);
        if (values > 1 && !among(said, row->offset))
            snprintf(title + used, TITLE_ROOM - used, " %s %s", row->name,
                     option_text(row, o, buf));
    }
}

void case_release(const struct case_kind *kind, void *c) {
    if (kind->release)
        kind->release(c);
}

/* Predicted memory of all ranks, which are on this host, against what is free. */
static enum status fits(const struct case_kind *kind, const struct case_source *from,
                        const struct options *o, const void *c) {
    char title[TITLE_ROOM];
    struct forecast f;
    const enum status st = kind->forecast(c, &f);
    if (st != ST_OK)
        return st;
    const size_t per_rank = f.memory;
    const size_t available = mem_available();
    const double need = (double)per_rank * from->ranks;
    if (available == 0 || need <= (double)available)
        return ST_OK;
    case_title(kind, from->sweep, o, c, title);
    if (!o->force)
        return fail(
            ST_USAGE,
            "%s: predicted %s per rank, %s for %d ranks, but %s is free; use a smaller problem or "
            "fewer ranks, or --force to try all the same",
            title, format_bytes((double)per_rank).s, format_bytes(need).s, from->ranks,
            format_bytes((double)available).s);
    warn("%s: predicted %s for %d ranks, but %s is free; trying because of --force", title,
         format_bytes(need).s, from->ranks, format_bytes((double)available).s);
    return ST_OK;
}

static enum status list_case(const struct case_kind *kind, const struct case_source *from,
                             const struct options *o, const void *c, struct case_list *list) {
    char title[TITLE_ROOM], remark[REMARK_ROOM] = "";
    struct forecast f;
    enum status st = kind->forecast(c, &f);
    char *name = st == ST_OK ? sweep_case_name(from->sweep, o) : NULL;
    if (!name)
        return st == ST_OK ? ST_ENV : st;
    case_title(kind, from->sweep, o, c, title);
    if (kind->remark)
        kind->remark(c, remark, sizeof remark);
    st = case_list_add(list, title, name, remark, &f);
    free(name);
    return st;
}

/* Lists a resolved case that can run, or checks its memory where there is no list. */
static enum status visit_one(const struct case_kind *kind, const struct case_source *from,
                             const struct options *o, const void *c, const char *why,
                             struct case_list *list, size_t *runnable) {
    char title[TITLE_ROOM];
    if (why[0]) {
        case_title(kind, from->sweep, o, c, title);
        note("skipped: %s: %s", title, why);
        return ST_OK;
    }
    ++*runnable;
    return list ? list_case(kind, from, o, c, list) : fits(kind, from, o, c);
}

static enum status visit(const struct case_kind *kind, const struct case_source *from, void *c,
                         struct case_list *list, size_t *runnable) {
    enum status st = ST_OK;
    struct same_cases seen = {0};
    for (size_t i = 0; st == ST_OK && i < sweep_count(from->sweep); i++) {
        char why[WHY_ROOM];
        struct options o;
        st = case_resolve(kind, from, i, &o, c, &seen, why);
        if (st == ST_OK)
            st = visit_one(kind, from, &o, c, why, list, runnable);
        case_release(kind, c);
    }
    same_cases_free(&seen);
    return st;
}

enum status cases_visit(const struct case_kind *kind, const struct options *options,
                        const char *data_dir, int ranks, struct case_list *list, size_t *runnable) {
    struct sweep *sweep = NULL;
    if (options->min_samples > options->max_samples)
        return fail(ST_USAGE, "--min-samples is more than --max-samples");
    void *c = malloc(kind->size);
    enum status st = c ? sweep_create(options, ranks, &sweep) : fail(ST_ENV, "out of memory");
    if (st == ST_OK) {
        const struct case_source from = {sweep, data_dir, ranks};
        st = visit(kind, &from, c, list, runnable);
    }
    sweep_free(sweep);
    free(c);
    return st;
}

#include "bench/cases/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "base/text/units.h"
#include "bench/options/command.h"

enum { REMARK_ROOM = 400 };

enum status case_resolve(struct case_source *from, size_t i, struct resolved_case *out) {
    out->why[0] = '\0';
    sweep_options(from->sweep, i, &out->asked);
    struct options comes_to = out->asked;
    out->kind = comes_to.command->kind(&comes_to);
    out->c = calloc(1, out->kind->size);
    if (!out->c)
        return fail(ST_ENV, "out of memory for a case");
    const enum status st = out->kind->resolve(from, &comes_to, out->c, out->why, WHY_ROOM);
    if (st != ST_OK || out->why[0])
        return st;
    return same_cases_add(&from->seen, from->sweep, i, &comes_to, out->why, WHY_ROOM);
}

void case_release(struct resolved_case *one) {
    if (one->c && one->kind->release)
        one->kind->release(one->c);
    free(one->c);
}

static bool among(const size_t *offsets, size_t offset) {
    for (; *offsets; offsets++)
        if (*offsets == offset)
            return true;
    return false;
}

void case_title(const struct case_source *from, const struct resolved_case *one,
                char title[TITLE_ROOM]) {
    const size_t *said = one->kind->title(one->c, title, TITLE_ROOM);
    const struct option *row;
    size_t values;
    for (size_t a = 0; (row = sweep_axis(from->sweep, a, &values)); a++) {
        char buf[32];
        const size_t used = strlen(title);
        if (values > 1 && !among(said, row->offset))
            snprintf(title + used, TITLE_ROOM - used, " %s %s", row->name,
                     option_text(row, &one->asked, buf));
    }
}

/* Predicted memory of all ranks, which are on this host, against what is free. */
static enum status fits(const struct forecast *f, const char *title, int ranks, bool force) {
    const size_t per_rank = f->memory;
    const size_t available = mem_available();
    const double need = (double)per_rank * ranks;
    if (available == 0 || need <= (double)available)
        return ST_OK;
    if (!force)
        return fail(
            ST_USAGE,
            "%s: predicted %s per rank, %s for %d ranks, but %s is free; use a smaller problem or "
            "fewer ranks, or --force to try all the same",
            title, format_bytes((double)per_rank).s, format_bytes(need).s, ranks,
            format_bytes((double)available).s);
    warn("%s: predicted %s for %d ranks, but %s is free; trying because of --force", title,
         format_bytes(need).s, ranks, format_bytes((double)available).s);
    return ST_OK;
}

/* Lists a case that can run, or checks its memory where there is no list. */
static enum status visit_one(const struct case_source *from, const struct resolved_case *one,
                             struct case_list *list, size_t *runnable) {
    char title[TITLE_ROOM], remark[REMARK_ROOM] = "";
    struct forecast f;
    case_title(from, one, title);
    if (one->why[0]) {
        note("skipped: %s: %s", title, one->why);
        return ST_OK;
    }
    ++*runnable;
    enum status st = one->kind->forecast(one->c, &f);
    if (st != ST_OK || !list)
        return st != ST_OK ? st : fits(&f, title, from->ranks, one->asked.force);
    if (one->kind->remark)
        one->kind->remark(one->c, remark, sizeof remark);
    char *name = sweep_case_name(from->sweep, &one->asked);
    st = name ? case_list_add(list, title, name, remark, &f) : ST_ENV;
    free(name);
    return st;
}

enum status cases_visit(const struct options *options, const char *data_dir, int ranks,
                        struct case_list *list, size_t *runnable) {
    struct sweep *sweep = NULL;
    if (options->min_samples > options->max_samples)
        return fail(ST_USAGE, "--min-samples is more than --max-samples");
    enum status st = sweep_create(options, ranks, &sweep);
    if (st != ST_OK)
        return st;
    struct case_source from = {sweep, data_dir, ranks, {0}};
    for (size_t i = 0; st == ST_OK && i < sweep_count(sweep); i++) {
        struct resolved_case one;
        st = case_resolve(&from, i, &one);
        if (st == ST_OK)
            st = visit_one(&from, &one, list, runnable);
        case_release(&one);
    }
    same_cases_free(&from.seen);
    sweep_free(sweep);
    return st;
}

#include "bench/commands/run_cases.h"

#include <stdlib.h>

#include "bench/cases/same_cases.h"
#include "bench/links/source.h"
#include "bench/output/sink.h"
#include "bench/session/session.h"

static enum status run_all(const struct case_kind *kind, struct session *s, void *c,
                           struct same_cases *seen) {
    struct run *run = s->run;
    const struct case_source from = {s->sweep, run->data_dir, run->world->size};
    const size_t n = sweep_count(s->sweep);
    enum status worst = ST_OK;
    for (size_t i = 0; i < n; i++) {
        char why[WHY_ROOM];
        enum status st = case_resolve(kind, &from, i, &s->options, c, seen, why);
        if (st == ST_OK && !why[0]) {
            case_title(kind, s->sweep, &s->options, c, s->title);
            sink_progress(run->sink, i, n, s->title);
            *run->now = s->title;
            st = kind->run(s, c);
            *run->now = NULL;
        }
        case_release(kind, c);
        if (st != ST_OK && st != ST_WRONG && st != ST_INCONCLUSIVE)
            return st;
        if (worst != ST_WRONG && st != ST_OK)
            worst = st;
    }
    return worst;
}

enum status cases_run(const struct case_kind *kind, struct run *run) {
    struct session s = {0};
    struct same_cases seen = {0};
    void *c = malloc(kind->size);
    enum status st = c ? session_open(&s, run) : fail(ST_ENV, "out of memory");
    st = group_agree(run->world, st);
    if (st == ST_OK)
        st = run_all(kind, &s, c, &seen);
    same_cases_free(&seen);
    if (c) {
        link_sources_free(&s);
        session_close(&s);
    }
    free(c);
    return st;
}

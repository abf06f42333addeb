#include "bench/commands/run_cases.h"

#include "bench/links/source.h"
#include "bench/output/sink.h"
#include "bench/session/session.h"

static enum status run_one(struct session *s, struct case_source *from, size_t i) {
    struct run *run = s->run;
    struct resolved_case one;
    enum status st = group_agree(run->world, case_resolve(from, i, &one));
    if (st == ST_OK && !one.why[0]) {
        s->options = one.asked;
        case_title(from, &one, s->title);
        sink_progress(run->sink, i, sweep_count(from->sweep), s->title);
        *run->now = s->title;
        st = one.kind->run(s, one.c);
        *run->now = NULL;
    }
    case_release(&one);
    return st;
}

enum status run_cases(struct run *run) {
    struct session s = {0};
    enum status worst = group_agree(run->world, session_open(&s, run));
    struct case_source from = {s.sweep, run->data_dir, run->world->size, {0}};
    const size_t n = worst == ST_OK ? sweep_count(s.sweep) : 0;
    for (size_t i = 0; i < n; i++) {
        const enum status st = run_one(&s, &from, i);
        const bool goes_on = st == ST_OK || st == ST_WRONG || st == ST_INCONCLUSIVE;
        if (!goes_on || (worst != ST_WRONG && st != ST_OK))
            worst = st;
        if (!goes_on)
            break;
    }
    same_cases_free(&from.seen);
    link_sources_free(&s);
    session_close(&s);
    return worst;
}

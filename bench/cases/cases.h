/* What commands that measure have in common: a sweep of cases, each resolved from its options, and
 * then validated or listed; bench/commands/run_cases.h runs them. */
#ifndef SPB_BENCH_CASES_CASES_H
#define SPB_BENCH_CASES_CASES_H

#include "bench/cases/case_list.h"
#include "bench/cases/same_cases.h"
#include "bench/options/sweep.h"

struct session;

/* Of what a case is called, and of why it cannot run. */
enum { TITLE_ROOM = 400, WHY_ROOM = 256 };

/* Says which option is meant. */
#define OPTION_AT(field) offsetof(struct options, field)

/* Where cases come from, and which were seen. */
struct case_source {
    const struct sweep *sweep;
    const char *data_dir;
    int ranks;
    struct same_cases seen;
};

/* Cases of one kind. A resolved case is `size` bytes, and what release() frees. */
struct case_kind {
    size_t size;

    /* *why (of why_size bytes, empty on entry): the reason if this case cannot run and others
     * might. ST_USAGE, said, for what no other case could mend. options: what the case asks for,
     * and on return what that comes to: "auto" resolved, and one value for all where it has no
     * effect, so that cases which come to the same are measured once. In case of doubt, and where
     * ranks might differ, it is left as it was asked for. */
    enum status (*resolve)(const struct case_source *from, struct options *options, void *c,
                           char *why, size_t why_size);

    /* Frees what a resolved case holds, also after a failed resolve(); NULL: it holds nothing. */
    void (*release)(void *c);

    /* What the case is called, and offsets of the options that this says, ending with 0. What else
     * a sweep has several values of is added to it. */
    const size_t *(*title)(const void *c, char *out, size_t size);

    /* What there is to say about a case beside its numbers, one line, or "". NULL: never. */
    void (*remark)(const void *c, char *out, size_t size);

    /* What is predicted, by formula. */
    enum status (*forecast)(const void *c, struct forecast *out);

    /* Measures and records the case; collective. ST_WRONG and ST_INCONCLUSIVE do not keep the
     * others from being measured. */
    enum status (*run)(struct session *s, const void *c);
};

/* A case of a sweep. */
struct resolved_case {
    struct options asked;
    const struct case_kind *kind;
    void *c;            /* what the kind made of it */
    char why[WHY_ROOM]; /* it is not to run; else "" */
};

/* The i-th; case_release() in any case. */
enum status case_resolve(struct case_source *from, size_t i, struct resolved_case *out);
void case_release(struct resolved_case *one);

/* What tells it from the others of its sweep. */
void case_title(const struct case_source *from, const struct resolved_case *one,
                char title[TITLE_ROOM]);

/* Of a command that has cases; pure: says on stderr which cases of this rank count are skipped and
 * why, and adds the others to *runnable; lists them with what is predicted for them, or with list
 * NULL checks that their memory is there. ST_USAGE for what no other rank count could mend. */
enum status cases_visit(const struct options *options, const char *data_dir, int ranks,
                        struct case_list *list, size_t *runnable);

#endif

/* Where the cases of a dry run are listed: a line each for people, an array of objects with -o
 * json, an object a line with -o jsonl. */
#ifndef SPB_BENCH_CASES_CASE_LIST_H
#define SPB_BENCH_CASES_CASE_LIST_H

#include <stdio.h>

#include "results/export/export.h"

/* Of one case; the maximum over ranks where they differ. */
struct forecast {
    double tokens, flops;    /* of all ranks; 0: the case has none, and no parameters */
    size_t sent, param_sent; /* bytes of a rank */
    size_t memory;           /* bytes of a rank, with all ranks on one host ... */
    size_t memory_apart;     /* ... and on several: at most */
};

struct case_list {
    FILE *out;
    const struct exporter *as;
    size_t n;
};

/* ST_USAGE, said, for a format that lists nothing. */
enum status case_list_open(struct case_list *list, const struct exporter *as, FILE *out);

/* A line for people above those of cases. */
void case_list_heading(struct case_list *list, const char *text);

/* name: as in its record; remark: a line for people, or "". ST_ENV when out fails. */
enum status case_list_add(struct case_list *list, const char *title, const char *name,
                          const char *remark, const struct forecast *f);

/* Ends the list, and returns st, the status of what was listed, or that of ending. */
enum status case_list_close(struct case_list *list, enum status st);

#endif

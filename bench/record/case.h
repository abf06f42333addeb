/* What the records of all kinds of cases have in common. */
#ifndef SPB_BENCH_RECORD_CASE_H
#define SPB_BENCH_RECORD_CASE_H

#include <jansson.h>

#include "bench/session/case_setup.h"

/* Params that every kind of record has, and those that the rows of options say; scope: as in
 * options_keep(). transport and algorithm are the resolved ones; algorithm as in struct
 * algorithm_list. */
void case_record_setup(const struct session *s, const struct case_setup *setup,
                       const char *const *scope, const struct grid_shape *grid,
                       const char *algorithm, json_t *record);

/* Time, samples and phases of a measurement. */
void case_record_measurement(const struct measurement *m, json_t *record);

/* Peak memory: the ledger's and the process's, the maximum over ranks per value. Collective. */
struct peaks {
    uint64_t total, rss;
    uint64_t category[MEM_CATEGORIES];
};
struct peaks peaks_over_ranks(const struct group *world, const struct mem_ledger *ledger);

/* Completes the record under its case name and hands it to the sink. Rank 0; nothing elsewhere. */
enum status case_record_finish(struct session *s, json_t *record);

#endif

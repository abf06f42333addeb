/* What people see of a record of rank pairs: its link classes, and the pairs as a matrix. */
#ifndef SPB_RESULTS_EXPORT_LINKS_H
#define SPB_RESULTS_EXPORT_LINKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints "links" as a table, and "pairs" as a matrix of bandwidths and one of latencies where there
 * are at most 16 ranks. false, and nothing printed, for a record without links. */
bool links_print(const json_t *record, bool markdown, FILE *out);

#endif

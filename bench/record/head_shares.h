/* Which heads the ranks of a Ulysses group have, where they do not divide evenly: for people and
 * for records. */
#ifndef SPB_BENCH_RECORD_HEAD_SHARES_H
#define SPB_BENCH_RECORD_HEAD_SHARES_H

#include <jansson.h>

#include "comm/shape/shape.h"

/* "heads per Ulysses rank: query 10,9,9; key/value 3,4,3", cut where it does not fit; "" where all
 * ranks have as many. */
void head_shares_text(const struct sp_shape *s, char *out, size_t size);

/* Param head_shares: an object per Ulysses rank with its first query head and KV head and their
 * numbers. Nothing where all ranks have as many. */
void head_shares_record(const struct sp_shape *s, json_t *record);

#endif

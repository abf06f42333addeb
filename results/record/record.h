/* The record: one measured case as one JSON object, one a line in records.jsonl.
 *
 * A record is a jansson object that the caller owns (json_decref). Field names are a contract:
 * they stand in results/record/fields.h, and changing one bumps RECORD_SCHEMA. What was not
 * measured is absent, never 0 and never NaN: a non-finite real or a negative count given to the
 * builder is left out.
 *
 * Builder calls return nothing. A call that runs out of memory marks the record as spoiled, and
 * record_finish() reports it, so that only one call needs checking. NULL records are allowed. */
#ifndef SPB_RESULTS_RECORD_RECORD_H
#define SPB_RESULTS_RECORD_RECORD_H

#include "base/status.h"
#include "results/stats/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define RECORD_SCHEMA "spbench.record/1"

/* kind: "comm" or "attn". NULL when out of memory. */
json_t *record_new(const char *kind);

/* "params": resolved values; a NULL text is left out. Text that is not UTF-8 has its odd bytes
 * replaced by '?'. */
void record_param_str(json_t *record, const char *key, const char *value);
void record_param_int(json_t *record, const char *key, long long value);
void record_param_real(json_t *record, const char *key, double value);

/* "metrics": one number. Byte counts are integers, everything else is real. */
void record_metric(json_t *record, const char *key, double value);
void record_metric_int(json_t *record, const char *key, long long value);

/* "metrics.time_s" from the summary, and "samples_s" from samples[n] in seconds. n may be 0. */
void record_time(json_t *record, const struct summary *time, bool converged, const double *samples,
                 size_t n);

/* Appends to "phases"; seconds of the slowest rank. */
void record_phase(json_t *record, const char *name, double median_s);

/* "memory.CATEGORY": bytes; a negative value is unknown and left out. */
void record_memory(json_t *record, const char *category, long long peak, long long predicted);

/* "check": only for a result that was verified. max_rel_err NAN and wrong_elements < 0 are left
 * out; reference says against what ("fp64 sampled rows"), or NULL. */
void record_check(json_t *record, bool ok, double max_rel_err, long long wrong_elements,
                  const char *reference);

/* "check.tensors.TENSOR": the errors of one tensor, over `rows` rows. max is the greatest of a row,
 * rms that of all their elements; one that is not finite is left out. */
void record_check_tensor(json_t *record, const char *tensor, double max, double rms,
                         long long rows);

/* "interconnect": of the links between two ranks of any one group ("sp", "dp") the farthest and the
 * nearest class, and what the farthest was measured to carry in 10^9 bytes/s: PREFIX_worst_link,
 * PREFIX_best_link, PREFIX_link_gb_s. NULL and NAN are left out. */
void record_group_links(json_t *record, const char *prefix, const char *worst, const char *best,
                        double gb_s);

/* Where those rates come from: "pairs" or "probe"; NULL is left out. */
void record_link_rates(json_t *record, const char *source);

/* Appends entry (taken; NULL: its making failed) to the array called key, in a section or, where
 * that is NULL, in the record itself. */
void record_append(json_t *record, const char *section, const char *key, json_t *entry);

/* One requested independent variable, as it was asked for ("auto" stays "auto"). */
struct case_var {
    const char *key, *value;
};

/* Completes the record: "case" from vars[n] (any order, unique keys), "fingerprint" (borrowed, may
 * be NULL). ST_ENV when an earlier builder call ran out of memory, ST_USAGE when the record has
 * what record_validate_own() refuses. The record still belongs to the caller. */
enum status record_finish(json_t *record, const struct case_var *vars, size_t n,
                          const json_t *fingerprint);

/* "KIND key=value ..." sorted by key. A value that is empty or holds a space, a quote, a backslash
 * or a control character is quoted as a JSON string, so the text splits only one way.
 * The caller frees it; NULL when out of memory. */
char *record_case(const char *kind, const struct case_var *vars, size_t n);

/* Is it a record that this version understands? where ("FILE:LINE") stands in the message.
 * ST_USAGE: another schema or version (both are named), or a field that is missing or not as
 * results/record/fields.h says (it is named). Unknown fields are allowed and kept. */
enum status record_validate(const json_t *record, const char *where);

/* The same of a record that this version writes: it has no field without a row. */
enum status record_validate_own(const json_t *record, const char *where);

/* Loads a records.jsonl file, or the one in a run folder, as an array that the caller owns.
 * ST_USAGE for a missing, unreadable or malformed file ("FILE:LINE: ..."). An unfinished last line
 * (a killed run) is skipped with a warning. */
enum status records_load(const char *path, json_t **array);

/* Readers. section is "params", "metrics", "check", "fingerprint", "interconnect", or NULL for the
 * record itself. Text is NULL and a number is false when absent or of another type. */
const char *record_str(const json_t *record, const char *section, const char *key);
bool record_num(const json_t *record, const char *section, const char *key, double *value);

/* The summary that "metrics.time_s" holds (outlier counts are not stored: 0); false when absent. */
bool record_time_read(const json_t *record, struct summary *time);

/* Was the result verified and found wrong? */
bool record_is_wrong(const json_t *record);

#endif

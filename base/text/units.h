/* Numbers as people write them: sizes, counts, durations, ratios and ranges, in and out.
 *
 * A parser takes the whole text or nothing: NULL means success, anything else is a static string
 * that completes the sentence "VALUE is ..." ("not a size", "too large"); it logs nothing, since
 * only its caller knows where the text came from. Nothing here depends on the locale. */
#ifndef SPB_BASE_TEXT_UNITS_H
#define SPB_BASE_TEXT_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* More values than this in one list are refused. */
enum { RANGE_MAX_VALUES = 4096 };

/* Whole number with an optional suffix k, m or g (powers of 1024, either case): "4k", "1.5g".
 * A fraction must come out whole. 0 .. INT64_MAX. */
const char *parse_count(const char *text, int64_t *out);

/* The same in bytes: "b" or "ib" may follow the suffix ("64KiB", "64kb", "512b"). */
const char *parse_size(const char *text, int64_t *out);

/* Seconds: "10", "500ms", "10us", "2s", "1.5m", "1h". */
const char *parse_duration(const char *text, double *seconds);

/* Decimal number, or a percentage: "0.02", "1e-3", "2%" (= 0.02). Not negative. */
const char *parse_real(const char *text, double *out);

/* One element of a list: a value, or a range with both ends included where the step meets them:
 *   "4k-64k*2" geometric, "2-8+2" arithmetic, "1-4" step 1; "8-2" (reversed) is refused.
 * parse_value is parse_count or parse_size and reads each part (the factor is a plain count).
 * values: [RANGE_MAX_VALUES]; *n counts those already there, the new ones are appended. */
const char *parse_range(const char *text, const char *(*parse_value)(const char *, int64_t *),
                        int64_t *values, size_t *n);

struct unit_text {
    char s[32];
};

struct unit_text format_bytes(double bytes); /* "512 B", "64 KiB", "1.5 GiB" */

#endif

/* Private to base/options*.c: the values of one option row. */
#ifndef SPB_BASE_OPTIONS_VALUES_H
#define SPB_BASE_OPTIONS_VALUES_H

#include "base/options/options.h"

/* Zero-initialise. */
struct option_values {
    size_t n;
    union option_value *v; /* [n] */
    char *copy;            /* of the text, cut into elements: strings are in it */
};

/* Replaces what values holds by what text says; repeated elements of a list count once. On failure
 * (ST_USAGE, logged with option, value and what is allowed; ST_ENV) values is unchanged. */
enum status option_values_parse(const struct option *option, const char *text,
                                struct option_values *values);
void option_values_free(struct option_values *values);

/* Puts n values into the row's field: the first, or all into a list. */
void option_store(const struct option *option, const union option_value *v, size_t n, void *fields);

/* What the option takes, as a phrase: "whole numbers from 1 (4k = 4096) or auto; ...". */
void option_describe(const struct option *option, char *buf, size_t size);

/* The names a choice row allows, separated, into buf[size]; cut where they do not fit. */
void option_choices(const struct option *option, const char *separator, char *buf, size_t size);

#endif

/* Private to base/options*.c: the values of one option row. */
#ifndef SPB_BASE_OPTIONS_VALUES_H
#define SPB_BASE_OPTIONS_VALUES_H

#include "base/options/options.h"

union option_value {
    int64_t i;     /* COUNT, SIZE; FLAG: 0 or 1 */
    double real;   /* REAL, DURATION (seconds) */
    const char *s; /* CHOICE, STRING: in copy */
};

/* Zero-initialise. */
struct option_values {
    bool set; /* on the command line */
    size_t n;
    union option_value *v; /* [n] */
    char *copy;            /* of the text, cut into elements */
};

/* Replaces what values holds by what text says; repeated elements of a list count once. On failure
 * (ST_USAGE, logged with option, value and what is allowed; ST_ENV) values is unchanged. */
enum status option_values_parse(const struct option *option, const char *text,
                                struct option_values *values);
void option_values_free(struct option_values *values);

/* What the option takes, as a phrase: "whole numbers from 1 (4k = 4096) or auto; ...". */
void option_describe(const struct option *option, char *buf, size_t size);

/* The names a choice row allows, separated, into buf[size]; cut where they do not fit. */
void option_choices(const struct option *option, const char *separator, char *buf, size_t size);

/* Row of that name that the command takes, else the first row of that name, else NULL. command
 * may be -1. */
const struct option *option_find(const struct option_table *table, const char *name, int command);

static inline bool option_belongs(const struct option *option, int command) {
    return command >= 0 && (option->commands >> command & 1u);
}

#endif

#include "base/text/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char too_large[] = "too large";

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* whole + fraction / scale: kept apart, so that counts are exact. */
struct decimal {
    int64_t whole, fraction, scale;
};

/* digits[.digits] at *text, which moves behind them. NULL, or what is wrong; what is not even a
 * number is `otherwise`. */
static const char *read_decimal(const char **text, struct decimal *d, const char *otherwise) {
    const char *p = *text;
    *d = (struct decimal){0, 0, 1};
    if (!is_digit(*p))
        return otherwise;
    for (; is_digit(*p); p++) {
        const int digit = *p - '0';
        if (d->whole > (INT64_MAX - digit) / 10)
            return too_large;
        d->whole = d->whole * 10 + digit;
    }
    if (*p == '.') {
        p++;
        if (!is_digit(*p))
            return otherwise;
        for (; is_digit(*p); p++) {
            if (d->scale >= 1000000000)
                return "too precise (at most 9 decimals)";
            d->fraction = d->fraction * 10 + (*p - '0');
            d->scale *= 10;
        }
    }
    *text = p;
    return NULL;
}

/* Power of two that a suffix letter stands for, 0 for another letter. */
static int suffix_shift(char c) {
    switch (c) {
    case 'k':
    case 'K':
        return 10;
    case 'm':
    case 'M':
        return 20;
    case 'g':
    case 'G':
        return 30;
    default:
        return 0;
    }
}

/* Whole number with a suffix at *text, which moves behind it. */
static const char *read_scaled(const char **text, int64_t *out, const char *otherwise) {
    struct decimal d;
    const char *wrong = read_decimal(text, &d, otherwise);
    if (wrong)
        return wrong;
    const int shift = suffix_shift(**text);
    if (shift)
        ++*text;
    if (d.whole > INT64_MAX >> shift)
        return too_large;
    const int64_t scaled = d.fraction * ((int64_t)1 << shift); /* below 10^9 * 2^30 */
    if (scaled % d.scale)
        return "not a whole number";
    *out = (d.whole << shift) + scaled / d.scale;
    return NULL;
}

const char *parse_count(const char *text, int64_t *out) {
    static const char otherwise[] = "not a count";
    int64_t value;
    const char *wrong = read_scaled(&text, &value, otherwise);
    if (wrong)
        return wrong;
    if (*text)
        return otherwise;
    *out = value;
    return NULL;
}

const char *parse_size(const char *text, int64_t *out) {
    static const char otherwise[] = "not a size";
    int64_t value;
    const char *wrong = read_scaled(&text, &value, otherwise);
    if (wrong)
        return wrong;
    const int suffixed = suffix_shift(text[-1]) != 0; /* at least a digit was read */
    if (*text && strcasecmp(text, "b") != 0 && !(suffixed && strcasecmp(text, "ib") == 0))
        return otherwise;
    *out = value;
    return NULL;
}

const char *parse_duration(const char *text, double *seconds) {
    static const char otherwise[] = "not a duration";
    static const struct {
        const char *name;
        double s;
    } units[] = {{"", 1},      {"s", 1},     {"m", 60},   {"h", 3600},
                 {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    struct decimal d;
    const char *wrong = read_decimal(&text, &d, otherwise);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].name) != 0)
            continue;
        *seconds = ((double)d.whole + (double)d.fraction / (double)d.scale) * units[i].s;
        return NULL;
    }
    return otherwise;
}

const char *parse_real(const char *text, double *out) {
    static const char otherwise[] = "not a number";
    /* strtod() also takes blanks, signs, "inf", "nan" and hexadecimal. */
    if (!is_digit(*text) || text[strspn(text, "0123456789.eE+-%")])
        return otherwise;
    char *end;
    const double value = strtod(text, &end);
    const int percent = *end == '%';
    if (end[percent])
        return otherwise;
    if (!isfinite(value))
        return too_large;
    *out = percent ? value / 100 : value;
    return NULL;
}

/* text[0, len) as a value of its own; a part longer than any number is no number. */
static const char *parse_part(const char *text, size_t len,
                              const char *(*parse_value)(const char *, int64_t *), int64_t *out) {
    char part[64];
    if (len >= sizeof part)
        return "too long";
    memcpy(part, text, len);
    part[len] = '\0';
    return parse_value(part, out);
}

const char *parse_range(const char *text, const char *(*parse_value)(const char *, int64_t *),
                        int64_t *values, size_t *n) {
    const char *const dash = strchr(text, '-');
    int64_t first, last, step = 1;
    const char *wrong =
        parse_part(text, dash ? (size_t)(dash - text) : strlen(text), parse_value, &first);
    if (wrong)
        return wrong;
    last = first;
    int geometric = 0;
    if (dash) {
        const size_t len = strcspn(dash + 1, "*+");
        const char *const op = dash + 1 + len;
        geometric = *op == '*';
        if ((wrong = parse_part(dash + 1, len, parse_value, &last)))
            return wrong;
        if (*op && (wrong = (geometric ? parse_count : parse_value)(op + 1, &step)))
            return wrong;
        if (last < first)
            return "a reversed range (the smaller end comes first)";
        if (geometric && (step < 2 || first < 1))
            return "a range that does not grow (it needs a start of 1 or more, a factor of 2 or "
                   "more)";
        if (step < 1)
            return "a range with step 0";
    }
    for (int64_t v = first;;) {
        if (*n == RANGE_MAX_VALUES)
            return "more than 4096 values";
        values[(*n)++] = v;
        if (geometric ? v > last / step : last - v < step)
            return NULL;
        v = geometric ? v * step : v + step;
    }
}

struct unit_text format_bytes(double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof units[0] && fabs(bytes) >= 1023.5) {
        bytes /= 1024;
        i++;
    }
    struct unit_text t;
    /* %g turns to exponents above its precision; beyond 10^12 they are welcome. */
    if (fabs(bytes) >= 1023.5 && fabs(bytes) < 1e12)
        snprintf(t.s, sizeof t.s, "%.0f %s", bytes, units[i]);
    else
        snprintf(t.s, sizeof t.s, "%.4g %s", bytes, units[i]);
    return t;
}

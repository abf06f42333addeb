#include "base/options/values.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"

struct option_choice option_choice(const struct option *option, size_t i) {
    if (option->choice)
        return option->choice(i);
    return option->choices ? option->choices[i] : (struct option_choice){0};
}

/* Appends to the string in buf[size], cutting at its end. */
__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t size, const char *fmt,
                                                         ...) {
    const size_t used = strlen(buf);
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf + used, size - used, fmt, args);
    va_end(args);
}

void option_choices(const struct option *option, const char *separator, char *buf, size_t size) {
    buf[0] = '\0';
    const char *name;
    for (size_t i = 0; (name = option_choice(option, i).name); i++)
        append(buf, size, "%s%s", i ? separator : "", name);
}

/* One value of a type: NULL, or what is wrong with text. */

static const char *parse_count_value(const struct option *o, const char *text,
                                     union option_value *v) {
    (void)o;
    return parse_count(text, &v->i);
}

static const char *parse_size_value(const struct option *o, const char *text,
                                    union option_value *v) {
    (void)o;
    return parse_size(text, &v->i);
}

static const char *parse_duration_value(const struct option *o, const char *text,
                                        union option_value *v) {
    (void)o;
    return parse_duration(text, &v->real);
}

static const char *parse_real_value(const struct option *o, const char *text,
                                    union option_value *v) {
    (void)o;
    return parse_real(text, &v->real);
}

static const char *parse_choice_value(const struct option *o, const char *text,
                                      union option_value *v) {
    for (size_t i = 0; (v->choice = option_choice(o, i)).name; i++)
        if (strcmp(v->choice.name, text) == 0)
            return NULL;
    return "not among its values";
}

static const char *parse_string_value(const struct option *o, const char *text,
                                      union option_value *v) {
    v->s = text;
    return o->check && o->check(text) ? "not valid" : NULL;
}

static const char *parse_flag_value(const struct option *o, const char *text,
                                    union option_value *v) {
    (void)o;
    v->i = strcmp(text, "on") == 0;
    return NULL;
}

/* What the code has to know about a type. */
static const struct type {
    const char *(*parse)(const struct option *, const char *, union option_value *);
    const char *(*parse_whole)(const char *, int64_t *); /* of types that have ranges */
    bool real;                                           /* bounds apply to the double */
    const char *phrase;
} types[OPT_TYPES] = {
    [OPT_FLAG] = {parse_flag_value, NULL, false, "no value"},
    [OPT_COUNT] = {parse_count_value, parse_count, false, "whole numbers"},
    [OPT_SIZE] = {parse_size_value, parse_size, false, "sizes in bytes"},
    [OPT_DURATION] = {parse_duration_value, NULL, true,
                      "durations such as 10 (seconds), 500ms, 1.5m"},
    [OPT_REAL] = {parse_real_value, NULL, true, "numbers such as 0.02 or 2%"},
    [OPT_CHOICE] = {parse_choice_value, NULL, false, ""},
    [OPT_STRING] = {parse_string_value, NULL, false, "text"},
};

void option_describe(const struct option *option, char *buf, size_t size) {
    const struct type *type = &types[option->type];
    snprintf(buf, size, "%s", type->phrase);
    if (option->type == OPT_CHOICE)
        option_choices(option, ", ", buf, size);
    if (type->parse_whole || type->real) {
        if (option->min != 0)
            append(buf, size, " from %.15g", option->min);
        if (option->max != 0)
            append(buf, size, " up to %.15g", option->max);
    }
    if (type->parse_whole)
        append(buf, size, " (4k = 4096)");
    if (option->automatic)
        append(buf, size, " or auto");
    if (option->list && type->parse_whole)
        append(buf, size, ", lists (1,2,4) and ranges (1-4, 2-8+2, 1k-64k*2)");
    else if (option->list)
        append(buf, size, " (several separated by commas)");
}

static const char *check_bounds(const struct option *o, union option_value v) {
    const struct type *type = &types[o->type];
    if (!type->real && !type->parse_whole)
        return NULL;
    const double value = type->real ? v.real : (double)v.i;
    if (value < o->min)
        return "too small";
    return o->max != 0 && value > o->max ? "too large" : NULL;
}

static bool same(const struct option *o, union option_value a, union option_value b) {
    if (o->type == OPT_CHOICE)
        return strcmp(a.choice.name, b.choice.name) == 0;
    if (o->type == OPT_STRING)
        return strcmp(a.s, b.s) == 0;
    return types[o->type].real ? !(a.real < b.real) && !(a.real > b.real) : a.i == b.i;
}

/* Values under construction. */
struct bag {
    size_t n;
    union option_value v[RANGE_MAX_VALUES];
};

static const char *add_value(const struct option *o, union option_value value, struct bag *bag) {
    for (size_t i = 0; i < bag->n; i++)
        if (same(o, bag->v[i], value))
            return NULL;
    if (bag->n == RANGE_MAX_VALUES)
        return "more than 4096 values";
    bag->v[bag->n++] = value;
    return NULL;
}

/* A range of a list of whole numbers. */
static const char *add_range(const struct option *o, const char *text, struct bag *bag) {
    int64_t values[RANGE_MAX_VALUES];
    size_t n = 0;
    const char *wrong = parse_range(text, types[o->type].parse_whole, values, &n);
    for (size_t i = 0; i < n && !wrong; i++) {
        const union option_value value = {.i = values[i]};
        wrong = check_bounds(o, value);
        if (!wrong)
            wrong = add_value(o, value, bag);
    }
    return wrong;
}

static const char *add_element(const struct option *o, const char *text, struct bag *bag) {
    if (!*text)
        return "empty";
    if (o->automatic && strcmp(text, "auto") == 0)
        return add_value(o, (union option_value){.i = 0}, bag);
    if (o->list && types[o->type].parse_whole)
        return add_range(o, text, bag);
    union option_value value;
    const char *wrong = types[o->type].parse(o, text, &value);
    if (!wrong)
        wrong = check_bounds(o, value);
    return wrong ? wrong : add_value(o, value, bag);
}

static enum status refuse(const struct option *o, const char *element, const char *wrong) {
    char allowed[1024];
    option_describe(o, allowed, sizeof allowed);
    const char *rule = o->check ? o->check(element) : NULL;
    return fail(ST_USAGE, "--%s: '%s' is %s; it takes %s", o->name, element, wrong,
                rule ? rule : allowed);
}

/* Cuts copy into elements (in place) and adds them all. */
static enum status add_all(const struct option *o, char *copy, struct bag *bag) {
    for (char *element = copy; element;) {
        char *comma = o->list ? strchr(element, ',') : NULL;
        if (comma)
            *comma = '\0';
        const char *wrong = add_element(o, element, bag);
        if (wrong)
            return refuse(o, element, wrong);
        element = comma ? comma + 1 : NULL;
    }
    return ST_OK;
}

enum status option_values_parse(const struct option *option, const char *text,
                                struct option_values *values) {
    struct bag *bag = malloc(sizeof *bag);
    char *copy = strdup(text);
    union option_value *v = NULL;
    enum status st = ST_OK;
    if (bag && copy) {
        bag->n = 0;
        st = add_all(option, copy, bag);
        if (st)
            goto out;
        v = bag->n ? malloc(bag->n * sizeof *v) : NULL; /* it has at least one element */
    }
    if (!v) {
        st = fail(ST_ENV, "out of memory while reading --%s", option->name);
        goto out;
    }
    memcpy(v, bag->v, bag->n * sizeof *v);
    free(values->v);
    free(values->copy);
    *values = (struct option_values){.n = bag->n, .v = v, .copy = copy};
    copy = NULL;
out:
    free(copy);
    free(bag);
    return st;
}

void option_values_free(struct option_values *values) {
    free(values->v);
    free(values->copy);
    *values = (struct option_values){0};
}

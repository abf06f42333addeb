/* The parameters of a record that are values of options. */
#ifndef SPB_BENCH_RECORD_OPTIONS_H
#define SPB_BENCH_RECORD_OPTIONS_H

#include <jansson.h>

#include "bench/options/options.h"

/* Every option whose row says so (struct option's recorded) and which means something to who lists
 * these (options_keep()), by its key. A flag is 1, or absent; so is an option without a value. */
void options_record(const struct options *options, const char *const *scope, json_t *record);

#endif

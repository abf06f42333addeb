/* The shape of the model that a case is about, from its options. */
#ifndef SPB_BENCH_CASES_MODEL_SHAPE_H
#define SPB_BENCH_CASES_MODEL_SHAPE_H

#include "bench/options/options.h"
#include "models/model.h"

/* --model, with --heads, --kv-heads, --head-dim and (with_hidden) --hidden over it; whether the KV
 * heads divide the query heads is the case's to check, since another case of a sweep may do.
 * ST_USAGE, said, when something is missing or the model file is bad. */
enum status model_shape_resolve(const struct options *options, const char *data_dir,
                                bool with_hidden, struct model_shape *out);

/* Does a case say anything of a shape? */
bool model_shape_given(const struct options *options);

#endif

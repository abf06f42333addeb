#include "plots/kinds.h"

static const char *const attn_line[PARAM_LIST] = {"method", "sp_size"};
const char *const attn_extra_params[PARAM_LIST] = {
    "layout",    "ulysses_size", "ring_size", "inner",      "placement", "transport",
    "mpi_algo",  "kernel",       "threads",   "grad_dtype", "overlap",   "fuse_qkv",
    "kv_groups", "cache",        "wait",      "sync",
};
static const char *const comm_page[PARAM_LIST] = {"device", "dtype", "cache"};
/* By the algorithm that was asked for: the one that was chosen may change along a line. */
static const char *const comm_line[PARAM_LIST] = {"op", "transport", "mpi_algo", "world_size"};
static const char *const shape_page[PARAM_LIST] = {"device", "dtype",    "cache",   "model",
                                                   "heads",  "kv_heads", "head_dim"};
static const char *const shape_line[PARAM_LIST] = {"op", "pass", "transport", "mpi_algo",
                                                   "world_size"};
static const char *const shape_extra[PARAM_LIST] = {
    "sp_size", "dp_shard_size", "batch",     "placement", "grad_dtype", "wait",
    "sync",    "ulysses_size",  "ring_size", "inner",     "fuse_qkv",   "ring_direction"};
static const char *const comm_extra[PARAM_LIST] = {"pass", "sp_size", "dp_shard_size", "placement",
                                                   "wait", "sync",    "ring_direction"};

const struct chart_kind chart_kinds[] = {
    {
        .name = "bandwidth",
        .kind = "comm",
        .title = "Bandwidth by message size",
        .x = {"params", "bytes"},
        .y = {"metrics", "busbw_gb_s"},
        .without = "seq",
        .is_rate = true,
        .page_params = comm_page,
        .line_params = comm_line,
        .extra_params = comm_extra,
    },
    {
        .name = "bandwidth_model",
        .kind = "comm",
        .title = "Bandwidth of model-shaped exchanges",
        .x = {"metrics", "bytes_sent_per_rank"},
        .y = {"metrics", "busbw_gb_s"},
        .with = "seq",
        .is_rate = true,
        .page_params = shape_page,
        .line_params = shape_line,
        .extra_params = shape_extra,
    },
    {
        .name = "tokens",
        .kind = "attn",
        .title = "Throughput",
        .x = {"params", "seq"},
        .y = {"metrics", "tokens_per_s"},
        .is_rate = true,
        .line_params = attn_line,
        .extra_params = attn_extra_params,
    },
    {
        .name = "memory",
        .kind = "attn",
        .title = "Peak memory",
        .x = {"params", "seq"},
        .y = {"metrics", "peak_mem_bytes"},
        .predicted = {"metrics", "predicted_mem_bytes"},
        .line_params = attn_line,
        .extra_params = attn_extra_params,
    },
    {.name = NULL},
};

#include "results/record/fields.h"

#include <string.h>

#include "results/record/record.h"

/* Types with their units and what they open. */
#define TEXT FIELD_TEXT, "", 0
#define COUNT FIELD_COUNT, "", 0
#define TOKENS FIELD_COUNT, "tokens", 0
#define RANKS FIELD_COUNT, "ranks", 0
#define BYTES FIELD_COUNT, "bytes", 0
#define REAL(unit) FIELD_REAL, unit, 0
#define SECONDS REAL("s")
#define GB_S REAL("10^9 bytes/s")
#define FRACTION REAL("fraction")
#define OBJECT(section) FIELD_OBJECT, "", section
#define ARRAY(section) FIELD_ARRAY, "", section

#define COMM [KIND_COMM]
#define ATTN [KIND_ATTN]
#define OTHER [KIND_OTHER]

const struct field record_fields[] = {
    {IN_RECORD, "schema", TEXT, 1, "this format and its version", .required = true,
     .constant = RECORD_SCHEMA},
    {IN_RECORD, "kind", TEXT, 2, "what was measured: `comm` or `attn`", .required = true},
    {IN_RECORD, "case", TEXT, 3,
     "what was asked for, sorted key=value (`auto` stays `auto`): two runs pair by it",
     .required = true, .columns = {OTHER = {"case", 60}}},
    {IN_RECORD, "launch", COUNT, 80, "which of `--launches`, from 1"},
    {IN_RECORD, "params", OBJECT(IN_PARAMS), 0, "resolved values", .required = true},
    {IN_RECORD, "metrics", OBJECT(IN_METRICS), 0, "what was measured, and what formulas predict",
     .required = true},
    {IN_RECORD, "memory", OBJECT(IN_MEMORY), 0, "peaks by category of allocation"},
    {IN_RECORD, "phases", ARRAY(IN_PHASES), 0, "phases of the slowest rank; they sum to the time"},
    {IN_RECORD, "samples_s", FIELD_REALS, "s", 0, 0, "every iteration's time, none left out"},
    {IN_RECORD, "check", OBJECT(IN_CHECK), 0, "of a result that was verified"},
    {IN_RECORD, "interconnect", OBJECT(IN_INTERCONNECT), 0, "links that the exchanges use"},
    {IN_RECORD, "pairs", ARRAY(IN_PAIRS), 0, "`--op pairs`: every two ranks"},
    {IN_RECORD, "links", ARRAY(IN_LINKS), 0,
     "`--op pairs`: every class of links, in each mode and direction"},
    {IN_RECORD, "fingerprint", OBJECT(IN_FINGERPRINT), 0, "on what it was measured"},

    {IN_PARAMS, "op", TEXT, 4, "operation of `comm`", .columns = {COMM = {"op", 18}}},
    {IN_PARAMS, "method", TEXT, 8, "sequence-parallel method of `attn`",
     .columns = {ATTN = {"method", 9}}},
    {IN_PARAMS, "model", TEXT, 20, "whose shape it is", .problem = true},
    {IN_PARAMS, "bytes", BYTES, 5, "a rank's whole send buffer, its own block included",
     .columns = {COMM = {"bytes or shape", 20}}},
    {IN_PARAMS, "bytes_per_peer", BYTES, 6, "block for one peer, where all are equal"},
    {IN_PARAMS, "heads", COUNT, 16, "query heads", .problem = true},
    {IN_PARAMS, "kv_heads", COUNT, 17, "key/value heads", .problem = true},
    {IN_PARAMS, "head_dim", COUNT, 18, "elements of a head", .problem = true},
    {IN_PARAMS, "hidden", COUNT, 19, "elements of a token outside attention", .problem = true},
    {IN_PARAMS, "batch", COUNT, 15, "sequences per data-parallel group", .problem = true},
    {IN_PARAMS, "sp_size", RANKS, 9, "ranks that share a sequence", .columns = {ATTN = {"sp", 3}}},
    {IN_PARAMS, "dp_shard_size", COUNT, 10,
     "data-parallel groups; parameters are sharded over all ranks", .problem = true,
     .columns = {ATTN = {"dp", 3}}},
    {IN_PARAMS, "ulysses_size", RANKS, 11, "ranks of a Ulysses group"},
    {IN_PARAMS, "ring_size", RANKS, 12, "ranks of a ring"},
    {IN_PARAMS, "world_size", RANKS, 13, "all ranks", .columns = {COMM = {"ranks", 5}}},
    {IN_PARAMS, "seq", TOKENS, 14, "global sequence length", .columns = {ATTN = {"seq", 8}}},
    {IN_PARAMS, "padded_seq", TOKENS, 97, "the same with its padding, where it has any"},
    {IN_PARAMS, "pass", TEXT, 22, "`fwd`, `bwd` or `fwdbwd`", .problem = true,
     .columns = {ATTN = {"pass", 6}}},
    {IN_PARAMS, "dtype", TEXT, 21, "element type of tensors and their exchanges", .problem = true},
    {IN_PARAMS, "grad_dtype", TEXT, 78, "element type of travelling gradients"},
    {IN_PARAMS, "mask", TEXT, 23, "which keys a query sees", .problem = true},
    {IN_PARAMS, "layout", TEXT, 24, "which tokens a rank holds"},
    {IN_PARAMS, "head_shares", ARRAY(IN_SHARES), 0,
     "which heads the ranks of a Ulysses group have, where not all have as many"},
    {IN_PARAMS, "placement", TEXT, 25, "which ranks are neighbours: `sp-inner` or `sp-outer`"},
    {IN_PARAMS, "inner", TEXT, 88, "`usp`: whose ranks are neighbours, `ulysses` or `ring`"},
    {IN_PARAMS, "fuse_qkv", TEXT, 86, "`on`: Q, K and V in one all-to-all"},
    {IN_PARAMS, "ring_direction", TEXT, 87, "`one` or `both` ways round the ring"},
    {IN_PARAMS, "kv_groups", COUNT, 96, "`allgather`: groups in which K/V heads are gathered"},
    {IN_PARAMS, "overlap", TEXT, 95, "`on`: exchanges run under computation"},
    {IN_PARAMS, "serialize_ranks", COUNT, 131,
     "1: balance was measured with one rank computing at a time"},
    {IN_PARAMS, "transport", TEXT, 26, "what carried the exchanges",
     .columns = {COMM = {"transport/algo", 15}}},
    {IN_PARAMS, "transport_reason", TEXT, 130, "why `auto` chose it"},
    {IN_PARAMS, "mpi_algo", TEXT, 129, "algorithm of the mpi transport that was asked for"},
    {IN_PARAMS, "algo", TEXT, 7, "algorithm that carried out the exchanges"},
    {IN_PARAMS, "device", TEXT, 27, "where tensors lived", .problem = true},
    {IN_PARAMS, "core_only", COUNT, 77, "1: without projections", .problem = true},
    {IN_PARAMS, "kernel", TEXT, 28, "attention kernel"},
    {IN_PARAMS, "threads", COUNT, 29, "compute threads of a rank"},
    {IN_PARAMS, "bind", TEXT, 132, "what ranks were pinned to"},
    {IN_PARAMS, "wait", TEXT, 30, "how ranks waited: `spin`, `yield` or `block`"},
    {IN_PARAMS, "sync", TEXT, 31, "what aligned ranks before an iteration"},
    {IN_PARAMS, "cache", TEXT, 32, "`warm` or `cold`"},
    {IN_PARAMS, "seed", COUNT, 79, "seed of the generated tensors"},

    {IN_SHARES, "ulysses_rank", COUNT, 0, "rank in the Ulysses group"},
    {IN_SHARES, "q_first", COUNT, 0, "its first query head"},
    {IN_SHARES, "q_heads", COUNT, 0, "its query heads"},
    {IN_SHARES, "kv_first", COUNT, 0, "its first key/value head"},
    {IN_SHARES, "kv_heads", COUNT, 0, "its key/value heads"},

    {IN_METRICS, "time_s", FIELD_OBJECT, "s", IN_TIME, 0,
     "time of an iteration: the maximum over ranks after a synchronisation",
     .columns = {COMM = {"time", 16}, ATTN = {"time", 16}, OTHER = {"time", 16}}},
    {IN_METRICS, "invalid_samples", COUNT, 93,
     "iterations that some rank began late; they do not count"},
    {IN_METRICS, "clock_error_s", SECONDS, 94, "by how much the common starts of ranks may differ"},
    {IN_METRICS, "tokens_per_s", REAL("tokens/s"), 42, "batch x seq x dp_shard_size over the time",
     .columns = {ATTN = {"tokens/s", 8}}},
    {IN_METRICS, "tflops", REAL("10^12 FLOP/s"), 43, "all ranks together",
     .columns = {ATTN = {"TFLOP/s", 8}}},
    {IN_METRICS, "gemm_tflops", REAL("10^12 FLOP/s"), 83,
     "a matrix product in the same run, one rank's"},
    {IN_METRICS, "predicted_comm_s", SECONDS, 123, "the exchanges alone, by the rates of the links",
     .columns = {COMM = {"predicted", 9}}},
    {IN_METRICS, "algbw_gb_s", GB_S, 44, "the whole send buffer over the time",
     .columns = {COMM = {"algbw GB/s", 10}}},
    {IN_METRICS, "busbw_gb_s", GB_S, 45, "bytes that a rank sends over the time",
     .columns = {COMM = {"busbw GB/s", 10}}},
    {IN_METRICS, "bisection_gb_s", GB_S, 89, "`--op bisection`: all ranks together"},
    {IN_METRICS, "worst_pair_gb_s", GB_S, 90,
     "`--op pairs`: the slowest pair alone, largest message"},
    {IN_METRICS, "best_pair_gb_s", GB_S, 91, "the fastest one"},
    {IN_METRICS, "worst_pair_loaded_gb_s", GB_S, 92,
     "the slowest one while all others exchange, too"},
    {IN_METRICS, "fraction_of_bound", FRACTION, 54,
     "of what bounds it in the same run: a copy of the bytes, or the rate of a matrix product",
     .columns = {COMM = {"of bound", 8}}},
    {IN_METRICS, "compute_only_s", SECONDS, 82, "the layer with its exchanges left out, median"},
    {IN_METRICS, "comm_only_s", SECONDS, 81, "its exchanges alone, median"},
    {IN_METRICS, "exposed_comm_s", SECONDS, 51, "the layer's time less compute_only_s",
     .columns = {ATTN = {"exposed", 8}}},
    {IN_METRICS, "overlap", FIELD_UP_TO_1, "fraction", 0, 52, "1 - exposed_comm_s / comm_only_s",
     .columns = {ATTN = {"overlap", 7}}},
    {IN_METRICS, "balance", FRACTION, 53, "mean over maximum of the ranks' computing time"},
    {IN_METRICS, "balance_theory", FRACTION, 98, "the same of their work, by formula"},
    {IN_METRICS, "speedup_vs_sp1", REAL(""), 46,
     "tokens/s over those of the same problem at sp_size 1"},
    {IN_METRICS, "bytes_sent_per_rank", BYTES, 47,
     "SP payload of an iteration as the transport counted it, maximum over ranks",
     .columns = {COMM = {"sent/rank", 10}, ATTN = {"sent/rank", 9}}},
    {IN_METRICS, "bytes_predicted_per_rank", BYTES, 48, "the same by formula",
     .columns = {COMM = {"predicted", 10}, ATTN = {"predicted", 9}}},
    {IN_METRICS, "param_bytes_sent_per_rank", BYTES, 49, "parameters and their gradients, counted"},
    {IN_METRICS, "param_bytes_predicted_per_rank", BYTES, 50, "the same by formula"},
    {IN_METRICS, "peak_mem_bytes", BYTES, 55, "peak of all that was allocated, maximum over ranks",
     .columns = {ATTN = {"peak mem", 9}}},
    {IN_METRICS, "predicted_mem_bytes", BYTES, 56, "the same by formula",
     .columns = {ATTN = {"predicted", 9}}},
    {IN_METRICS, "peak_rss_bytes", BYTES, 57,
     "peak resident set of the process, maximum over ranks"},

    {IN_TIME, "median", SECONDS, 33, "of all iterations", .required = true},
    {IN_TIME, "ci95", FIELD_INTERVAL, "s", 0, 34,
     "95% confidence interval of the median, from 6 samples"},
    {IN_TIME, "min", SECONDS, 36, "the shortest"},
    {IN_TIME, "p95", SECONDS, 37, "95th percentile, from 20 samples"},
    {IN_TIME, "p99", SECONDS, 38, "99th percentile, from 100 samples"},
    {IN_TIME, "mad", SECONDS, 39, "median absolute deviation from the median"},
    {IN_TIME, "n", COUNT, 40, "samples", .required = true},
    {IN_TIME, "outliers_mild", COUNT, 84, "beyond 1.5 interquartile ranges; counted, not left out"},
    {IN_TIME, "outliers_extreme", COUNT, 85, "beyond 3"},
    {IN_TIME, "converged", FIELD_BOOL, "", 0, 41,
     "false: the time was up before the interval was as narrow as asked for"},

    {IN_MEMORY, "weights", OBJECT(IN_PEAK), 57, "parameters"},
    {IN_MEMORY, "gradients", OBJECT(IN_PEAK), 59, "their gradients"},
    {IN_MEMORY, "activations", OBJECT(IN_PEAK), 61, "tensors between forward and backward pass"},
    {IN_MEMORY, "exchange", OBJECT(IN_PEAK), 63, "buffers of exchanges"},
    {IN_MEMORY, "workspace", OBJECT(IN_PEAK), 65, "what kernels need besides"},

    {IN_PEAK, "peak", BYTES, 1, "maximum over ranks"},
    {IN_PEAK, "predicted", BYTES, 2, "the same by formula"},

    {IN_PHASES, "name", TEXT, 0, "phase, or `other` for what none covers", .required = true},
    {IN_PHASES, "median_s", SECONDS, 0, "its part of an iteration", .required = true},

    {IN_CHECK, "status", TEXT, 68, "`ok` or `wrong`", .required = true,
     .columns = {COMM = {"check", 12}, ATTN = {"check", 10}, OTHER = {"check", 12}}},
    {IN_CHECK, "max_rel_err", REAL(""), 69,
     "max abs(x - reference) / max abs(reference) of a row, the greatest of all"},
    {IN_CHECK, "wrong_elements", COUNT, 70, "of all elements, compared bit by bit"},
    {IN_CHECK, "reference", TEXT, 71, "what it was compared with"},
    {IN_CHECK, "tensors", OBJECT(IN_TENSORS), 0, "errors of each tensor"},

    {IN_TENSORS, "o", OBJECT(IN_ERRORS), 98, "attention output"},
    {IN_TENSORS, "lse", OBJECT(IN_ERRORS), 100, "log-sum-exp of the logits"},
    {IN_TENSORS, "delta", OBJECT(IN_ERRORS), 102, "row sums of dO x O"},
    {IN_TENSORS, "dq", OBJECT(IN_ERRORS), 104, "gradient of Q"},
    {IN_TENSORS, "dk", OBJECT(IN_ERRORS), 106, "gradient of K"},
    {IN_TENSORS, "dv", OBJECT(IN_ERRORS), 108, "gradient of V"},
    {IN_TENSORS, "y", OBJECT(IN_ERRORS), 110, "layer output"},
    {IN_TENSORS, "dx", OBJECT(IN_ERRORS), 112, "gradient of the layer input"},
    {IN_TENSORS, "dwq", OBJECT(IN_ERRORS), 114, "gradient of the query weights"},
    {IN_TENSORS, "dwk", OBJECT(IN_ERRORS), 116, "gradient of the key weights"},
    {IN_TENSORS, "dwv", OBJECT(IN_ERRORS), 118, "gradient of the value weights"},
    {IN_TENSORS, "dwo", OBJECT(IN_ERRORS), 120, "gradient of the output weights"},

    {IN_ERRORS, "max", REAL(""), 1, "the greatest error of a row"},
    {IN_ERRORS, "rms", REAL(""), 2, "root mean square of all elements' errors"},
    {IN_ERRORS, "rows", COUNT, 0, "rows that were compared"},

    {IN_INTERCONNECT, "sp_worst_link", TEXT, 72,
     "the farthest class of links between two ranks of an SP group"},
    {IN_INTERCONNECT, "sp_best_link", TEXT, 124, "the nearest one"},
    {IN_INTERCONNECT, "sp_link_gb_s", GB_S, 73, "what the farthest was measured to carry"},
    {IN_INTERCONNECT, "dp_worst_link", TEXT, 125, "the same of a data-parallel group"},
    {IN_INTERCONNECT, "dp_best_link", TEXT, 126, "the nearest one"},
    {IN_INTERCONNECT, "dp_link_gb_s", GB_S, 127, "what the farthest was measured to carry"},
    {IN_INTERCONNECT, "link_rates", TEXT, 128,
     "where rates come from: `pairs`, a record of `--op pairs`, or `probe`"},

    {IN_PAIRS, "a", COUNT, 0, "rank", .required = true},
    {IN_PAIRS, "b", COUNT, 0, "rank, the greater one", .required = true},
    {IN_PAIRS, "class", TEXT, 0, "of the link between them", .required = true},
    {IN_PAIRS, "isolated", OBJECT(IN_RATES), 0, "while all others are idle"},
    {IN_PAIRS, "loaded", OBJECT(IN_RATES), 0, "while all ranks exchange in pairs"},

    {IN_RATES, "latency_s", SECONDS, 0, "time of the smallest message, median"},
    {IN_RATES, "gb_s", GB_S, 0, "of the largest message, one direction"},
    {IN_RATES, "gb_s_both", GB_S, 0, "a direction's rate while both are used"},

    {IN_LINKS, "class", TEXT, 0, "of the links", .required = true},
    {IN_LINKS, "pairs", COUNT, 0, "pairs of ranks that it joins"},
    {IN_LINKS, "mode", TEXT, 0, "`isolated` or `loaded`", .required = true},
    {IN_LINKS, "direction", TEXT, 0, "`one` or `both` at once", .required = true},
    {IN_LINKS, "curve", ARRAY(IN_CURVE), 0, "time by message size, over its pairs",
     .required = true},
    {IN_LINKS, "latency_s", SECONDS, 0, "fit: time of a message = latency_s + bytes / gb_s"},
    {IN_LINKS, "gb_s", GB_S, 0, "fit: bandwidth of large messages"},
    {IN_LINKS, "fit_rms_rel_error", FRACTION, 0, "of the fit against the curve, root mean square"},
    {IN_LINKS, "fit_max_rel_error", FRACTION, 0, "the largest one"},

    {IN_CURVE, "bytes", BYTES, 0, "of a message", .required = true},
    {IN_CURVE, "median_s", SECONDS, 0, "median over the pairs", .required = true},
    {IN_CURVE, "min_s", SECONDS, 0, "the fastest pair"},
    {IN_CURVE, "max_s", SECONDS, 0, "the slowest pair"},

    {IN_FINGERPRINT, "id", TEXT, 74, "hash of all that follows"},
    {IN_FINGERPRINT, "host_class", TEXT, 75,
     "system, architecture, processors and memory, no host's name"},
    {IN_FINGERPRINT, "cpu", TEXT, 0, "model of the processor"},
    {IN_FINGERPRINT, "topology", TEXT, 0, "the machine in words"},
    {IN_FINGERPRINT, "mpi", TEXT, 0, "MPI library"},
    {IN_FINGERPRINT, "git", TEXT, 76, "revision of spbench"},
    {IN_FINGERPRINT, "compiler", TEXT, 0, "compiler of spbench"},
    {IN_FINGERPRINT, "env", FIELD_TEXTS, "", 0, 0,
     "environment: NCCL_*, UCX_*, MPIR_CVAR_*, MPICH_*, OMP_*, CUDA_VISIBLE_DEVICES only"},
    {SECTIONS, NULL},
};

const struct field *field_find(enum section section, const char *key) {
    for (const struct field *f = record_fields; f->key; f++)
        if (f->section == section && strcmp(f->key, key) == 0)
            return f;
    return NULL;
}

const struct field *field_opener(enum section section, const struct field *previous) {
    for (const struct field *f = previous ? previous + 1 : record_fields; f->key; f++)
        if (f->opens == section && section != IN_RECORD)
            return f;
    return NULL;
}

void field_path(FILE *out, const struct field *field, const struct field *opener) {
    if (opener) {
        field_path(out, opener, field_opener(opener->section, NULL));
        fputs(opener->type == FIELD_ARRAY ? "[]." : ".", out);
    }
    fputs(field->key, out);
}

const json_t *field_value(const struct field *field, const json_t *record) {
    const struct field *opener = field_opener(field->section, NULL);
    return json_object_get(opener ? field_value(opener, record) : record, field->key);
}

const char *problem_param(size_t i) {
    for (const struct field *f = record_fields; f->key; f++)
        if (f->problem && i-- == 0)
            return f->key;
    return NULL;
}

enum record_kind record_kind_of(const json_t *record) {
    static const char *const names[] = {[KIND_COMM] = "comm", [KIND_ATTN] = "attn"};
    const char *kind = json_string_value(json_object_get(record, "kind"));
    for (int k = 0; kind && k < KIND_OTHER; k++)
        if (strcmp(names[k], kind) == 0)
            return (enum record_kind)k;
    return KIND_OTHER;
}

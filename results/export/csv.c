/* RFC 4180 with a fixed set of columns, so that the header does not depend on the records: lines of
 * any two runs can be concatenated. What a record lacks is empty. Phases and raw samples have no
 * fixed columns: json and jsonl carry them. */
#include "results/text/csv.h"
#include "results/export/export.h"

#include "results/record/record.h"

#include <string.h>

/* New ones come last, so that those before keep their places. The header is PATH as it stands; an
 * index picks from an array. */
static const char *const columns[] = {
    "schema",
    "kind",
    "case",
    "params.op",
    "params.bytes",
    "params.bytes_per_peer",
    "params.algo",
    "params.method",
    "params.sp_size",
    "params.dp_shard_size",
    "params.ulysses_size",
    "params.ring_size",
    "params.world_size",
    "params.seq",
    "params.batch",
    "params.heads",
    "params.kv_heads",
    "params.head_dim",
    "params.hidden",
    "params.model",
    "params.dtype",
    "params.pass",
    "params.mask",
    "params.layout",
    "params.placement",
    "params.transport",
    "params.device",
    "params.kernel",
    "params.threads",
    "params.wait",
    "params.sync",
    "params.cache",
    "metrics.time_s.median",
    "metrics.time_s.ci95.0",
    "metrics.time_s.ci95.1",
    "metrics.time_s.min",
    "metrics.time_s.p95",
    "metrics.time_s.p99",
    "metrics.time_s.mad",
    "metrics.time_s.n",
    "metrics.time_s.converged",
    "metrics.tokens_per_s",
    "metrics.tflops",
    "metrics.algbw_gb_s",
    "metrics.busbw_gb_s",
    "metrics.speedup_vs_sp1",
    "metrics.bytes_sent_per_rank",
    "metrics.bytes_predicted_per_rank",
    "metrics.param_bytes_sent_per_rank",
    "metrics.param_bytes_predicted_per_rank",
    "metrics.exposed_comm_s",
    "metrics.overlap",
    "metrics.balance",
    "metrics.fraction_of_bound",
    "metrics.peak_mem_bytes",
    "metrics.predicted_mem_bytes",
    "metrics.peak_rss_bytes",
    "memory.weights.peak",
    "memory.weights.predicted",
    "memory.gradients.peak",
    "memory.gradients.predicted",
    "memory.activations.peak",
    "memory.activations.predicted",
    "memory.exchange.peak",
    "memory.exchange.predicted",
    "memory.workspace.peak",
    "memory.workspace.predicted",
    "check.status",
    "check.max_rel_err",
    "check.wrong_elements",
    "check.reference",
    "interconnect.sp_worst_link",
    "interconnect.sp_link_gb_s",
    "fingerprint.id",
    "fingerprint.host_class",
    "fingerprint.git",
    "params.core_only",
    "params.grad_dtype",
    "params.seed",
    "launch",
    "metrics.comm_only_s",
    "metrics.compute_only_s",
    "metrics.gemm_tflops",
    "metrics.time_s.outliers_mild",
    "metrics.time_s.outliers_extreme",
    "params.fuse_qkv",
    "params.ring_direction",
    "params.inner",
    "metrics.bisection_gb_s",
    "metrics.worst_pair_gb_s",
    "metrics.best_pair_gb_s",
    "metrics.worst_pair_loaded_gb_s",
    "metrics.invalid_samples",
    "metrics.clock_error_s",
    "params.overlap",
    "params.kv_groups",
    "params.padded_seq",
    "metrics.balance_theory",
    "check.tensors.o.max",
    "check.tensors.o.rms",
    "check.tensors.lse.max",
    "check.tensors.lse.rms",
    "check.tensors.delta.max",
    "check.tensors.delta.rms",
    "check.tensors.dq.max",
    "check.tensors.dq.rms",
    "check.tensors.dk.max",
    "check.tensors.dk.rms",
    "check.tensors.dv.max",
    "check.tensors.dv.rms",
    "check.tensors.y.max",
    "check.tensors.y.rms",
    "check.tensors.dx.max",
    "check.tensors.dx.rms",
    "check.tensors.dwq.max",
    "check.tensors.dwq.rms",
    "check.tensors.dwk.max",
    "check.tensors.dwk.rms",
    "check.tensors.dwv.max",
    "check.tensors.dwv.rms",
    "check.tensors.dwo.max",
    "check.tensors.dwo.rms",
    "metrics.predicted_comm_s",
    "interconnect.sp_best_link",
    "interconnect.dp_worst_link",
    "interconnect.dp_best_link",
    "interconnect.dp_link_gb_s",
    "interconnect.link_rates",
    "params.mpi_algo",
    "params.transport_reason",
    "params.serialize_ranks",
    "params.bind",
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const json_t *at(const json_t *value, const char *path) {
    while (value && *path) {
        const size_t length = strcspn(path, ".");
        value = json_is_array(value) ? json_array_get(value, (size_t)(*path - '0'))
                                     : json_object_getn(value, path, length);
        path += length + (path[length] == '.');
    }
    return value;
}

static void write_value(FILE *out, const json_t *value) {
    if (json_is_string(value))
        csv_text(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

static void end_line(FILE *out) {
    fputs("\r\n", out);
}

static void begin(struct export_stream *stream) {
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(stream->out, "%s%s", i ? "," : "", columns[i]);
    end_line(stream->out);
}

static void row(struct export_stream *stream, const json_t *record) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i)
            fputc(',', stream->out);
        write_value(stream->out, at(record, columns[i]));
    }
    end_line(stream->out);
}

const struct exporter export_csv = {
    "csv", "comma-separated values (RFC 4180), fixed columns, one record a row", begin, row, NULL};

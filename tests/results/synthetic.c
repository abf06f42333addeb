#include "tests/results/synthetic.h"

#include "results/record/record.h"

#include "tests/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 64 };

/* n samples evenly over median +- spread: their median is exactly what was asked for. */
static void add_time(json_t *r, double median, double spread, int n) {
    double samples[MOST_SAMPLES];
    assert_true(n <= MOST_SAMPLES);
    for (int i = 0; i < n; i++) {
        const int k = (i * 5) % n; /* not in order */
        samples[i] = median * (1.0 + spread * (n > 1 ? 2.0 * k / (n - 1.0) - 1.0 : 0.0));
    }
    struct summary s;
    assert_int_equal(stats_summarise(samples, (size_t)n, &s), ST_OK);
    record_time(r, &s, true, samples, (size_t)n);
}

static void finish(json_t *r, const struct case_var *vars, size_t n) {
    json_t *print =
        json_pack("{s:s, s:s, s:s}", "id", "0123456789abcdef", "cpu", "made up", "git", "v1");
    assert_int_equal(record_finish(r, vars, n, print), ST_OK);
    json_decref(print);
}

static void add_phases(json_t *r, const struct synthetic_attn *spec, double time) {
    const int ring = strcmp(spec->method, "ring") == 0, local = strcmp(spec->method, "local") == 0;
    const double comm = local ? 0.0 : spec->comm, rest = 1.0 - comm;
    record_phase(r, "qkv_proj", 0.12 * rest * time);
    record_phase(r, "rope", 0.02 * rest * time);
    record_phase(r, "attention", 0.25 * rest * time);
    record_phase(r, "attention_bwd", 0.40 * rest * time);
    record_phase(r, "out_proj", 0.07 * rest * time);
    record_phase(r, "qkv_proj_bwd", 0.08 * rest * time);
    record_phase(r, "pack", 0.02 * rest * time);
    if (ring) {
        record_phase(r, "ring", 0.3 * comm * time);
        record_phase(r, "ring_bwd", 0.7 * comm * time);
        record_phase(r, "merge", 0.01 * rest * time);
    } else if (!local) {
        record_phase(r, "alltoall_qkv", 0.5 * comm * time);
        record_phase(r, "alltoall_o", 0.5 * comm * time);
    }
    record_phase(r, "other", (ring ? 0.03 : 0.04) * rest * time);
}

json_t *synthetic_attn(const struct synthetic_attn *given) {
    struct synthetic_attn spec = *given;
    spec.spread = spec.spread > 0.0 ? spec.spread : 0.01;
    spec.samples = spec.samples ? spec.samples : 12;
    spec.comm = spec.comm > 0.0 ? spec.comm : 0.1;
    spec.model = spec.model ? spec.model : "llama-3.1-8b";
    spec.pass = spec.pass ? spec.pass : "fwdbwd";
    const double seq = spec.seq, sp = spec.sp;
    const double compute = (2e-4 * seq + 4e-8 * seq * seq) / sp;
    const double time =
        spec.time_s > 0.0 ? spec.time_s : compute / (1.0 - (sp > 1 ? spec.comm : 0));
    const int ring = strcmp(spec.method, "ring") == 0;

    json_t *r = record_new("attn");
    record_param_str(r, "method", spec.method);
    record_param_str(r, "model", spec.model);
    record_param_str(r, "dtype", "fp32");
    record_param_str(r, "pass", spec.pass);
    record_param_str(r, "mask", "causal");
    record_param_str(r, "layout", ring ? "zigzag" : "contiguous");
    record_param_str(r, "transport", "mpi");
    record_param_str(r, "device", "cpu");
    const struct {
        const char *key;
        long long value;
    } counts[] = {{"sp_size", spec.sp}, {"dp_shard_size", 1}, {"world_size", spec.sp},
                  {"seq", spec.seq},    {"batch", 1},         {"heads", 32},
                  {"kv_heads", 8},      {"head_dim", 128},    {"hidden", 4096},
                  {"threads", 1}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        record_param_int(r, counts[i].key, counts[i].value);

    add_time(r, time, spec.spread, spec.samples);
    record_metric(r, "tokens_per_s", seq / time);
    if (spec.gemm_tflops > 0)
        record_metric(r, "gemm_tflops", spec.gemm_tflops);
    record_metric(r, "tflops", 3.5 * 4.0 * 128 * 32 * seq * seq / 2.0 / time * 1e-12);
    const double local_bytes = 4096.0 * 4.0 * seq / sp;
    const double sent = ring ? (sp - 1) * local_bytes / 2.0 : (sp - 1) / sp * 2.5 * local_bytes;
    if (!spec.no_exposed && spec.sp > 1) {
        record_metric(r, "exposed_comm_s", spec.comm * time);
        record_metric(r, "overlap", ring ? 0.8 : 0.0);
    }
    record_metric_int(r, "bytes_sent_per_rank", (long long)sent);
    record_metric_int(r, "bytes_predicted_per_rank", (long long)sent);
    record_metric(r, "balance", ring ? 0.98 : 1.0);
    const double memory = 1.6e8 / sp + local_bytes * (ring ? 9.0 : 11.0);
    record_metric_int(r, "peak_mem_bytes", (long long)memory);
    record_metric_int(r, "predicted_mem_bytes", (long long)(0.97 * memory));
    record_memory(r, "activations", (long long)(memory / 2), (long long)(memory / 2));
    if (!spec.no_phases)
        add_phases(r, &spec, time);
    record_check(r, !spec.wrong, 3e-6, spec.wrong, "fp64 sampled rows");

    char sp_text[16], seq_text[16];
    snprintf(sp_text, sizeof sp_text, "%d", spec.sp);
    snprintf(seq_text, sizeof seq_text, "%d", spec.seq);
    const struct case_var vars[] = {{"method", spec.method},
                                    {"model", spec.model},
                                    {"pass", spec.pass},
                                    {"seq", seq_text},
                                    {"sp", sp_text}};
    finish(r, vars, sizeof vars / sizeof vars[0]);
    return r;
}

json_t *synthetic_comm(const char *op, const char *algo, int ranks, long long bytes, double gb_s) {
    json_t *r = record_new("comm");
    record_param_str(r, "op", op);
    record_param_str(r, "transport", "mpi");
    record_param_str(r, "mpi_algo", algo);
    record_param_str(r, "algo", algo);
    record_param_int(r, "bytes", bytes);
    record_param_int(r, "bytes_per_peer", bytes / ranks);
    record_param_int(r, "world_size", ranks);
    record_param_int(r, "sp_size", ranks);
    const double time = 5e-6 + (double)bytes / (gb_s * 1e9);
    const double sent = (double)bytes * (ranks - 1) / ranks;
    add_time(r, time, 0.03, 20);
    record_metric(r, "algbw_gb_s", (double)bytes / time * 1e-9);
    record_metric(r, "busbw_gb_s", sent / time * 1e-9);
    record_metric_int(r, "bytes_sent_per_rank", (long long)sent);
    record_metric_int(r, "bytes_predicted_per_rank", (long long)sent);
    record_check(r, true, NAN, 0, "every element");
    char bytes_text[24], ranks_text[16];
    snprintf(bytes_text, sizeof bytes_text, "%lld", bytes);
    snprintf(ranks_text, sizeof ranks_text, "%d", ranks);
    const struct case_var vars[] = {
        {"op", op}, {"mpi-algo", algo}, {"bytes", bytes_text}, {"sp", ranks_text}};
    finish(r, vars, sizeof vars / sizeof vars[0]);
    return r;
}

#include "bench/record/attn.h"

#include "attn/formula/predict.h"
#include "bench/links/interconnect.h"
#include "bench/record/check.h"
#include "bench/record/head_shares.h"
#include "results/record/record.h"

static void record_problem(const struct attn_case *c, const struct compute *compute, json_t *r) {
    const struct problem *p = &c->problem;
    record_param_str(r, "model", c->shape.name[0] ? c->shape.name : NULL);
    if (problem_padded_seq(p) != p->seq)
        record_param_int(r, "padded_seq", problem_padded_seq(p));
    record_param_int(r, "heads", p->heads);
    record_param_int(r, "kv_heads", p->kv_heads);
    record_param_int(r, "head_dim", p->head_dim);
    if (!p->core_only)
        record_param_int(r, "hidden", p->hidden);
    record_param_int(r, "ulysses_size", p->ulysses_size);
    record_param_int(r, "ring_size", p->ring_size);
    if (p->ulysses_size > 1) {
        const struct sp_shape shape = problem_shape(p);
        record_param_str(r, "fuse_qkv", p->fuse_qkv ? "on" : "off");
        head_shares_record(&shape, r);
    }
    record_param_str(r, "layout", layout_name(p->layout));
    record_param_str(r, "cache", "warm");
    record_param_str(r, "kernel", compute->kernel);
    record_param_int(r, "threads", compute->dev->threads);
}

/* Exchanges inside the layer against alone. What noise hides is left out: a layer that was faster
 * with its exchanges than without has no exposure to show, and one whose time is uncertain by more
 * than the exchanges take says nothing of overlap. */
static void record_exchanges(const struct attn_outcome *out, json_t *r) {
    const struct summary *whole = &out->times[ATTN_WHOLE].time;
    const double compute = out->times[ATTN_COMPUTE].time.median,
                 comm = out->times[ATTN_COMM].time.median;
    const double exposed = whole->median - compute;
    record_metric(r, "comm_only_s", comm);
    record_metric(r, "predicted_comm_s", out->predicted_s);
    record_metric(r, "compute_only_s", compute);
    if (exposed < 0)
        return;
    record_metric(r, "exposed_comm_s", exposed);
    if (whole->has_ci95 && 0.5 * (whole->ci95_hi - whole->ci95_lo) < comm)
        record_metric(r, "overlap", 1 - exposed / comm);
}

/* Rates come from the median. The bound is the product's rate on all ranks at once. */
static void record_rates(const struct attn_case *c, const struct attn_outcome *out, json_t *r) {
    const double t = out->times[ATTN_WHOLE].time.median;
    const double flops = problem_flops(&c->problem);
    record_metric(r, "tokens_per_s", problem_tokens(&c->problem) / t);
    record_metric(r, "tflops", flops / t / 1e12);
    const double bound =
        flops / c->grid.ranks / out->gemm_flops * out->times[ATTN_GEMM].time.median;
    record_metric(r, "fraction_of_bound", bound / t);
    record_metric(r, "gemm_tflops", out->gemm_flops / out->times[ATTN_GEMM].time.median / 1e12);
    if (!out->exchanges)
        return;
    record_exchanges(out, r);
    if (out->balance > 0) {
        record_metric(r, "balance", out->balance);
        record_metric(r, "balance_theory", out->work_balance);
    }
}

static void record_memory_of(const struct attn_outcome *out, json_t *r) {
    record_metric_int(r, "peak_mem_bytes", (long long)out->peaks.total);
    record_metric_int(r, "predicted_mem_bytes", (long long)out->memory.total);
    record_metric_int(r, "peak_rss_bytes", (long long)out->peaks.rss);
    for (int k = 0; k < MEM_CATEGORIES; k++)
        if (out->peaks.category[k] > 0 || out->memory.category[k] > 0)
            record_memory(r, mem_category_name((enum mem_category)k),
                          (long long)out->peaks.category[k], (long long)out->memory.category[k]);
}

json_t *attn_record(const struct session *s, const struct case_setup *setup,
                    const struct attn_case *c, const struct compute *compute,
                    const struct attn_outcome *out, const char *algorithm) {
    json_t *r = record_new("attn");
    record_problem(c, compute, r);
    case_record_setup(s, setup, c->method->options, &c->grid, algorithm, r);
    case_record_measurement(&out->times[ATTN_WHOLE], r);
    record_rates(c, out, r);
    record_metric_int(r, "bytes_sent_per_rank", (long long)out->sent);
    record_metric_int(r, "bytes_predicted_per_rank",
                      (long long)sp_method_volume(c->method, &c->problem));
    record_metric_int(r, "param_bytes_sent_per_rank", (long long)out->param_sent);
    record_metric_int(r, "param_bytes_predicted_per_rank",
                      (long long)predict_param_bytes(&c->problem, c->grid.ranks));
    record_memory_of(out, r);
    if (out->checked)
        check_record(&out->check, r);
    interconnect_record(s->run, &c->grid, out->rates, r);
    return r;
}

#include "base/trace.h"

#include <string.h>
#include <time.h>

#ifdef SPBENCH_NVTX
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <nvtx3/nvToolsExt.h>
#pragma GCC diagnostic pop
#define range_push(name) nvtxRangePushA(name)
#define range_pop() nvtxRangePop()
#else
#define range_push(name) ((void)(name))
#define range_pop() ((void)0)
#endif

const char *phase_name(enum phase phase) {
    static const char *const names[PHASES] = {
        [PHASE_PARAM_GATHER] = "param_gather",
        [PHASE_QKV_PROJ] = "qkv_proj",
        [PHASE_ROPE] = "rope",
        [PHASE_ALLTOALL_QKV] = "alltoall_qkv",
        [PHASE_ATTENTION] = "attention",
        [PHASE_ALLTOALL_O] = "alltoall_o",
        [PHASE_RING] = "ring",
        [PHASE_MERGE] = "merge",
        [PHASE_OUT_PROJ] = "out_proj",
        [PHASE_OUT_PROJ_BWD] = "out_proj_bwd",
        [PHASE_ALLTOALL_DO] = "alltoall_do",
        [PHASE_ATTENTION_BWD] = "attention_bwd",
        [PHASE_RING_BWD] = "ring_bwd",
        [PHASE_KV_GATHER] = "kv_gather",
        [PHASE_DKV_SCATTER] = "dkv_scatter",
        [PHASE_ALLTOALL_DQKV] = "alltoall_dqkv",
        [PHASE_ACCUMULATE] = "accumulate",
        [PHASE_ROPE_BWD] = "rope_bwd",
        [PHASE_QKV_PROJ_BWD] = "qkv_proj_bwd",
        [PHASE_GRAD_SCATTER] = "grad_scatter",
        [PHASE_PACK] = "pack",
        [PHASE_EXCHANGE] = "exchange",
        [PHASE_BARRIER] = "barrier",
    };
    return phase < PHASES ? names[phase] : "other";
}

double clock_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void trace_begin(struct trace *trace, enum phase phase) {
    const double now = clock_s();
    if (trace->depth > 0 && trace->depth <= TRACE_DEPTH)
        trace->self_s[trace->stack[trace->depth - 1]] += now - trace->mark_s;
    if (trace->depth < TRACE_DEPTH)
        trace->stack[trace->depth] = phase;
    trace->depth++;
    trace->mark_s = now;
    range_push(phase_name(phase));
}

void trace_end(struct trace *trace) {
    const double now = clock_s();
    if (trace->depth <= TRACE_DEPTH)
        trace->self_s[trace->stack[trace->depth - 1]] += now - trace->mark_s;
    trace->depth--;
    trace->mark_s = now;
    range_pop();
}

void trace_reset(struct trace *trace) {
    memset(trace->self_s, 0, sizeof trace->self_s);
    trace->mark_s = clock_s();
}

enum phase trace_current(const struct trace *trace) {
    const int depth = trace->depth;
    if (depth < 1)
        return PHASES;
    return trace->stack[depth <= TRACE_DEPTH ? depth - 1 : TRACE_DEPTH - 1];
}

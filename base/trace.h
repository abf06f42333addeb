/* The one instrumentation point: named phases of an iteration, timed and shown as NVTX ranges.
 *
 * Phases nest; the time of a phase is its own (exclusive of the phases inside it), so that the
 * phases of an iteration sum to at most its time. A trace belongs to one rank and is used by the
 * thread that drives the exchanges. */
#ifndef SPB_BASE_TRACE_H
#define SPB_BASE_TRACE_H

#include <stdbool.h>

enum phase {
    PHASE_PARAM_GATHER, /* parameter shards -> whole weights */
    PHASE_QKV_PROJ,
    PHASE_ROPE,
    PHASE_ALLTOALL_QKV,
    PHASE_ATTENTION,
    PHASE_ALLTOALL_O,
    PHASE_RING, /* waiting for a K/V block */
    PHASE_KV_GATHER,
    PHASE_MERGE, /* online log-sum-exp merge of partial results */
    PHASE_OUT_PROJ,
    PHASE_OUT_PROJ_BWD,
    PHASE_ALLTOALL_DO,
    PHASE_ATTENTION_BWD,
    PHASE_RING_BWD, /* waiting for K/V or dK/dV blocks */
    PHASE_DKV_SCATTER,
    PHASE_ALLTOALL_DQKV,
    PHASE_ACCUMULATE, /* adding gradients of replicas or of visiting blocks */
    PHASE_ROPE_BWD,
    PHASE_QKV_PROJ_BWD,
    PHASE_GRAD_SCATTER, /* whole weight gradients -> summed shards */
    PHASE_PACK,         /* gathering strided blocks into a message, and back */
    PHASE_EXCHANGE,     /* an exchange measured alone */
    PHASE_BARRIER,
    PHASES
};

enum { TRACE_DEPTH = 8 };

/* Zero-initialise. */
struct trace {
    double self_s[PHASES]; /* own time per phase since trace_reset(), seconds */
    enum phase stack[TRACE_DEPTH];
    int depth;
    double mark_s; /* when the running phase was last (re)entered */
};

/* Name as it stands in records ("alltoall_qkv"). */
const char *phase_name(enum phase phase);

void trace_begin(struct trace *trace, enum phase phase);
void trace_end(struct trace *trace);

/* Forgets the times; a running phase goes on. */
void trace_reset(struct trace *trace);

/* The innermost running phase, or PHASES when there is none. Safe in a signal handler. */
enum phase trace_current(const struct trace *trace);

/* Monotonic seconds. */
double clock_s(void);

#endif

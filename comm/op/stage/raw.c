#include "comm/op/stage/raw.h"

enum status raw_create(struct op_stage *s, size_t bytes) {
    const struct buffer_size sizes[] = {{SEND, bytes}, {RECV, bytes}};
    return stage_buffers(s, sizes, 2);
}

struct pattern raw_pattern(const struct op_stage *s) {
    return (struct pattern){s->params.seed, TENSOR_RAW, s->params.shape.elem_bytes};
}

void raw_fill(struct op_stage *s) {
    const struct pattern p = raw_pattern(s);
    pattern_fill(&p, s->group->rank, 0, s->buffers[SEND].data,
                 s->buffers[SEND].bytes / p.elem_bytes);
    pattern_poison(s->buffers[RECV].data, s->buffers[RECV].bytes);
}

void raw_run(struct op_stage *s) {
    plan_run(s->plans[0]);
}

#include "comm/op/stage/stage.h"

enum status stage_buffers(struct op_stage *stage, const struct buffer_size *sizes, int n) {
    enum status st = ST_OK;
    for (int i = 0; i < n && st == ST_OK; i++)
        st = buffer_alloc(stage->transport, MEM_EXCHANGE, sizes[i].bytes,
                          &stage->buffers[sizes[i].index]);
    return group_agree(stage->group, st);
}

enum status stage_buffer(struct op_stage *stage, int index, size_t bytes) {
    return stage_buffers(stage, &(struct buffer_size){index, bytes}, 1);
}

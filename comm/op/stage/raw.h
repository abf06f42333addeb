/* For operations on plain bytes: a buffer that a rank sends and one, as large, that it receives. */
#ifndef SPB_COMM_OP_STAGE_RAW_H
#define SPB_COMM_OP_STAGE_RAW_H

#include "comm/op/data/pattern.h"
#include "comm/op/stage/stage.h"

enum { SEND, RECV };

/* Both, of so many bytes. Collective. */
enum status raw_create(struct op_stage *s, size_t bytes);

/* What the buffers hold, by rank and element; the rank's own in SEND, poison in RECV. */
struct pattern raw_pattern(const struct op_stage *s);
void raw_fill(struct op_stage *s);

/* The stage's one plan. */
void raw_run(struct op_stage *s);

#endif

/* What operations with rings have in common: a block that travels through two buffers which take
 * turns. */
#ifndef SPB_COMM_OP_STAGE_RING_H
#define SPB_COMM_OP_STAGE_RING_H

#include "comm/op/stage/stage.h"

/* Plans `plan` and `plan` + 1 for the hops from buffer `buffer` to `buffer` + 1 and back; none
 * where the ring has one rank. Collective over ring. */
enum status ring_pair_plans(struct op_stage *stage, struct group *ring, int buffer, int plan);

/* The number-th hop (from 0) of a pair, and of a second one beside it if there is (else -1). */
void ring_pair_hop(struct op_stage *stage, int plan, int second_plan, int number);

#endif

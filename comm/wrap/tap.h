/* A transport around another one that can stand in for it: how compute and communication are
 * measured apart, without any method knowing.
 *
 * PASS hands exchanges on. STUB does nothing: the buffers keep what the last real exchange left, so
 * that compute runs on valid data. A recorded iteration can be replayed: its exchanges alone, in
 * their order, without the compute between them. */
#ifndef SPB_COMM_WRAP_TAP_H
#define SPB_COMM_WRAP_TAP_H

#include "comm/plan/plan.h"
#include "comm/shape/staging.h"

enum tap_mode { TAP_PASS, TAP_STUB };

/* Takes over inner, which closing the tap closes. */
enum status tap_open(struct transport *inner, struct transport **out);

/* The algorithms of the SP plans made so far ("none": there is none). */
struct algorithm_list tap_algorithms(const struct transport *tap);

void tap_set_mode(struct transport *tap, enum tap_mode mode);

/* From begin to end, starts and waits are noted (forgetting the last recording). */
enum status tap_record_begin(struct transport *tap);
enum status tap_record_end(struct transport *tap);

/* Carries out the recorded exchanges; collective like them. */
void tap_replay(struct transport *tap);

#endif

#include "comm/transport/mpi/scratch.h"

#include <stdlib.h>
#include <string.h>

/* The buffer that stands for original, which may be a new one. */
static const struct buffer *stand_in(struct scratch *s, const struct buffer *original) {
    for (size_t i = 0; i < s->n; i++)
        if (s->originals[i] == original)
            return &s->buffers[i];
    s->originals[s->n] = original;
    s->buffers[s->n] = (struct buffer){.bytes = original->bytes};
    s->bytes += original->bytes;
    return &s->buffers[s->n++];
}

bool scratch_plan(struct scratch *s, const struct plan_spec *spec) {
    const size_t n = spec->n_send + spec->n_recv;
    *s = (struct scratch){
        .spec = *spec,
        .blocks = calloc(n + 1, sizeof *s->blocks),
        .originals = calloc(n + 1, sizeof *s->originals),
        .buffers = calloc(n + 1, sizeof *s->buffers),
    };
    if (!s->blocks || !s->originals || !s->buffers)
        return false;
    for (size_t i = 0; i < n; i++) {
        s->blocks[i] = i < spec->n_send ? spec->send[i] : spec->recv[i - spec->n_send];
        s->blocks[i].buffer = stand_in(s, s->blocks[i].buffer);
    }
    s->spec.send = s->blocks;
    s->spec.recv = s->blocks + spec->n_send;
    return true;
}

bool scratch_fill(struct scratch *s) {
    for (size_t i = 0; i < s->n; i++) {
        struct buffer *b = &s->buffers[i];
        b->data = mem_alloc(&s->ledger, MEM_EXCHANGE, b->bytes);
        if (!b->data)
            return false;
        memset(b->data, 1, b->bytes); /* fresh pages would all be the same one */
    }
    return true;
}

void scratch_free(struct scratch *s) {
    for (size_t i = 0; i < s->n; i++)
        mem_free(&s->ledger, s->buffers[i].data);
    free(s->buffers);
    free(s->originals);
    free(s->blocks);
}

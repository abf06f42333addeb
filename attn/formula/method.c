#include "attn/formula/method.h"

#define LIST(name, runs) &sp_##name,
const struct sp_method *const sp_methods[] = {SP_METHODS(LIST) NULL};

const struct sp_method *sp_method_on(const struct problem *p, const struct sp_method *asked) {
    return p->sp_size == 1 ? &sp_local : asked;
}

size_t sp_method_volume(const struct sp_method *method, const struct problem *p) {
    size_t most = 0;
    for (int r = 0; r < p->sp_size; r++) {
        const size_t bytes = method->volume(p, r);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

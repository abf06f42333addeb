#include "comm/shape/hosts.h"

struct hosts hosts_part(struct hosts all, int first, int step) {
    return (struct hosts){all.keys, all.first + first * all.step, step * all.step};
}

bool hosts_shared(const struct hosts *h, int a, int b) {
    return h->keys && h->keys[h->first + a * h->step] == h->keys[h->first + b * h->step];
}

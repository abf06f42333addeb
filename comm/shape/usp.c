#include "comm/shape/usp.h"

const char *usp_inner_name(enum usp_inner inner) {
    return inner == USP_INNER_RING ? "ring" : "ulysses";
}

int usp_default_ulysses_size(int sp_size, int kv_heads) {
    int size = sp_size < kv_heads ? sp_size : kv_heads;
    while (sp_size % size != 0 || kv_heads % size != 0)
        size--;
    return size;
}

void usp_coordinates(enum usp_inner inner, int ulysses_size, int ring_size, int sp_rank,
                     int *ulysses_rank, int *ring_rank) {
    const bool ring = inner == USP_INNER_RING;
    *ulysses_rank = ring ? sp_rank / ring_size : sp_rank % ulysses_size;
    *ring_rank = ring ? sp_rank % ring_size : sp_rank / ulysses_size;
}

int usp_rank(enum usp_inner inner, int ulysses_size, int ring_size, int ulysses_rank,
             int ring_rank) {
    return inner == USP_INNER_RING ? ulysses_rank * ring_size + ring_rank
                                   : ring_rank * ulysses_size + ulysses_rank;
}

struct hosts usp_ulysses_hosts(struct hosts sp, enum usp_inner inner, int ulysses_size,
                               int ring_size, int ring_rank) {
    const int first = usp_rank(inner, ulysses_size, ring_size, 0, ring_rank);
    const int second = usp_rank(inner, ulysses_size, ring_size, 1, ring_rank);
    return hosts_part(sp, first, second - first);
}

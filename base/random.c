#include "base/random.h"

struct philox philox4x32(struct philox c, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c.v[0];
        const uint64_t p1 = (uint64_t)0xCD9E8D57u * c.v[2];
        c = (struct philox){{(uint32_t)(p1 >> 32) ^ c.v[1] ^ key0, (uint32_t)p1,
                             (uint32_t)(p0 >> 32) ^ c.v[3] ^ key1, (uint32_t)p0}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

/* The top 24 bits: every value is exact in fp32 and its spacing is the same everywhere. */
static float unit(uint32_t word) {
    return (float)((int32_t)(word >> 8) - (1 << 23)) * 0x1p-23f;
}

void random_row(float *out, size_t n, uint32_t seed, enum tensor_id tensor, uint32_t batch,
                uint32_t token, uint32_t head, uint32_t dim, float scale) {
    size_t i = 0;
    while (i < n) {
        const uint32_t at = dim + (uint32_t)i;
        const struct philox r =
            philox4x32((struct philox){{at / 4, head, token, batch}}, seed, (uint32_t)tensor);
        for (uint32_t lane = at % 4; lane < 4 && i < n; lane++)
            out[i++] = scale * unit(r.v[lane]);
    }
}

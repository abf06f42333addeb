#include "comm/shape/volume.h"

#include "tests/cmocka_all.h"

static const size_t MIB = (size_t)1 << 20;

static struct sp_shape shape(int ulysses, int ring) {
    return (struct sp_shape){.batch = 1,
                             .seq = 131072,
                             .heads = 32,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .sp_size = ulysses * ring,
                             .ulysses_size = ulysses,
                             .ring_size = ring,
                             .elem_bytes = 2,
                             .grad_bytes = 4};
}

/* The design's worked example: Hq 32, Hkv 8, D 128, S 131072, P 8, bf16. */
static void worked_example(void **state) {
    (void)state;
    const struct sp_shape u = shape(8, 1), r = shape(1, 8);
    assert_int_equal(local_q_bytes(&u), 128 * MIB);
    assert_int_equal(local_kv_bytes(&u), 64 * MIB);
    assert_int_equal(volume_ulysses_forward(&u, 0), 280 * MIB);
    assert_int_equal(volume_ulysses_backward(&u, 0), 280 * MIB);
    assert_int_equal(volume_usp_forward(&r, 0), 448 * MIB);
    assert_int_equal(volume_usp_backward(&r, 0), 448 * MIB + 2 * 448 * MIB);
}

/* (P-1)/P (2 Mq + r Mkv) wherever shares divide, replication included. */
static void even_shares_follow_the_closed_form(void **state) {
    (void)state;
    for (int p = 1; p <= 32; p *= 2) {
        const struct sp_shape s = shape(p, 1);
        const size_t replicas = p > 8 ? (size_t)p / 8 : 1;
        const size_t want =
            (size_t)(p - 1) * (2 * local_q_bytes(&s) + replicas * local_kv_bytes(&s)) / (size_t)p;
        assert_int_equal(volume_ulysses_forward(&s, 0), want);
        assert_int_equal(volume_ulysses_backward(&s, 0), want);
    }
}

/* Ring sends less than Ulysses while P < Hq/Hkv + 1. */
static void crossover_of_volumes(void **state) {
    (void)state;
    for (int p = 2; p <= 8; p *= 2) {
        const struct sp_shape u = shape(p, 1), r = shape(1, p);
        const int ring_less = volume_usp_forward(&r, 0) < volume_ulysses_forward(&u, 0);
        assert_int_equal(ring_less, p < 32 / 8 + 1);
    }
}

/* The design's row: (U-1)/U (2 Mq + r Mkv) + (R-1) r Mkv, backward the ring as often again in the
 * gradients' type; with one group or one ring it is the other method. */
static void usp_is_ulysses_and_ring(void **state) {
    (void)state;
    for (int u = 1; u <= 16; u *= 2)
        for (int r = 1; r <= 4; r++) {
            const struct sp_shape s = {.batch = 1,
                                       .seq = 3 * 131072,
                                       .heads = 32,
                                       .kv_heads = 8,
                                       .head_dim = 128,
                                       .sp_size = u * r,
                                       .ulysses_size = u,
                                       .ring_size = r,
                                       .elem_bytes = 2,
                                       .grad_bytes = 4};
            const size_t replicas = u > 8 ? (size_t)u / 8 : 1;
            const size_t kv = replicas * local_kv_bytes(&s);
            const size_t heads = (size_t)(u - 1) * (2 * local_q_bytes(&s) + kv) / (size_t)u;
            const size_t hops = (size_t)(r - 1);
            assert_int_equal(volume_usp_forward(&s, 0), heads + hops * kv);
            assert_int_equal(volume_usp_backward(&s, 0), heads + hops * (kv + 2 * kv));
            if (r == 1)
                assert_int_equal(volume_usp_backward(&s, 0), volume_ulysses_backward(&s, 0));
        }
}

/* 40 query heads over 3 ranks: 13, 13, 14; of 8 KV heads they need 3, 4, 3. */
static void usp_with_uneven_shares(void **state) {
    (void)state;
    struct sp_shape s = shape(3, 2);
    s.seq = 6 * 1024;
    s.heads = 40;
    const size_t head = 1024 * 128 * 2; /* bytes of one head of a rank's tokens */
    static const size_t kv[] = {3, 4, 3}, q[] = {13, 13, 14};
    for (int u = 0; u < 3; u++) {
        size_t others = 0;
        for (int v = 0; v < 3; v++)
            others += v == u ? 0 : q[v] + 2 * kv[v];
        const size_t to_heads = (others + 2 * q[u]) * head;
        assert_int_equal(volume_ulysses_forward(&s, u), to_heads);
        assert_int_equal(volume_usp_forward(&s, u), to_heads + 2 * 3 * kv[u] * head);
    }
}

/* What a ring sends, whoever it is sent to. */
static void gathers_send_what_rings_do(void **state) {
    (void)state;
    for (int p = 1; p <= 16; p++) {
        struct sp_shape s = shape(1, p);
        s.seq = 16 * (size_t)p;
        assert_int_equal(volume_kv_gather_forward(&s), volume_usp_forward(&s, 0));
        assert_int_equal(volume_kv_gather_backward(&s), volume_usp_backward(&s, 0));
    }
}

static void one_rank_sends_nothing(void **state) {
    (void)state;
    const struct sp_shape s = shape(1, 1);
    assert_int_equal(volume_ulysses_forward(&s, 0), 0);
    assert_int_equal(volume_usp_backward(&s, 0), 0);
    assert_int_equal(volume_alltoall(1000, 1), 0);
    assert_int_equal(volume_allgather(1000, 4), 3000);
    assert_int_equal(volume_reduce_scatter(1000, 4), 3000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(even_shares_follow_the_closed_form),
        cmocka_unit_test(crossover_of_volumes),
        cmocka_unit_test(usp_is_ulysses_and_ring),
        cmocka_unit_test(usp_with_uneven_shares),
        cmocka_unit_test(gathers_send_what_rings_do),
        cmocka_unit_test(one_rank_sends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

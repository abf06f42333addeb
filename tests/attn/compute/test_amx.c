/* The loops of the amx-bf16 kernel, compiled against an emulation of AMX and without AVX-512,
 * against the reference: on any processor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn/compute/cpu/flash/flash_bf16.h"
#include "base/random.h"
#include "device/bf16.h"
#include "tests/attn/compute/attn_case.h"
#include "tests/cmocka_all.h"

static const double TOLERANCE = 2e-2;

extern const struct dot_ops dot_emulated;
extern const struct panel_ops panel_plain;

static const struct attn_kernel kernel = {
    .name = "emulated",
    .dtype = DTYPE_BF16,
    .panels = &panel_plain,
    .dot = &dot_emulated,
    .workspace_bytes = flash_bf16_workspace_bytes,
    .forward = flash_bf16_forward,
    .backward = flash_bf16_backward,
};

#define CONT LAYOUT_CONTIGUOUS
#define STRIPE LAYOUT_STRIPED

static const struct attn_case cases[] = {
    /* name  batch heads kv d   q0 kv0 group  seq sp layout q_rank k_rank mask */
    {"one token", 1, 1, 1, 64, 0, 0, 1, 1, 1, CONT, 0, 0, "causal"},
    {"full", 1, 1, 1, 64, 0, 0, 1, 289, 1, CONT, 0, 0, "full"},
    {"causal, GQA", 1, 2, 1, 128, 0, 0, 2, 271, 1, CONT, 0, 0, "causal"},
    {"head_dim 8", 1, 1, 1, 8, 0, 0, 1, 100, 1, CONT, 0, 0, "causal"},
    {"head_dim 80", 2, 1, 1, 80, 0, 0, 1, 65, 1, CONT, 0, 0, "causal"},
    {"head_dim 96", 1, 1, 1, 96, 0, 0, 1, 97, 1, CONT, 0, 0, "docs:3+window:20"},
    {"head_dim 256", 1, 1, 1, 256, 0, 0, 1, 70, 1, CONT, 0, 0, "causal"},
    {"stripes", 1, 1, 1, 64, 0, 0, 1, 402, 3, STRIPE, 1, 2, "window:90"},
};

static struct errors run(const struct attn_case *c, int threads) {
    const struct compute_config config = {DTYPE_BF16, c->head_dim, threads, "portable-bf16"};
    struct compute *compute;
    assert_int_equal(compute_open(&cpu_compute, &config, &compute), ST_OK);
    struct problem *p = problem_new(compute, c);
    struct attn_args a = p->args;
    const struct rows_shape shape = {a.batch, a.q_tokens, a.heads, a.head_dim};
    a.workspace =
        p->dev->row->alloc(p->dev, &p->ledger, MEM_WORKSPACE, kernel.workspace_bytes(threads));
    assert_non_null(a.workspace);
    memset(a.workspace, 0xff, kernel.workspace_bytes(threads)); /* NaN: what is read was written */
    kernel.forward(&kernel, &a, threads);
    compute->row->delta(compute, shape, a.o, a.dout, p->delta);
    memset(a.workspace, 0xff, kernel.workspace_bytes(threads));
    kernel.backward(&kernel, &a, threads);
    const struct errors e = problem_errors(p, 3);
    p->dev->row->free(p->dev, &p->ledger, a.workspace);
    problem_free(p);
    compute_close(compute);
    return e;
}

static void attention_matches_the_reference(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct errors e = run(&cases[i], 1 + (int)i % 2);
        const double worst = fmax(fmax(e.o, e.lse), fmax(e.dq, fmax(e.dk, e.dv)));
        if (!(worst < TOLERANCE))
            fail_msg("%s: errors o %.1e lse %.1e dq %.1e dk %.1e dv %.1e", cases[i].name, e.o,
                     e.lse, e.dq, e.dk, e.dv);
    }
}

/* Every shape of blocks, with and without what is already in C; the rows and columns around stay.
 */
static void products_match(void **state) {
    (void)state;
    enum { M = 80, N = 80, K = 96, LD = 96 };
    static uint16_t a[M * LD], x[K * N];
    static uint32_t b[N / PANEL * LD / 2 * PANEL + K * PANEL];
    static float c[M * LD];
    float row[K * N];
    random_row(row, M * LD, 1, TENSOR_RAW, 0, 0, 0, 0, 1);
    for (int i = 0; i < M * LD; i++)
        a[i] = float_to_bf16(row[i]);
    random_row(row, K * N, 2, TENSOR_RAW, 0, 0, 0, 0, 1);
    for (int i = 0; i < K * N; i++)
        x[i] = float_to_bf16(row[i]);
    for (int m = 16; m <= M; m += 16)
        for (int n = 16; n <= N; n += 16)
            for (int k = 32; k <= K; k += 32)
                for (int add = 0; add < 2; add++) {
                    for (int i = 0; i < M * LD; i++)
                        c[i] = (float)(i % 7);
                    panel_plain.pack(x, N, k, n, b);
                    dot_emulated.begin();
                    dot_emulated.multiply(m, n, k, a, LD, b, panel_pairs(k), c, LD, add);
                    dot_emulated.end();
                    for (int i = 0; i < M; i++)
                        for (int j = 0; j < LD; j++) {
                            double want = (i * LD + j) % 7;
                            if (i < m && j < n) {
                                want *= add;
                                for (int l = 0; l < k; l++)
                                    want += (double)bf16_to_float(a[i * LD + l]) *
                                            bf16_to_float(x[l * N + j]);
                            }
                            assert_true(fabs(c[i * LD + j] - want) < 1e-5);
                        }
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match),
        cmocka_unit_test(attention_matches_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

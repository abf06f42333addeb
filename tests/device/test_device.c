/* The CPU as a device: its memory, and operations on elements. */
#include "device/cpu/cpu.h"

#include <math.h>

#include "base/random.h"
#include "device/bf16.h"
#include "tests/cmocka_all.h"

static struct device *open_cpu(int threads) {
    struct device *dev;
    assert_int_equal(cpu_device.open(threads, &dev), ST_OK);
    return dev;
}

static void fill(float *x, size_t n, uint32_t row) {
    random_row(x, n, 5, TENSOR_RAW, 0, row, 0, 0, 1);
}

static void memory_is_in_the_ledger(void **state) {
    (void)state;
    struct device *dev = open_cpu(1);
    struct mem_ledger ledger = {0};
    char *x = dev->row->alloc(dev, &ledger, MEM_WEIGHTS, 100);
    assert_int_equal(ledger.now[MEM_WEIGHTS][MEM_HOST], 100);
    dev->row->zero(dev, x, 100);
    dev->row->upload(dev, x, "spbench", 8);
    char back[8];
    dev->row->download(dev, back, x, 8);
    assert_string_equal(back, "spbench");
    assert_int_equal(x[99], 0);
    assert_int_equal(dev->row->sync(dev), ST_OK);
    dev->row->free(dev, &ledger, x);
    assert_int_equal(ledger.total_now, 0);
    dev->row->close(dev);
}

/* bf16 keeps 8 bits: the steps above 1 are 2^-7, ties go to the even one. */
static void conversions(void **state) {
    (void)state;
    static const float in[] = {1,     1 + 0x1p-8f, 1 + 0x1.8p-7f, 1 + 0x1.02p-8f,
                               -2.5f, 0x1.ffp127f, INFINITY};
    static const float want[] = {1, 1, 1 + 0x1p-6f, 1 + 0x1p-7f, -2.5f, INFINITY, INFINITY};
    enum { N = sizeof in / sizeof in[0] };
    uint16_t half[N];
    float out[N];
    struct device *dev = open_cpu(1);
    dev->row->convert(dev, half, DTYPE_BF16, in, DTYPE_FP32, N);
    dev->row->convert(dev, out, DTYPE_FP32, half, DTYPE_BF16, N);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == want[i]);
    dev->row->add(dev, out, half, DTYPE_BF16, N);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == 2 * want[i]);
    const float nan_in = NAN;
    dev->row->convert(dev, half, DTYPE_BF16, &nan_in, DTYPE_FP32, 1);
    dev->row->convert(dev, out, DTYPE_FP32, half, DTYPE_BF16, 1);
    assert_true(isnan(out[0]));
    dev->row->close(dev);
}

static void additions(void **state) {
    (void)state;
    enum { N = 1000 }; /* several pieces and a rest */
    float x[N], y[N], sum[N];
    fill(x, N, 1);
    fill(y, N, 2);
    memcpy(sum, x, sizeof sum);
    struct device *dev = open_cpu(2);
    dev->row->add(dev, sum, y, DTYPE_FP32, N);
    for (int i = 0; i < N; i++)
        assert_true(sum[i] == x[i] + y[i]);
    dev->row->close(dev);
}

static void dtypes(void **state) {
    (void)state;
    assert_string_equal(dtype_name(DTYPE_BF16), "bf16");
    assert_int_equal(dtype_bytes(DTYPE_BF16), 2);
    assert_string_equal(dtype_name(DTYPE_FP32), "fp32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_in_the_ledger),
        cmocka_unit_test(conversions),
        cmocka_unit_test(additions),
        cmocka_unit_test(dtypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

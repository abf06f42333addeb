#include "device/cpu/cpu.h"

#include <stdlib.h>

#include "device/cpu/elements.h"

static bool available(char *why, size_t why_size) {
    (void)why;
    (void)why_size;
    return true;
}

static enum status open_cpu(int threads, struct device **out) {
    struct device *dev = malloc(sizeof *dev);
    if (!dev)
        return fail(ST_ENV, "out of memory while opening the cpu device");
    *dev = (struct device){&cpu_device, threads};
    *out = dev;
    return ST_OK;
}

static void close_cpu(struct device *dev) {
    free(dev);
}

static void *alloc_host(struct device *dev, struct mem_ledger *ledger, enum mem_category category,
                        size_t bytes) {
    (void)dev;
    return mem_alloc(ledger, category, bytes);
}

static void free_host(struct device *dev, struct mem_ledger *ledger, void *ptr) {
    (void)dev;
    mem_free(ledger, ptr);
}

static void copy(struct device *dev, void *dst, const void *src, size_t bytes) {
    (void)dev;
    memcpy(dst, src, bytes);
}

static void zero(struct device *dev, void *dst, size_t bytes) {
    (void)dev;
    memset(dst, 0, bytes);
}

/* Flat arrays are worked on in pieces that are brought to fp32. */
enum { PIECE = 256 };

static int64_t piece_count(size_t n) {
    return (int64_t)((n + PIECE - 1) / PIECE);
}

static int piece_length(size_t n, int64_t p) {
    const size_t left = n - (size_t)p * PIECE;
    return left < PIECE ? (int)left : PIECE;
}

static void add(struct device *dev, float *dst, const void *src, enum dtype src_dtype, size_t n) {
    const int64_t pieces = piece_count(n);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t p = 0; p < pieces; p++) {
        float buffer[PIECE];
        const int length = piece_length(n, p);
        const float *x = elements_load(src, src_dtype, (size_t)p * PIECE, length, buffer);
        float *y = dst + (size_t)p * PIECE;
        for (int i = 0; i < length; i++)
            y[i] += x[i];
    }
}

static void convert(struct device *dev, void *dst, enum dtype dst_dtype, const void *src,
                    enum dtype src_dtype, size_t n) {
    const int64_t pieces = piece_count(n);
#pragma omp parallel for num_threads(dev->threads) schedule(static)
    for (int64_t p = 0; p < pieces; p++) {
        float buffer[PIECE];
        const int length = piece_length(n, p);
        elements_store(dst, dst_dtype, (size_t)p * PIECE, length,
                       elements_load(src, src_dtype, (size_t)p * PIECE, length, buffer));
    }
}

static enum status sync_cpu(struct device *dev) {
    (void)dev;
    return ST_OK;
}

const struct device_row cpu_device = {
    .name = "cpu",
    .help = "host cores: OpenMP threads, OpenBLAS products",
    .available = available,
    .open = open_cpu,
    .close = close_cpu,
    .alloc = alloc_host,
    .free = free_host,
    .upload = copy,
    .download = copy,
    .copy = copy,
    .zero = zero,
    .add = add,
    .convert = convert,
    .sync = sync_cpu,
};

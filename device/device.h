/* Devices: where memory lies and in which order work on it is done. One row per kind of device;
 * what attention needs beyond that is attn/compute.
 *
 * Pointers to what a device has allocated are opaque: it is read and written only through the row,
 * so that code runs unchanged wherever the memory lies. Operations run in the order of the calls
 * and may return before they are done; upload() and download() wait for what they move, sync() for
 * everything, and sync() reports what went wrong. One open device is used by one thread. */
#ifndef SPB_DEVICE_DEVICE_H
#define SPB_DEVICE_DEVICE_H

#include <stdbool.h>

#include "base/ledger.h"
#include "base/status.h"
#include "device/dtype.h"

struct device_row;

/* An open device. A row's own struct begins with it. */
struct device {
    const struct device_row *row;
    int threads; /* of the host, that work for it */
};

struct device_row {
    const char *name, *help;

    /* Whether it can be opened here; if not, why (of why_size bytes) says what is missing. */
    bool (*available)(char *why, size_t why_size);

    /* ST_ENV without memory. Logged. The caller closes *out. */
    enum status (*open)(int threads, struct device **out);
    void (*close)(struct device *dev); /* NULL is allowed */

    /* Device memory, entered in the ledger; NULL (logged) when there is none. */
    void *(*alloc)(struct device *dev, struct mem_ledger *ledger, enum mem_category category,
                   size_t bytes);
    void (*free)(struct device *dev, struct mem_ledger *ledger, void *ptr); /* NULL is allowed */

    void (*upload)(struct device *dev, void *dst, const void *host, size_t bytes);
    void (*download)(struct device *dev, void *host, const void *src, size_t bytes);
    void (*copy)(struct device *dev, void *dst, const void *src, size_t bytes);
    void (*zero)(struct device *dev, void *dst, size_t bytes);

    /* dst[i] += src[i]. */
    void (*add)(struct device *dev, float *dst, const void *src, enum dtype src_dtype, size_t n);

    /* dst[i] = src[i], rounded to nearest even. */
    void (*convert)(struct device *dev, void *dst, enum dtype dst_dtype, const void *src,
                    enum dtype src_dtype, size_t n);

    enum status (*sync)(struct device *dev);
};

#endif

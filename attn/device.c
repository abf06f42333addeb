#include "attn/device.h"

#include <string.h>

#include "attn/cpu.h"

const struct device_row *const device_rows[] = {
    &cpu_device,
    NULL,
};

const struct device_row *device_find(const char *name) {
    for (int i = 0; device_rows[i]; i++)
        if (strcmp(name, device_rows[i]->name) == 0)
            return device_rows[i];
    return NULL;
}

enum status device_open(const char *name, const struct device_config *config, struct device **out) {
    const struct device_row *row = device_find(name);
    if (!row)
        return fail(ST_USAGE, "unknown device '%s'; --list shows them", name);
    char why[256];
    if (!row->available(why, sizeof why))
        return fail(ST_ENV, "device %s is not available: %s", name, why);
    return row->open(config, out);
}

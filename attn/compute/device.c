#include "attn/compute/device.h"

#include <stdio.h>
#include <string.h>

#include "attn/compute/cpu/cpu.h"

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

bool device_supports(const char *name, const struct device_config *config, char *why,
                     size_t why_size) {
    const struct device_row *row = device_find(name);
    if (!row) {
        snprintf(why, why_size, "unknown device '%s'; --list shows them", name);
        return false;
    }
    return row->available(why, why_size) && row->supports(config, why, why_size);
}

enum status device_open(const char *name, const struct device_config *config, struct device **out) {
    char why[256];
    if (!device_supports(name, config, why, sizeof why))
        return fail(ST_USAGE, "device %s: %s", name, why);
    return device_find(name)->open(config, out);
}

#include "attn/compute/compute.h"

#include <stdio.h>
#include <string.h>

#include "attn/compute/cpu/cpu.h"

const struct compute_row *const compute_rows[] = {
    &cpu_compute,
    NULL,
};

const struct compute_row *compute_find(const char *name) {
    for (int i = 0; compute_rows[i]; i++)
        if (strcmp(name, compute_rows[i]->device->name) == 0)
            return compute_rows[i];
    return NULL;
}

bool compute_supports(const char *name, const struct compute_config *config, char *why,
                      size_t why_size) {
    const struct compute_row *row = compute_find(name);
    if (!row) {
        snprintf(why, why_size, "unknown device '%s'; --list shows them", name);
        return false;
    }
    return row->device->available(why, why_size) && row->supports(config, why, why_size);
}

enum status compute_open(const char *name, const struct compute_config *config,
                         struct compute **out) {
    char why[256];
    if (!compute_supports(name, config, why, sizeof why))
        return fail(ST_USAGE, "device %s: %s", name, why);
    return compute_find(name)->open(config, out);
}

void compute_close(struct compute *c) {
    if (c)
        c->row->close(c);
}

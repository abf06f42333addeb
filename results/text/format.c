#include "results/text/format.h"

#include <math.h>
#include <stdio.h>

char *format_number(char out[FORMAT_ROOM], double value) {
    const double size = fabs(value);
    if (size >= 1e12 || (size < 1e-3 && size > 0.0))
        snprintf(out, FORMAT_ROOM, "%.2e", value);
    else if (size < 1.0)
        snprintf(out, FORMAT_ROOM, "%.3f", value);
    else
        snprintf(out, FORMAT_ROOM, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
    return out;
}

/* value in the first unit that keeps it at least 1, or in the last one. */
struct unit {
    double size;
    const char *name;
};

static char *with_unit(char out[FORMAT_ROOM], double value, const struct unit *units) {
    while (units[1].name && fabs(value) < units->size)
        units++;
    char number[FORMAT_ROOM];
    snprintf(out, FORMAT_ROOM, "%.20s %s", format_number(number, value / units->size), units->name);
    return out;
}

char *format_seconds(char out[FORMAT_ROOM], double seconds) {
    static const struct unit units[] = {
        {1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL}};
    return with_unit(out, seconds, units);
}

char *format_size(char out[FORMAT_ROOM], double bytes) {
    static const struct unit units[] = {
        {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {0, NULL}};
    if (fabs(bytes) >= 0x1p10)
        return with_unit(out, bytes, units);
    snprintf(out, FORMAT_ROOM, "%.0f B", bytes);
    return out;
}

char *format_percent(char out[FORMAT_ROOM], double fraction) {
    snprintf(out, FORMAT_ROOM, "%.*f%%", fabs(fraction) < 0.9995 ? 1 : 0, 100.0 * fraction);
    return out;
}

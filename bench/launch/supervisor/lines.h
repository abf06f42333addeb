/* Lines out of a descriptor that gives bytes. */
#ifndef SPB_BENCH_LAUNCH_SUPERVISOR_LINES_H
#define SPB_BENCH_LAUNCH_SUPERVISOR_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Zero-initialise. */
struct lines {
    char *text; /* what is not yet a line */
    size_t n, room;
};

/* Takes one line (without its end, but terminated). Anything but ST_OK stops the reading. */
typedef enum status line_taker(void *context, const char *line, size_t length);

/* Reads what a non-blocking descriptor has. *end: the other side is closed, or it cannot be read.
 * The status of take, or ST_ENV without memory. */
enum status lines_read(struct lines *lines, int fd, line_taker *take, void *context, bool *end);

/* Gives the unfinished last line, too. */
enum status lines_finish(struct lines *lines, line_taker *take, void *context);
void lines_free(struct lines *lines);

#endif

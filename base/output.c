#include "base/output.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

/* Asked of the pipe, not of errno: a buffered stream may have failed long before it is looked at.
 */
static bool reader_left(FILE *out) {
    struct pollfd fd = {.fd = fileno(out), .events = POLLOUT};
    return poll(&fd, 1, 0) == 1 && (fd.revents & (POLLERR | POLLHUP));
}

enum status output_failed(FILE *out, const char *what) {
    const int cause = errno;
    if (reader_left(out))
        return ST_UNREAD;
    return fail(ST_ENV, "%s cannot be written: %s", what, cause ? strerror(cause) : "write failed");
}

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The log's prefix is a property of the process, not of any object in it: set once at start-up,
 * before threads exist. The only mutable file-scope state outside main. */
static struct {
    int rank;
    int quiet;
} log_state = {-1, 0};

void log_set_rank(int rank, int quiet) {
    log_state.rank = rank;
    log_state.quiet = quiet;
}

/* One write(2) a line: lines of several ranks that share a terminal never interleave. */
static void log_line(const char *level, const char *fmt, va_list args) {
    char line[2048];
    int n = 0;
    if (level && log_state.rank > 0)
        n = snprintf(line, sizeof line, "spbench[%d]: %s: ", log_state.rank, level);
    else if (level)
        n = snprintf(line, sizeof line, "spbench: %s: ", level);
    const size_t room = sizeof line - (size_t)n - 1; /* one byte kept for the newline */
    vsnprintf(line + n, room, fmt, args);
    size_t len = strlen(line);
    line[len++] = '\n';
    const ssize_t written = write(STDERR_FILENO, line, len);
    (void)written; /* nowhere left to complain */
}

enum status fail(enum status code, const char *fmt, ...) {
    if (log_state.quiet >= LOG_SILENT)
        return code;
    va_list args;
    va_start(args, fmt);
    log_line("error", fmt, args);
    va_end(args);
    return code;
}

void warn(const char *fmt, ...) {
    if (log_state.quiet)
        return;
    va_list args;
    va_start(args, fmt);
    log_line("warning", fmt, args);
    va_end(args);
}

void note(const char *fmt, ...) {
    if (log_state.quiet)
        return;
    va_list args;
    va_start(args, fmt);
    log_line(NULL, fmt, args);
    va_end(args);
}

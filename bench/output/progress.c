#include "bench/output/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct progress progress_start(const struct options *o) {
    const bool terminal = isatty(STDERR_FILENO);
    return (struct progress){
        .on = o->given.progress ? o->progress : terminal && !o->quiet,
        .terminal = terminal,
    };
}

static size_t terminal_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_show(struct progress *progress, size_t done, size_t total, const char *what) {
    if (!progress->on)
        return;
    char line[512];
    snprintf(line, sizeof line, "[%zu/%zu] %s", done + 1, total, what);
    if (!progress->terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    /* A line that wraps could not be erased again. */
    const size_t room = terminal_columns() - 1;
    if (strlen(line) > room)
        line[room] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress->drawn = true;
}

void progress_clear(struct progress *progress) {
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
}

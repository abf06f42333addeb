#include "plots/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void gnuplot_label(char *out, size_t room, const char *text) {
    size_t n = 0;
    for (; *text && n + 1 < room; text++) {
        const unsigned char c = (unsigned char)*text;
        if ((c & 0xc0) == 0x80)
            continue; /* one '_' for a UTF-8 character, not one a byte */
        const int plain = c < 0x80 && (isalnum(c) || strchr(" .,:+-_/()=%", c));
        out[n++] = (char)(plain ? c : '_');
    }
    out[n] = '\0';
}

static enum status wait_for(pid_t child, const char *what) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(ST_ENV, "waiting for gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ST_OK;
    return fail(ST_ENV, "gnuplot failed on %s (its message is above)", what);
}

/* Runs argv in folder dir; what is what it works on, for messages. */
static enum status run(const char *dir, const char *const *argv, const char *what) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return fail(ST_ENV, "out of memory starting gnuplot");
    int error = posix_spawn_file_actions_addchdir_np(&actions, dir);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, 2, 1); /* stdout is for results */
    pid_t child;
    if (error == 0)
        error = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)(void *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return fail(ST_ENV, "gnuplot is not installed; install gnuplot-nox (Debian, Ubuntu) or "
                            "gnuplot, and check PATH");
    if (error != 0)
        return fail(ST_ENV, "gnuplot cannot be started: %s", strerror(error));
    return wait_for(child, what);
}

enum status gnuplot_run(const char *dir, const char *data_dir,
                        const char *const args[GNUPLOT_ARGS]) {
    char script[4096];
    const int length = snprintf(script, sizeof script, "%s/main.gp", data_dir);
    if (length < 0 || (size_t)length >= sizeof script || access(script, R_OK) != 0)
        return fail(ST_ENV, "gnuplot script %s is missing; install spbench again", script);
    /* -d: no start-up files, so that pictures look the same everywhere */
    const char *argv[5 + GNUPLOT_ARGS + 1] = {"gnuplot", "-d", "-c", script, data_dir};
    memcpy(argv + 5, args, GNUPLOT_ARGS * sizeof *args);
    return run(dir, argv, args[2]);
}

enum status gnuplot_run_script(const char *dir, const char *script) {
    const char *const argv[] = {"gnuplot", "-d", script, NULL};
    return run(dir, argv, script);
}

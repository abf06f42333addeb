#include "bench/launch/supervisor/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: nothing but system calls. Only a failed exec writes into report. */
static _Noreturn void become(const struct process_spec *spec, int report, pid_t parent) {
    const int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG,
          SIGKILL); /* hydra can lose a SIGTERM while it starts; its proxies end ranks either way */
    if (getppid() != parent)
        _exit(127); /* it died before we could ask to be told */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(spec->out, STDOUT_FILENO) >= 0 &&
        dup2(spec->err, STDERR_FILENO) >= 0)
        execvp(spec->argv[0], spec->argv);
    const int cause = errno;
    const ssize_t written = write(report, &cause, sizeof cause);
    (void)written;
    _exit(127);
}

enum status process_start(const struct process_spec *spec, pid_t *out) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return fail(ST_ENV, "cannot start %s: %s", spec->argv[0], strerror(errno));
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0)
        become(spec, report[1], parent);
    int cause = errno;
    close(report[1]);
    const bool failed = child < 0 || read(report[0], &cause, sizeof cause) == sizeof cause;
    close(report[0]);
    if (!failed) {
        *out = child;
        return ST_OK;
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return fail(ST_ENV,
                "cannot start %s: %s. Install the MPI that spbench was built with, or name its "
                "launcher in SPBENCH_MPIEXEC",
                spec->argv[0], strerror(cause));
}

void process_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

struct family {
    pid_t pid, parent;
    bool ours;
};

/* The parent of a process, 0 if it is gone. The name in stat may hold anything, even ')'. */
static pid_t parent_of(pid_t pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    int parent = 0;
    char state;
    return name_end && sscanf(name_end + 1, " %c %d", &state, &parent) == 2 && state != 'Z' ? parent
                                                                                            : 0;
}

/* Every live process with its parent; NULL without memory. */
static struct family *list_processes(size_t *n) {
    DIR *proc = opendir("/proc");
    struct family *list = NULL;
    size_t room = 0;
    *n = 0;
    for (struct dirent *e = proc ? readdir(proc) : NULL; e; e = readdir(proc)) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        if (*n == room) {
            struct family *more = realloc(list, (room += 256) * sizeof *list);
            if (!more)
                break;
            list = more;
        }
        const pid_t pid = (pid_t)atol(e->d_name);
        list[(*n)++] = (struct family){.pid = pid, .parent = parent_of(pid)};
    }
    if (proc)
        closedir(proc);
    return list;
}

static bool has_children(const struct family *list, size_t n, pid_t pid) {
    for (size_t i = 0; i < n; i++)
        if (list[i].parent == pid)
            return true;
    return false;
}

int process_signal_descendants(int signal, pid_t above) {
    size_t n;
    struct family *list = list_processes(&n);
    const pid_t self = getpid();
    int found = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            if (list[i].ours || list[i].parent == 0)
                continue;
            bool ours = list[i].parent == self;
            for (size_t j = 0; j < n && !ours; j++)
                ours = list[j].ours && list[j].pid == list[i].parent;
            list[i].ours = ours;
            more |= ours;
            found += ours;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (list[i].ours &&
            !(above > 0 && (list[i].pid == above || has_children(list, n, list[i].pid))))
            kill(list[i].pid, signal);
    free(list);
    return found;
}

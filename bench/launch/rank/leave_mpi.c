#include "bench/launch/rank/leave_mpi.h"

#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool library_is_mpich(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    return strncmp(version, "MPICH", 5) == 0;
}

/* What MPI_Finalize would say to Hydra last, in the wire protocol of PMI version 1: a line, which
 * is answered by another. */
static void leave_hydra(void) {
    enum { PATIENCE_MS = 1000 };
    static const char finalize[] = "cmd=finalize\n";
    const char *number = getenv("PMI_FD");
    struct pollfd manager = {.fd = number ? atoi(number) : -1, .events = POLLIN};
    char c = '\0';
    if (write(manager.fd, finalize, strlen(finalize)) != (ssize_t)strlen(finalize))
        return;
    while (c != '\n' && poll(&manager, 1, PATIENCE_MS) == 1 && read(manager.fd, &c, 1) == 1)
        ;
}

void leave_mpi(enum status st, bool many_hosts, bool by_srun) {
    if (many_hosts && library_is_mpich()) {
        fflush(NULL);
        if (!by_srun)
            leave_hydra();
        _exit((int)st);
    }
    MPI_Finalize();
}

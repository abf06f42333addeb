#include "bench/farewell.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool library_is_mpich(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    return strncmp(version, "MPICH", 5) == 0;
}

void farewell(enum status st, bool many_hosts) {
    if (many_hosts && library_is_mpich()) {
        fflush(NULL);
        _exit((int)st);
    }
    MPI_Finalize();
}

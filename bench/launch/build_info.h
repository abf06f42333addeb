/* What this executable was built from and with. */
#ifndef SPB_BENCH_LAUNCH_BUILD_INFO_H
#define SPB_BENCH_LAUNCH_BUILD_INFO_H

struct build_info {
    const char *version;
    const char *git; /* revision, "-dirty" behind it where files differed; "" outside a checkout */
    const char *compiler;
    const char *build_type;
    const char *mpi; /* name and version of the MPI it was compiled against */
};

extern const struct build_info build_info;

#endif

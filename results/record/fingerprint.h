/* The fingerprint: on what a record was measured, so that two runs can be told to be comparable. */
#ifndef SPB_RESULTS_RECORD_FINGERPRINT_H
#define SPB_RESULTS_RECORD_FINGERPRINT_H

#include <jansson.h>

/* What the caller knows; NULL is unknown and left out. Borrowed. */
struct fingerprint_parts {
    const char *cpu, *topology, *mpi, *git;
};

/* {"id", "host_class", "cpu", "topology", "mpi", "git", "compiler", "env"}, owned by the caller;
 * NULL (and a logged error) when out of memory. environment is environ, NULL-terminated: only
 * NCCL_*, UCX_*, MPIR_CVAR_*, MPICH_*, OMP_* and CUDA_VISIBLE_DEVICES are taken from it. host_class
 * is the system, architecture, CPUs and memory, never a host name, so that like nodes compare
 * equal. id is FNV-1a (64 bit, hexadecimal) of all the rest with sorted keys. */
json_t *fingerprint_new(const struct fingerprint_parts *parts, char *const environment[]);

#endif

/* How OpenBLAS is kept to what it is here for: products on the calling thread alone. */
#ifndef SPB_ATTN_COMPUTE_CPU_OPENBLAS_H
#define SPB_ATTN_COMPUTE_CPU_OPENBLAS_H

#include "base/status.h"

/* In place of OpenBLAS's own function, which would read OPENBLAS_NUM_THREADS. OpenBLAS asks it
 * before main(), when it is loaded, how many threads to start. More than one would only wait; and
 * where a limit leaves no room for them, OpenBLAS raises SIGINT or asks for memory for ever. */
int openblas_num_threads_env(void);

/* Maps what products of this many threads at once work in, which OpenBLAS would do later and, where
 * there is no room, try for ever. ST_ENV, logged. */
enum status openblas_reserve(int threads);

#endif

/* What a machine or a container may refuse to ranks: processes, memory, room in /dev/shm. */
#ifndef SPB_BENCH_LAUNCH_SUPERVISOR_SHORTAGE_H
#define SPB_BENCH_LAUNCH_SUPERVISOR_SHORTAGE_H

#include <stdbool.h>

#include "base/status.h"

/* From what may follow from another one to what may not. */
enum shortage { SHORT_OF_NOTHING, SHORT_OF_MEMORY, SHORT_OF_PROCESSES, SHORT_OF_SHM };

/* Starts as many threads as launcher and ranks will be processes and threads, since all limits
 * count them alike: launchers that can start only some of them may never end. ST_ENV, logged. */
enum status shortage_try(int ranks, bool watchdogs);

/* Raises *worst to what a line that a launcher or a rank has printed complains of. */
void shortage_read(enum shortage *worst, const char *line);

/* Is memory limited otherwise than by what there is? */
bool shortage_is_limit(void);

/* Is there too little memory or room in /dev/shm for MPI to start? */
bool shortage_is_tight(void);

/* Says what there was too little of, and the limit on it. ST_ENV. */
enum status shortage_explain(enum shortage shortage);

#endif

/* A piece of memory that ranks of one host share: an anonymous memfd. It has no name and does not
 * live in /dev/shm, so neither that mount's size limits it nor anything is left behind by a killed
 * run: the kernel frees it with the last process that maps it. */
#ifndef SPB_COMM_TRANSPORT_SHM_SEGMENT_H
#define SPB_COMM_TRANSPORT_SHM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct shm_segment {
    void *data;
    size_t bytes;
    int fd; /* of the owner, by which peers attach; -1 where there is none */
};

/* A segment of this process, zeroed, in huge pages where the kernel gives them. All its pages exist
 * on return, so that a later access cannot die of a full machine. ST_ENV, logged, when there is not
 * enough memory. */
enum status shm_segment_create(size_t bytes, struct shm_segment *out);

/* Maps a segment whose owner is another process of this host. The owner must keep its fd open until
 * this returns. ST_ENV, logged, when the process cannot be looked into or the segment is shorter.
 */
enum status shm_segment_attach(int pid, int fd, size_t bytes, bool writable,
                               struct shm_segment *out);

/* The owner's fd alone: what is attached stays so, and nobody else can. */
void shm_segment_seal(struct shm_segment *s);

/* NULL data is allowed. Memory is freed when nobody has it attached. */
void shm_segment_free(struct shm_segment *s);

#endif

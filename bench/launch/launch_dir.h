/* The temporary folder of one launch, through which ranks reach their supervisor. While that lives
 * it holds a lock, so that the next launch on this host can remove what a killed one left. */
#ifndef SPB_BENCH_LAUNCH_LAUNCH_DIR_H
#define SPB_BENCH_LAUNCH_LAUNCH_DIR_H

#include "base/status.h"

/* Set for ranks by their supervisor: where it is, and which repetition of the launch this is, from
 * 1. */
#define LAUNCH_DIR_ENV "SPBENCH_LAUNCH_DIR"
#define LAUNCH_INDEX_ENV "SPBENCH_LAUNCH_INDEX"

/* What is in it: a FIFO on which rank 0 sends results, and the board (rank_board.h). */
#define LAUNCH_WIRE "wire"
#define LAUNCH_BOARD "board"

struct launch_dir {
    char path[256];
    int lock; /* a file, locked; -1: there are no locks here */
    int wire; /* the FIFO's reading end, non-blocking */
};

/* Makes it and tells ranks to come (through the environment they inherit) where it is and which
 * repetition this launch is (0: not said). ST_ENV, logged; launch_dir_close() in any case. */
enum status launch_dir_open(struct launch_dir *dir, int index);

/* Removes it. */
void launch_dir_close(struct launch_dir *dir);

#endif

/* MPI tests: main() starts MPI, runs tests() on every rank and agrees on the result. */
#ifndef SPB_TESTS_MPI_TEST_H
#define SPB_TESTS_MPI_TEST_H

#include "comm/ranks/group.h"
#include "tests/cmocka_all.h"

/* All ranks of the test, waiting as ranks that share cores must. */
extern struct group test_world;

/* Runs the file's cmocka group; returns the number of failed tests. */
int tests(void);

#endif

/* Pairwise covering arrays: few rows in which every two values of any two dimensions meet. */
#ifndef SPB_TESTS_ATTN_COVERING_H
#define SPB_TESTS_ATTN_COVERING_H

#include <stdbool.h>

enum { COVERING_DIMS = 16, COVERING_VALUES = 32 };

struct covering {
    int dims, size[COVERING_DIMS]; /* of each dimension: its values are 0 .. size - 1 */
    int rows;                      /* so far */
    bool met[COVERING_DIMS][COVERING_VALUES][COVERING_DIMS][COVERING_VALUES];
};

/* Zeroes c but for dims and size. */
void covering_start(struct covering *c);

/* The next row; false: all pairs have met. Greedy: two values that have not met yet, and for every
 * other dimension the value that meets most others for the first time. The same rows every time. */
bool covering_next(struct covering *c, int row[COVERING_DIMS]);

#endif

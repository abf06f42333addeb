/* Pairwise covering arrays: few rows in which every two values of any two dimensions meet. */
#ifndef SPB_TESTS_ATTN_METHOD_COVERING_H
#define SPB_TESTS_ATTN_METHOD_COVERING_H

#include <stdbool.h>
#include <stdint.h>

enum { COVERING_DIMS = 16, COVERING_VALUES = 32 };

struct covering {
    int dims, size[COVERING_DIMS]; /* of each dimension: its values are 0 .. size - 1 */

    /* Whether the row's value of a dimension has an effect, given the others: only there it meets
     * them. Two values that never have at once need not meet. */
    bool (*counts)(const int row[COVERING_DIMS], int dim, void *arg);
    void *arg;

    int rows; /* so far */
    uint32_t drawn;
    bool met[COVERING_DIMS][COVERING_VALUES][COVERING_DIMS][COVERING_VALUES];
};

/* The next row; false: all pairs that can have met. Greedy: two values that have not met yet, with
 * those of the others, out of many drawn ones, that meet most for the first time. Start from zeros
 * but for the first fields. The same rows every time. */
bool covering_next(struct covering *c, int row[COVERING_DIMS]);

#endif

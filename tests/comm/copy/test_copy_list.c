#include "comm/copy/bound.h"
#include "comm/copy/list.h"
#include "comm/copy/strided.h"

#include <stdlib.h>
#include <string.h>

#include "tests/cmocka_all.h"

enum { MEMORY = 1 << 16 };

struct shapes {
    size_t rows[2], row_bytes[2]; /* of destination and source */
};

/* Equal shapes, one piece, whole multiples, and rows that fit nowhere. */
static const struct shapes all_shapes[] = {
    {{1, 1}, {1, 1}},         {{7, 7}, {300, 300}},         {{1, 8}, {8 * 129, 129}},
    {{8, 1}, {129, 8 * 129}}, {{2, 6}, {384, 128}},         {{6, 2}, {64, 192}},
    {{3, 4}, {8, 6}},         {{35, 21}, {3 * 11, 5 * 11}},
};

static struct block block_of(const struct buffer *buffer, size_t offset, size_t rows,
                             size_t row_bytes, size_t gap) {
    return (struct block){0, buffer, offset, rows, row_bytes, row_bytes + gap};
}

/* The list copies what block_copy() does, byte by byte, however it is cut into steps. */
static void check(const struct shapes *s, size_t offset, size_t gap, copy_rows_fn *copy,
                  size_t step) {
    char *memory[3];
    for (int i = 0; i < 3; i++) {
        memory[i] = aligned_alloc(64, MEMORY);
        for (size_t k = 0; k < MEMORY; k++)
            memory[i][k] = (char)(i == 0 ? k * 7 + k / 251 : 0x55);
    }
    const struct buffer from = {memory[0], MEMORY, NULL}, to = {memory[1], MEMORY, NULL};
    const struct buffer expected = {memory[2], MEMORY, NULL};
    const struct block src = block_of(&from, offset, s->rows[1], s->row_bytes[1], gap);
    const struct block dst = block_of(&to, 2 * offset, s->rows[0], s->row_bytes[0], gap / 2);
    struct block model = dst;
    model.buffer = &expected;
    struct copy_list list = {0};
    assert_int_equal(copy_list_add(&list, &dst, &src), ST_OK);
    for (int turn = 0; turn < 2; turn++) {
        size_t copied = 0;
        copy_list_rewind(&list);
        for (bool done = false; !done;) {
            size_t budget = step;
            done = copy_list_step(&list, copy, &budget);
            copied += step - budget;
            assert_true(done || budget == 0);
        }
        assert_int_equal(copied, block_bytes(&src));
    }
    block_copy(&model, &src);
    assert_memory_equal(memory[1], memory[2], MEMORY);
    copy_list_free(&list);
    for (int i = 0; i < 3; i++)
        free(memory[i]);
}

static void copies_every_shape(void **state) {
    (void)state;
    static const size_t offsets[] = {0, 64, 3}, gaps[] = {0, 64, 5}, steps[] = {1u << 20, 256, 37};
    copy_rows_fn *const ways[] = {copy_rows_plain, copy_rows_streaming()};
    for (size_t i = 0; i < sizeof all_shapes / sizeof all_shapes[0]; i++)
        for (int o = 0; o < 3; o++)
            for (int g = 0; g < 3; g++)
                for (int s = 0; s < 3; s++)
                    for (int w = 0; w < 2; w++)
                        check(&all_shapes[i], offsets[o], gaps[g], ways[w], steps[s]);
}

/* A block of equal rows on both sides is one rectangle, whatever its number of rows. */
static void equal_rows_are_one_rectangle(void **state) {
    (void)state;
    char memory[1024];
    const struct buffer b = {memory, sizeof memory, NULL};
    const struct block strided = block_of(&b, 0, 16, 8, 24), whole = block_of(&b, 600, 1, 128, 0);
    struct copy_list list = {0};
    assert_int_equal(copy_list_add(&list, &whole, &strided), ST_OK);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.rectangles[0].rows, 16);
    copy_list_free(&list);
}

/* A matrix of rows whose pieces go to matrices of their own, and one that nobody else shares: woven
 * or not, every byte arrives; and a weave is read in the order of its addresses. */
static void a_weave_reads_on(void **state) {
    (void)state;
    enum { ROWS = 37, PIECE = 104, PIECES = 5, STRIDE = PIECE * PIECES };
    static char odd[90], from[ROWS * STRIDE + sizeof odd], to[PIECES][ROWS * PIECE];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)(i * 13 + i / 255);
    copy_rows_fn *const ways[] = {copy_rows_plain, copy_rows_streaming()};
    for (int w = 0; w < 2; w++)
        for (size_t step = 50; step < 100000; step *= 11) {
            struct copy_list list = {0};
            const struct buffer source = {from, sizeof from, NULL}, rest = {odd, sizeof odd, NULL};
            const struct block tail = block_of(&source, ROWS * STRIDE, 1, sizeof odd, 0);
            const struct block taken = block_of(&rest, 0, 1, sizeof odd, 0);
            for (int p = PIECES - 1; p >= 0; p--) { /* not in the order of addresses */
                const struct buffer target = {to[p], sizeof to[p], NULL};
                const struct block src =
                    block_of(&source, (size_t)p * PIECE, ROWS, PIECE, STRIDE - PIECE);
                const struct block dst = block_of(&target, 0, 1, ROWS * PIECE, 0);
                assert_int_equal(copy_list_add(&list, &dst, &src), ST_OK);
            }
            assert_int_equal(copy_list_add(&list, &taken, &tail), ST_OK);
            copy_list_weave(&list);
            assert_int_equal(list.n, PIECES + 1);
            for (size_t i = 1; i < list.n; i++)
                assert_true(list.rectangles[i].from >= list.rectangles[i - 1].from);
            size_t woven = 0;
            for (size_t i = 0; i < list.n; i += list.rectangles[i].woven)
                woven = list.rectangles[i].woven > woven ? list.rectangles[i].woven : woven;
            assert_int_equal(woven, PIECES);
            for (int turn = 0; turn < 2; turn++) {
                memset(to, 0, sizeof to);
                memset(odd, 0, sizeof odd);
                copy_list_rewind(&list);
                for (bool done = false; !done;) {
                    size_t budget = step;
                    done = copy_list_step(&list, ways[w], &budget);
                }
                assert_memory_equal(odd, from + ROWS * STRIDE, sizeof odd);
                for (size_t p = 0; p < PIECES; p++)
                    for (size_t r = 0; r < ROWS; r++)
                        assert_memory_equal(to[p] + r * PIECE, from + r * STRIDE + p * PIECE,
                                            PIECE);
            }
            copy_list_free(&list);
        }
}

static void the_bound_copies_all(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 100001, (2 << 20) + 5};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < COPY_BOUND_WAYS; w++) {
            struct copy_bound b;
            assert_true(copy_bound_open(sizes[i], 3, &b));
            assert_int_not_equal(memcmp(b.from, b.to, sizes[i]), 0);
            copy_bound_run(&b, copy_bound_way(w));
            assert_memory_equal(b.from, b.to, sizes[i]);
            copy_bound_close(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_every_shape),
        cmocka_unit_test(equal_rows_are_one_rectangle),
        cmocka_unit_test(a_weave_reads_on),
        cmocka_unit_test(the_bound_copies_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdlib.h>
#include <string.h>

#include "topology/print/aligned.h"

#include "tests/cmocka_all.h"

static void write_sum(const void *context, int row, int col, char *buf, size_t n) {
    snprintf(buf, n, "%d", *(const int *)context + 10 * row + col);
}

/* Columns are as wide as their widest cell, and all are there however many they are. */
static void columns_line_up(void **state) {
    (void)state;
    const int one = 1, wide = 2000;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    aligned_print(out, 2, 2, write_sum, &one);
    fclose(out);
    assert_string_equal(text, "  1   2\n  11  12\n");
    free(text);
    out = open_memstream(&text, &size);
    aligned_print(out, 1, wide, write_sum, &one);
    fclose(out);
    assert_non_null(strstr(text, "  1999  2000\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_line_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

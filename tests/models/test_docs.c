/* docs/models.md ends with the reader's tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/docs.h"
#include "tests/cmocka_all.h"

static void page_ends_with_the_tables(void **state) {
    (void)state;
    static char page[1 << 17];
    char *tables = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&tables, &size), *file = fopen(SOURCE_DIR "/docs/models.md", "r");
    assert_non_null(stream);
    assert_non_null(file);
    model_docs(stream);
    fclose(stream);
    const size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    if (length < size || strcmp(page + length - size, tables) != 0)
        fail_msg("docs/models.md does not end with what spbench info --generate models prints");
    free(tables);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_ends_with_the_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

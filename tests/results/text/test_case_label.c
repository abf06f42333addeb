#include "results/text/case_label.h"

#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static void names_what_differs(void **state) {
    (void)state;
    static const char *const names[] = {"comm op=ring sp=2 wait=\"a b\"", "comm op=ring sp=4",
                                        "attn method=usp seq=64 sp=2"};
    json_t *differences = case_differences(names, 3);
    static const char *const labels[] = {"comm sp=2 wait=\"a b\"", "comm sp=4",
                                         "attn method=usp seq=64"};
    for (int i = 0; i < 3; i++) {
        char *label = case_label(differences, names[i]);
        assert_string_equal(label, labels[i]);
        free(label);
    }
    json_decref(differences);
}

static void keys_of_any_length(void **state) {
    (void)state;
    char names[2][100], *label;
    for (int i = 0; i < 2; i++) {
        memset(names[i], 'k', 80);
        strcpy(names[i] + 80, i ? "=2" : "=1");
        memcpy(names[i], "comm ", 5);
    }
    const char *const both[] = {names[0], names[1]};
    json_t *differences = case_differences(both, 2);
    label = case_label(differences, names[1]);
    assert_string_equal(label, names[1]);
    free(label);
    json_decref(differences);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_differs),
        cmocka_unit_test(keys_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

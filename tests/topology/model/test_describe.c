#include "topology/model/describe.h"

#include "tests/cmocka_all.h"

/* Names of the PCI ID Repository. */
static void gigabit_is_told_from_more(void **state) {
    (void)state;
    static const struct {
        const char *model;
        bool gigabit;
    } cases[] = {
        {"NetXtreme BCM5720 Gigabit Ethernet PCIe", true},
        {"I350 Gigabit Network Connection", true},
        {"82576 Gigabit Network Connection", true},
        {"82566DM-2 Gigabit Network Connection", true},
        {"RTL8111/8168/8411 PCI Express Gigabit Ethernet Controller", true},
        {"Ethernet Connection X722 for 1GbE", true},
        {"82599ES 10-Gigabit SFI/SFP+ Network Connection", false},
        {"NetXtreme II BCM57810 10 Gigabit Ethernet", false},
        {"NetXtreme II BCM57800 1/10 Gigabit Ethernet", false},
        {"Killer E3100X 2.5 Gigabit Ethernet Controller", false},
        {"Ethernet Controller X710 for 10GBASE-T", false},
        {"MT2910 Family [ConnectX-7]", false},
        {"unknown", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (describe_is_gigabit(cases[i].model) != cases[i].gigabit)
            fail_msg("%s", cases[i].model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gigabit_is_told_from_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

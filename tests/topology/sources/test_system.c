/* Reads copies of sysfs that each test writes below its working directory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology/model/machine.h"
#include "topology/pcie.h"
#include "topology/sources/system.h"

#include "tests/cmocka_all.h"

static char root[] = "sysfs-XXXXXX";

static int make_root(void **state) {
    (void)state;
    memcpy(root, "sysfs-XXXXXX", sizeof root);
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int quota(void) {
    char self[64];
    snprintf(self, sizeof self, "%s/self", root);
    return system_cpu_quota(root, self);
}

static void quota_version_2(void **state) {
    (void)state;
    assert_int_equal(quota(), 0); /* no control groups at all */
    write_file("self", "0::/slice/job\n");
    assert_int_equal(quota(), 0);
    write_file("slice/job/cpu.max", "max 100000\n");
    assert_int_equal(quota(), 0);
    write_file("slice/cpu.max", "350000 100000\n"); /* the parent limits too */
    assert_int_equal(quota(), 4);
    write_file("slice/job/cpu.max", "150000 100000\n");
    assert_int_equal(quota(), 2);
    write_file("self", "0::/elsewhere\n");
    assert_int_equal(quota(), 0);
    write_file("cpu.max", "100000 100000\n"); /* a container's own root */
    assert_int_equal(quota(), 1);
    write_file("cpu.max", "garbage\n");
    assert_int_equal(quota(), 0);
}

static void quota_version_1(void **state) {
    (void)state;
    write_file("self", "7:cpuset:/job\n4:cpuacct,cpu:/job\n0::/\n");
    write_file("cpu/job/cpu.cfs_quota_us", "-1\n");
    write_file("cpu/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(), 0);
    write_file("cpu/job/cpu.cfs_quota_us", "800000\n");
    assert_int_equal(quota(), 8);
    write_file("self", "7:cpuset:/job\n0::/\n"); /* not the cpu controller */
    assert_int_equal(quota(), 0);
}

static void nic_rates(void **state) {
    (void)state;
    write_file("infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
    write_file("infiniband/mlx4_0/ports/1/rate", "40 Gb/sec (4X QDR)\n");
    write_file("infiniband/mlx4_1/ports/1/rate", "56 Gb/sec (4X FDR)\n");
    write_file("infiniband/mlx4_2/ports/1/rate", "40 Gb/sec (4X FDR10)\n");
    write_file("infiniband/mthca0/ports/1/rate", "10 Gb/sec (4X)\n");
    write_file("infiniband/roce0/ports/1/rate", "40 Gb/sec (4X QDR)\n");
    write_file("infiniband/roce0/ports/1/link_layer", "Ethernet\n");
    write_file("net/eth0/speed", "10000\n");
    write_file("net/eth1/speed", "-1\n");
    assert_true(system_nic_gb_s(root, "mlx5_0") == 12.5);
    assert_true(system_nic_gb_s(root, "mlx4_0") == 4.0);
    assert_true(fabs(system_nic_gb_s(root, "mlx4_1") - 54.545 / 8) < 1e-3);
    assert_true(system_nic_gb_s(root, "mlx4_2") == 5.0);
    assert_true(system_nic_gb_s(root, "mthca0") == 1.0);
    assert_true(system_nic_gb_s(root, "roce0") == 5.0);
    assert_true(system_nic_gb_s(root, "eth0") == 1.25);
    assert_true(system_nic_gb_s(root, "eth1") == 0.0);
    assert_true(system_nic_gb_s(root, "eth2") == 0.0);
}

static void pcie_maxima(void **state) {
    (void)state;
    write_file("0000:17:00.0/max_link_speed", "16.0 GT/s PCIe\n");
    write_file("0000:17:00.0/max_link_width", "16\n");
    write_file("0000:17:00.0/current_link_speed", "2.5 GT/s PCIe\n"); /* idle: of no interest */
    write_file("0000:18:00.0/max_link_speed", "5 GT/s\n");
    write_file("0000:18:00.0/max_link_width", "8\n");
    write_file("0000:19:00.0/max_link_speed", "Unknown\n");
    write_file("0000:19:00.0/max_link_width", "255\n");
    write_file("0000:1a:00.0/max_link_speed", "8.0 GT/s PCIe\n"); /* and no width */
    assert_true(fabs(system_pcie_gb_s(root, "0000:17:00.0") - 31.508) < 1e-3);
    assert_true(fabs(system_pcie_gb_s(root, "0000:18:00.0") - 4.0) < 1e-9);
    assert_true(system_pcie_gb_s(root, "0000:19:00.0") == 0.0);
    assert_true(system_pcie_gb_s(root, "0000:1a:00.0") == 0.0);
    assert_true(system_pcie_gb_s(root, "0000:1b:00.0") == 0.0);
}

/* The rates that the PCI-SIG's FAQs give per lane, rounded as there. */
static void pcie_generations(void **state) {
    (void)state;
    static const double x16[][2] = {{2.5, 4.0},   {5, 8.0},     {8, 15.754},
                                    {16, 31.508}, {32, 63.015}, {64, 121.0}};
    for (size_t i = 0; i < sizeof x16 / sizeof *x16; i++)
        assert_true(fabs(pcie_gb_s(x16[i][0], 16) - x16[i][1]) < 1e-3);
    assert_true(pcie_gb_s(0, 16) == 0.0);
    assert_true(pcie_gb_s(8, 0) == 0.0);
    assert_true(pcie_gb_s(NAN, 16) == 0.0);
    assert_true(pcie_parse_gt_s("8.0 GT/s PCIe") == 8.0);
    assert_true(pcie_parse_gt_s("8 Gbit/s") == 0.0);
    assert_true(pcie_parse_gt_s("-8 GT/s") == 0.0);
    assert_true(pcie_parse_gt_s("inf GT/s") == 0.0);
}

static void threads(void **state) {
    (void)state;
    struct machine machine = {.allowed_cores = 8};
    assert_int_equal(machine_threads(&machine, 1), 8);
    assert_int_equal(machine_threads(&machine, 3), 2);
    assert_int_equal(machine_threads(&machine, 9), 1);
    machine.cpu_quota = 4;
    assert_int_equal(machine_threads(&machine, 2), 2);
    machine.cpu_quota = 16;
    assert_int_equal(machine_threads(&machine, 2), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quota_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(quota_version_1, make_root, remove_root),
        cmocka_unit_test_setup_teardown(nic_rates, make_root, remove_root),
        cmocka_unit_test_setup_teardown(pcie_maxima, make_root, remove_root),
        cmocka_unit_test(pcie_generations),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

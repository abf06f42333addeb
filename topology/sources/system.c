#include "topology/sources/system.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "topology/pcie.h"

/* The first line of root/dir/file; false if there is none. */
static bool read_line(const char *root, const char *dir, const char *file, char *line, int n) {
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s/%s", root, dir, file) >= (int)sizeof path)
        return false;
    FILE *in = fopen(path, "r");
    const bool ok = in && fgets(line, n, in);
    if (in)
        fclose(in);
    return ok;
}

/* "200000 100000" or "max 100000": microseconds of CPU time per period. */
static int quota_v2(const char *root, const char *dir) {
    char line[64];
    long quota = 0, period = 0;
    if (!read_line(root, dir, "cpu.max", line, sizeof line) ||
        sscanf(line, "%ld %ld", &quota, &period) != 2 || quota <= 0 || period <= 0)
        return 0;
    return (int)((quota + period - 1) / period);
}

/* The quota is -1 where there is no limit. */
static int quota_v1(const char *root, const char *dir) {
    char line[64];
    long quota = 0, period = 0;
    if (!read_line(root, dir, "cpu.cfs_quota_us", line, sizeof line) ||
        sscanf(line, "%ld", &quota) != 1 ||
        !read_line(root, dir, "cpu.cfs_period_us", line, sizeof line) ||
        sscanf(line, "%ld", &period) != 1 || quota <= 0 || period <= 0)
        return 0;
    return (int)((quota + period - 1) / period);
}

/* The least quota of dir and its parents. dir is cut down to "". A container often sees its own
 * group as the root, whatever the path says; the last step catches that. */
static int least_quota(const char *root, char *dir, int (*quota_of)(const char *, const char *)) {
    int least = 0;
    for (bool more = true; more;) {
        const int quota = quota_of(root, dir);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        char *slash = strrchr(dir, '/');
        more = dir[0] != '\0';
        if (slash)
            *slash = '\0';
        else
            dir[0] = '\0';
    }
    return least;
}

/* Whether a list such as "cpu,cpuacct" names the cpu controller. */
static bool names_cpu(const char *controllers) {
    char list[256];
    snprintf(list, sizeof list, ",%s,", controllers);
    return strstr(list, ",cpu,");
}

int system_cpu_quota(const char *sysfs, const char *self) {
    FILE *file = fopen(self, "r");
    int quota = 0;
    char line[768], root_v1[512];
    /* hierarchy:controllers:/path, with 0:: for version 2 */
    while (file && quota == 0 && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (*++controllers == '\0') {
            quota = least_quota(sysfs, path, quota_v2);
        } else if (names_cpu(controllers)) {
            snprintf(root_v1, sizeof root_v1, "%s/cpu", sysfs);
            quota = least_quota(root_v1, path, quota_v1);
        }
    }
    if (file)
        fclose(file);
    return quota;
}

/* The share of an InfiniBand rate that is data, by the name that Linux gives it ("40 Gb/sec (4X
 * QDR)"): up to QDR the rate is that of the line with 8b/10b coding; FDR is 14.0625 Gbit/s a lane
 * with 64b/66b coding, which Linux calls 14; later rates and FDR10 are those of the data already
 * (InfiniBand Architecture Specification, volume 2). */
static double data_share(const char *rate) {
    static const struct {
        const char *ending;
        double share;
    } names[] = {{"X)", 0.8}, /* SDR, in some versions without a name */
                 {" SDR)", 0.8},
                 {" DDR)", 0.8},
                 {" QDR)", 0.8},
                 {" FDR)", 14.0625 * 64 / 66 / 14}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(rate, names[i].ending))
            return names[i].share;
    return 1;
}

double system_nic_gb_s(const char *sysfs, const char *name) {
    char dir[256], line[128], layer[64] = "";
    double gbit = 0, mbit = 0;
    snprintf(dir, sizeof dir, "infiniband/%s/ports/1", name);
    if (read_line(sysfs, dir, "rate", line, sizeof line) &&
        sscanf(line, "%lf Gb/sec", &gbit) == 1) {
        /* RoCE has Ethernet's rates, in words of InfiniBand. */
        const bool ethernet = read_line(sysfs, dir, "link_layer", layer, sizeof layer) &&
                              strncmp(layer, "Ethernet", 8) == 0;
        return gbit * (ethernet ? 1 : data_share(line)) / 8;
    }
    snprintf(dir, sizeof dir, "net/%s", name);
    if (read_line(sysfs, dir, "speed", line, sizeof line) && sscanf(line, "%lf", &mbit) == 1 &&
        mbit > 0)
        return mbit / 8000;
    return 0;
}

double system_pcie_gb_s(const char *sysfs, const char *id) {
    char speed[64], width[64];
    int lanes = 0;
    if (!read_line(sysfs, id, "max_link_speed", speed, sizeof speed) ||
        !read_line(sysfs, id, "max_link_width", width, sizeof width) ||
        sscanf(width, "%d", &lanes) != 1 || lanes > 32) /* 255: it cannot be read */
        return 0;
    return pcie_gb_s(pcie_parse_gt_s(speed), lanes);
}

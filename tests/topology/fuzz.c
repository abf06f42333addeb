/* Feeds files of machines to every reader and printer there is: nothing may crash, hang or write to
 * stderr but our errors. As a test it takes the files in data/; with clang and libFuzzer it makes
 * its own:
 *
 *   clang -g -O1 -D_GNU_SOURCE -DFUZZ -fsanitize=address,undefined,fuzzer -I. tests/topology/fuzz.c
 *       $(find topology base/text base/status.c -name '*.c') $(pkg-config --cflags --libs hwloc
 * jansson libxml-2.0) -lm
 *   ./a.out -dict=tests/topology/fuzz.dict corpus tests/topology/data
 *
 * With FUZZ=reader in the environment it stops before hwloc, which is a hundred times as fast. */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "topology/model/machine.h"
#include "topology/place/bind.h"
#include "topology/place/place.h"
#include "topology/print/print.h"
#include "topology/sources/nccl.h"

static void show(const struct machine *machine) {
    enum { RANKS = 3 };
    static struct place places[RANKS];
    char id[64], *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    const int ranks = bind_described(machine, BIND_NUMA, 1, RANKS, places) ? 0 : RANKS;
    json_t *json = topology_json(machine, places, ranks);
    json_dumpf(json, out, 0);
    topology_table(out, machine, places, ranks);
    topology_svg(out, machine, places, ranks, NULL);
    machine_fingerprint(machine, id, sizeof id);
    fclose(out);
    json_decref(json);
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\n' && (text[i] < 0x20 || text[i] > 0x7e))
            abort(); /* a character that steers a terminal */
    free(text);
}

/* A file's content, or what a fuzzer makes of one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *what = getenv("FUZZ");
    char path[64];
    const int fd = memfd_create("machine", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (what && strcmp(what, "reader") == 0) {
        struct nccl_system system;
        char *xml = NULL;
        if (nccl_read(&system, path) == ST_OK)
            nccl_to_hwloc(&system, &xml);
        free(xml);
        nccl_free(&system);
    } else {
        struct machine machine;
        if (machine_load(&machine, "file", path) == ST_OK)
            show(&machine);
        machine_free(&machine);
    }
    close(fd);
    return 0;
}

#ifndef FUZZ
static int feed(const char *dir, const char *name) {
    static uint8_t data[1 << 20];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *in = fopen(path, "r");
    if (!in)
        return 0;
    const size_t n = fread(data, 1, sizeof data, in);
    fclose(in);
    LLVMFuzzerTestOneInput(data, n);
    return 1;
}

/* Every file of data/. */
int main(void) {
    DIR *dir = opendir(TEST_DATA_DIR);
    int fed = 0;
    if (!freopen("/dev/null", "w", stderr))
        return 1;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (strstr(entry->d_name, ".xml"))
            fed += feed(TEST_DATA_DIR, entry->d_name);
    return fed > 20 ? 0 : 1;
}
#endif

#include "comm/ranks/host_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* What a rank tells all others: where it is, and a memory with a number in it by which a neighbour
 * proves that it found the right one (a container may have process numbers of its own). */
struct card {
    uint64_t host_key, number;
    int32_t pid, fd; /* fd -1: it has no such memory */
};

bool shared_memory_works(char *why, size_t why_size) {
    const int fd = memfd_create("spbench", MFD_CLOEXEC);
    if (fd < 0) {
        snprintf(why, why_size, "memfd_create: %s", strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

static struct card make_card(uint64_t host_key) {
    struct card card = {.host_key = host_key, .pid = (int32_t)getpid(), .fd = -1};
    const int fd = memfd_create("spbench", MFD_CLOEXEC);
    if (fd < 0)
        return card;
    if (getrandom(&card.number, sizeof card.number, 0) == sizeof card.number &&
        write(fd, &card.number, sizeof card.number) == sizeof card.number)
        card.fd = fd;
    else
        close(fd);
    return card;
}

static bool can_open(const struct card *card) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)card->pid, (int)card->fd);
    const int fd = card->fd < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    uint64_t number = 0;
    const bool read = pread(fd, &number, sizeof number, 0) == sizeof number;
    close(fd);
    return read && number == card->number;
}

/* The next rank on this one's host, itself when it is alone. */
static int neighbour(const struct card *cards, int size, int rank) {
    int next = (rank + 1) % size;
    while (cards[next].host_key != cards[rank].host_key)
        next = (next + 1) % size;
    return next;
}

static bool first_of_host(const struct card *cards, int rank) {
    for (int r = 0; r < rank; r++)
        if (cards[r].host_key == cards[rank].host_key)
            return false;
    return true;
}

enum status host_map_create(const struct group *world, uint64_t host_key, struct host_map *out) {
    const size_t size = (size_t)world->size;
    *out = (struct host_map){.host_keys = malloc(size * sizeof *out->host_keys)};
    struct card *cards = malloc(size * sizeof *cards);
    enum status st =
        cards && out->host_keys ? ST_OK : fail(ST_ENV, "out of memory for %d ranks", world->size);
    st = group_agree(world, st);
    if (st == ST_OK) {
        const struct card mine = make_card(host_key);
        group_allgather(world, &mine, cards, sizeof mine);
        for (size_t r = 0; r < size; r++) {
            out->host_keys[r] = cards[r].host_key;
            out->ranks_here += cards[r].host_key == mine.host_key;
        }
        double counts[2] = {first_of_host(cards, world->rank),
                            !can_open(&cards[neighbour(cards, world->size, world->rank)])};
        group_sum(world, counts, 2); /* also: nobody closes before all have looked */
        out->n_hosts = (int)counts[0];
        out->connected = counts[1] == 0;
        if (mine.fd >= 0)
            close(mine.fd);
    } else {
        host_map_free(out);
    }
    free(cards);
    return st;
}

void host_map_free(struct host_map *map) {
    free(map->host_keys);
    *map = (struct host_map){0};
}

bool host_map_shares(const struct host_map *map, int ranks, char *why, size_t why_size) {
    if (map->connected)
        snprintf(why, why_size, "%d rank%s on %d host%s", ranks, ranks == 1 ? "" : "s",
                 map->n_hosts, map->n_hosts == 1 ? "" : "s");
    else
        snprintf(why, why_size, "ranks of a host cannot open each other's memory in /proc/PID/fd");
    return map->connected && map->n_hosts == 1;
}

#include "results/record/fingerprint.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A name that ends in '_' allows everything that begins so. */
static const char *const allowed_env[] = {
    "NCCL_", "UCX_", "MPIR_CVAR_", "MPICH_", "OMP_", "CUDA_VISIBLE_DEVICES",
};

static bool is_allowed(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof allowed_env / sizeof allowed_env[0]; i++) {
        const size_t n = strlen(allowed_env[i]);
        const bool prefix = allowed_env[i][n - 1] == '_';
        if (strncmp(name, allowed_env[i], n) == 0 && (prefix ? length > n : length == n))
            return true;
    }
    return false;
}

static json_t *allowed_environment(char *const environment[]) {
    json_t *object = json_object();
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        const size_t length = equals ? (size_t)(equals - *environment) : 0;
        if (length > 0 && is_allowed(*environment, length))
            json_object_setn_new(object, *environment, length, json_string(equals + 1));
    }
    return object;
}

static json_t *host_class(void) {
    struct utsname system;
    if (uname(&system) != 0)
        return NULL;
    const double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 0x1p30;
    return json_sprintf("%s %s, %ld CPUs, %.0f GiB", system.sysname, system.machine,
                        sysconf(_SC_NPROCESSORS_ONLN), gib);
}

/* Fowler, Noll, Vo: FNV-1a, 64 bit. */
static uint64_t fnv1a(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static void set(json_t *object, const char *key, const char *value) {
    if (value)
        json_object_set_new(object, key, json_string(value));
}

json_t *fingerprint_new(const struct fingerprint_parts *parts, char *const environment[]) {
    json_t *print = json_object();
    json_t *host = host_class();
    if (host)
        json_object_set_new(print, "host_class", host);
    set(print, "cpu", parts->cpu);
    set(print, "topology", parts->topology);
    set(print, "mpi", parts->mpi);
    set(print, "git", parts->git);
    set(print, "compiler", __VERSION__);
    json_object_set_new(print, "env", allowed_environment(environment));

    char *text = json_dumps(print, JSON_SORT_KEYS | JSON_COMPACT);
    if (!text) {
        json_decref(print);
        fail(ST_ENV, "out of memory for the fingerprint");
        return NULL;
    }
    json_object_set_new(print, "id", json_sprintf("%016" PRIx64, fnv1a(text)));
    free(text);
    return print;
}

#include "results/record/store.h"

#include "results/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_SCHEMA "spbench.run/1"

struct store {
    char *dir; /* for messages */
    int dir_fd, records_fd;
};

/* mkdir -p */
static enum status make_folders(const char *dir) {
    char *path = strdup(dir);
    if (!path)
        return fail(ST_ENV, "out of memory");
    enum status st = ST_OK;
    for (char *end = path; st == ST_OK && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char kept = *end;
        *end = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            const int cause = errno;
            st = fail(cause == ENOTDIR ? ST_USAGE : ST_ENV, "run folder %s: cannot create %s: %s",
                      dir, path, strerror(cause));
        }
        *end = kept;
    }
    free(path);
    return st;
}

/* One byte of the file, or -1. */
static int byte_at(int fd, off_t where) {
    unsigned char byte;
    return where >= 0 && pread(fd, &byte, 1, where) == 1 ? byte : -1;
}

/* Is what stands from start to end a whole JSON value? */
static bool parses(int fd, off_t start, off_t end) {
    const size_t length = (size_t)(end - start);
    char *text = malloc(length);
    if (!text)
        return false;
    const bool read = pread(fd, text, length, start) == (ssize_t)length;
    json_t *value = read ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    const bool ok = value;
    json_decref(value);
    return ok;
}

/* Makes the file end in a newline: a whole record gets the one it lacks, a cut one is removed. */
static enum status repair_end(const struct store *store) {
    const int fd = store->records_fd;
    const off_t end = lseek(fd, 0, SEEK_END);
    if (end <= 0 || byte_at(fd, end - 1) == '\n')
        return ST_OK;
    off_t start = end;
    while (start > 0 && byte_at(fd, start - 1) != '\n')
        start--;
    if (parses(fd, start, end))
        return write(fd, "\n", 1) == 1
                   ? ST_OK
                   : fail(ST_ENV, "%s/records.jsonl: %s", store->dir, strerror(errno));
    warn("%s/records.jsonl: removing the unfinished last record (%lld bytes) of a killed run",
         store->dir, (long long)(end - start));
    if (ftruncate(fd, start) != 0)
        return fail(ST_ENV, "%s/records.jsonl: %s", store->dir, strerror(errno));
    return ST_OK;
}

/* New records must not end up behind old ones that nobody can read. */
static enum status check_records(const char *dir) {
    json_t *records = NULL;
    const enum status st = records_load(dir, &records);
    json_decref(records);
    if (st == ST_USAGE)
        fail(st, "run folder %s holds records that cannot be read; name another one", dir);
    return st;
}

enum status store_open(const char *dir, struct store **out) {
    *out = NULL;
    if (!*dir)
        return fail(ST_USAGE, "the run folder has an empty name");
    enum status st = make_folders(dir);
    if (st != ST_OK)
        return st;
    struct store *store = malloc(sizeof *store);
    if (!store)
        return fail(ST_ENV, "out of memory");
    *store = (struct store){.dir = strdup(dir), .dir_fd = -1, .records_fd = -1};
    store->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->dir_fd < 0) {
        st = fail(errno == ENOTDIR ? ST_USAGE : ST_ENV, "run folder %s: %s", dir, strerror(errno));
        goto failed;
    }
    store->records_fd =
        openat(store->dir_fd, "records.jsonl", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (store->records_fd < 0) {
        st = fail(ST_ENV, "run folder %s: cannot write records.jsonl: %s", dir, strerror(errno));
        goto failed;
    }
    st = store->dir ? repair_end(store) : fail(ST_ENV, "out of memory");
    if (st == ST_OK && lseek(store->records_fd, 0, SEEK_END) > 0)
        st = check_records(dir);
    if (st != ST_OK)
        goto failed;
    *out = store;
    return ST_OK;
failed:
    store_close(store);
    return st;
}

enum status store_append(struct store *store, const json_t *record) {
    char *line = json_dumps(record, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (!line)
        return fail(ST_ENV, "%s: out of memory for a record", store->dir);
    const size_t length = strlen(line);
    line[length] = '\n'; /* instead of the terminator, so that one write does it */
    const off_t before = lseek(store->records_fd, 0, SEEK_END);
    const ssize_t written = write(store->records_fd, line, length + 1);
    const int cause = written < 0 ? errno : ENOSPC;
    free(line);
    if (written == (ssize_t)length + 1)
        return ST_OK;
    if (written > 0 && ftruncate(store->records_fd, before) != 0)
        warn("%s/records.jsonl: ends in part of a record", store->dir);
    return fail(ST_ENV, "%s/records.jsonl: record not written: %s", store->dir, strerror(cause));
}

/* The run.json that is there, or a new one; NULL and *st on failure. */
static json_t *load_runs(const struct store *store, enum status *st) {
    const int fd = openat(store->dir_fd, "run.json", O_RDONLY | O_CLOEXEC);
    json_t *file = NULL;
    if (fd < 0) {
        file = json_pack("{s:s, s:[]}", "schema", RUN_SCHEMA, "runs");
        *st = file ? ST_OK : fail(ST_ENV, "out of memory");
        return file;
    }
    file = json_loadfd(fd, 0, NULL);
    close(fd);
    const char *schema = record_str(file, NULL, "schema");
    if (schema && strcmp(schema, RUN_SCHEMA) == 0 && json_is_array(json_object_get(file, "runs"))) {
        *st = ST_OK;
        return file;
    }
    json_decref(file);
    *st = fail(ST_USAGE, "%s/run.json: not a %s file; move it away or save elsewhere", store->dir,
               RUN_SCHEMA);
    return NULL;
}

static json_t *describe_run(int argc, char *const argv[], time_t start, const json_t *fingerprint) {
    struct tm utc;
    char when[32] = "";
    if (gmtime_r(&start, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_t *run = json_pack("{s:[], s:s}", "command", "start", when);
    for (int i = 0; i < argc; i++) {
        json_t *word = json_string(argv[i]);
        json_array_append_new(json_object_get(run, "command"), word ? word : json_string("?"));
    }
    if (fingerprint)
        json_object_set_new(run, "fingerprint", json_deep_copy(fingerprint));
    return run;
}

/* Writes run.json whole, or leaves the old one. */
static enum status write_runs(const struct store *store, const json_t *file) {
    static const char temporary[] = ".run.json.new";
    const int fd = openat(store->dir_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool done = fd >= 0 && json_dumpfd(file, fd, JSON_INDENT(2)) == 0;
    if (fd >= 0 && close(fd) != 0)
        done = false;
    if (done && renameat(store->dir_fd, temporary, store->dir_fd, "run.json") == 0)
        return ST_OK;
    fail(ST_ENV, "%s/run.json: %s", store->dir, strerror(errno));
    unlinkat(store->dir_fd, temporary, 0);
    return ST_ENV;
}

enum status store_add_run(struct store *store, int argc, char *const argv[], time_t start,
                          const json_t *fingerprint) {
    enum status st;
    json_t *file = load_runs(store, &st);
    if (!file)
        return st;
    json_t *run = describe_run(argc, argv, start, fingerprint);
    st = json_array_append_new(json_object_get(file, "runs"), run) == 0
             ? write_runs(store, file)
             : fail(ST_ENV, "%s: out of memory for run.json", store->dir);
    json_decref(file);
    return st;
}

void store_close(struct store *store) {
    if (!store)
        return;
    if (store->records_fd >= 0)
        close(store->records_fd);
    if (store->dir_fd >= 0)
        close(store->dir_fd);
    free(store->dir);
    free(store);
}

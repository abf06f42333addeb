/* Files of records, one a line. */
#include "results/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* jansson quotes the input in its messages: keep its control characters off the terminal. */
static void make_printable(char *s) {
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 0x7f)
            *s = '?';
}

/* Parses one line into array. An unfinished one that does not parse was cut off by a kill. */
static enum status load_line(const char *line, size_t length, const char *where, json_t *array) {
    json_error_t error;
    json_t *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (!record && line[length - 1] != '\n') {
        warn("%s: the last record is unfinished (was the run killed?); it is left out", where);
        return ST_OK;
    }
    if (!record) {
        make_printable(error.text);
        return fail(ST_USAGE, "%s: not a JSON object a line: %s (column %d)", where, error.text,
                    error.column);
    }
    const enum status st = record_validate(record, where);
    if (st != ST_OK) {
        json_decref(record);
        return st;
    }
    return json_array_append_new(array, record) == 0 ? ST_OK
                                                     : fail(ST_ENV, "%s: out of memory", where);
}

static enum status load_lines(FILE *in, const char *path, json_t *array) {
    enum status st = ST_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    for (size_t number = 1; st == ST_OK && (length = getline(&line, &room, in)) > 0; number++) {
        char where[512];
        snprintf(where, sizeof where, "%.480s:%zu", path, number);
        if (strspn(line, " \t\r\n") < (size_t)length)
            st = load_line(line, (size_t)length, where, array);
    }
    if (st == ST_OK && ferror(in))
        st = fail(ST_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    return st;
}

enum status records_load(const char *path, json_t **array) {
    *array = NULL;
    struct stat info;
    char file[4096];
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const int length = snprintf(file, sizeof file, is_folder ? "%s/records.jsonl" : "%s", path);
    if (length < 0 || (size_t)length >= sizeof file)
        return fail(ST_USAGE, "path of %zu characters is too long", strlen(path));
    if (stat(file, &info) != 0)
        return fail(ST_USAGE, "%s: %s; give a run folder (--save) or a records.jsonl", file,
                    strerror(errno));
    if (!S_ISREG(info.st_mode))
        return fail(ST_USAGE, "%s: not a regular file", file);
    FILE *in = fopen(file, "re");
    if (!in)
        return fail(ST_USAGE, "%s: %s", file, strerror(errno));
    json_t *records = json_array();
    enum status st = records ? load_lines(in, file, records) : fail(ST_ENV, "out of memory");
    fclose(in);
    if (st != ST_OK) {
        json_decref(records);
        return st;
    }
    *array = records;
    return ST_OK;
}

/* For cli.sh: is what stands on stdin what it should be?
 *
 *   json_tool array N     one array of N records
 *   json_tool lines N     N records, one a line, nothing else
 *   json_tool object KEY  one object with that key */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/record/record.h"

static int is_array(size_t n) {
    json_t *array = json_loadf(stdin, 0, NULL);
    int ok = json_is_array(array) && json_array_size(array) == n;
    for (size_t i = 0; ok && i < n; i++)
        ok = record_validate_own(json_array_get(array, i), "stdin") == ST_OK;
    json_decref(array);
    return ok;
}

static int is_lines(size_t n) {
    char *line = NULL;
    size_t room = 0, found = 0;
    int ok = 1;
    while (ok && getline(&line, &room, stdin) >= 0) {
        json_t *record = json_loads(line, 0, NULL);
        ok = record && record_validate_own(record, "stdin") == ST_OK;
        json_decref(record);
        found++;
    }
    free(line);
    return ok && found == n;
}

static int is_object(const char *key) {
    json_t *object = json_loadf(stdin, 0, NULL);
    const int ok = json_object_get(object, key) != NULL;
    json_decref(object);
    return ok;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "object") == 0)
        return !is_object(argv[2]);
    const size_t n = (size_t)atol(argv[2]);
    return !(strcmp(argv[1], "array") == 0 ? is_array(n) : is_lines(n));
}

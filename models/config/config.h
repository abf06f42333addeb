/* A config.json as its readers see it: where the text model's fields are, and what its own code
 * takes for granted where the file is silent. */
#ifndef SPB_MODELS_CONFIG_CONFIG_H
#define SPB_MODELS_CONFIG_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"
#include "models/config/fields.h"
#include "models/config/notes.h"

struct model_config {
    const char *path;  /* for messages */
    char where[64];    /* "text_config." and the like before the names of fields; or "" */
    json_t *root;      /* the file; owned */
    json_t *text;      /* the object in it that describes the text model */
    json_t *attention; /* the object in text that describes attention, or NULL */
    char type[64];     /* model_type; "" if there is none */
    const struct model_family *family; /* of that type; one that assumes nothing if unknown */
    const struct model_family *outer;  /* of the whole file's, which may be the same */
    json_t *assumed;                   /* the family's fields; owned */
    struct model_notes *notes;
};

/* Reads the file and finds these objects. ST_USAGE (logged) for a file that is no config.json or
 * a model that no kinds of layers describe; *out is closed in any case. */
enum status config_open(const char *path, struct model_notes *notes, struct model_config *out);
void config_close(struct model_config *config);

/* The value of a field, which may be "object.field"; NULL if it is absent or null, which are the
 * same except that a null is not assumed to be anything else. */
json_t *config_find(const struct model_config *config, const char *name);

/* The same of what the file itself says. */
json_t *config_said(const struct model_config *config, const char *name);

bool config_is(const struct model_config *config, const char *name, bool value);

/* Which of a config's layers a field is read for. */
struct layer_view {
    json_t *over; /* what the file says of this layer alone, or NULL */
    enum field_scope scope;
    int index, layers; /* of a list, with an entry for each layer, entry index is meant; layers 0:
                          no list will do */
};

/* The value of a field for a layer: that of this layer alone, of layers like it, of all, or
 * assumed; NULL if there is none. *name (or NULL) is the name it has. */
json_t *config_value(const struct model_config *config, const struct layer_view *view,
                     enum field_id field, const char **name);

/* A whole number; *out stays as it is where there is none. ST_USAGE (logged) for a value of another
 * type or out of the field's bounds. */
enum status config_int(const struct model_config *config, const struct layer_view *view,
                       enum field_id field, int *out);

/* For a field that must be there: it is not. */
enum status config_missing(const struct model_config *config, enum field_id field);

/* fail() for a field: "FILE: field 'WHERE.NAME' ...". */
enum status config_fail(const struct model_config *config, const char *field, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The number of entries a list has for this many layers: those, or those and the layers that
 * predict further tokens behind the last; ST_USAGE (logged). */
enum status config_length(const struct model_config *config, const char *name, const json_t *list,
                          int layers);

#endif

/* One way in which config.json files say which layers do what. */
#ifndef SPB_MODELS_LAYERS_DIALECT_H
#define SPB_MODELS_LAYERS_DIALECT_H

#include "models/config/config.h"
#include "models/layers/names.h"

struct dialect;

/* A field of a file, as a row reads it. */
struct reading {
    const struct model_config *config;
    const struct dialect *row;
    const char *field; /* the one of the row's fields that is there */
    json_t *value;     /* of the row's type */
};

enum { DIALECT_FIELDS = 6 };

struct dialect {
    const char *fields[DIALECT_FIELDS]; /* one of which is there: "name" or "object.name" */
    const char *also[DIALECT_FIELDS];   /* further ones that are read with it */
    const char *example, *maps;         /* a value and its meaning, for docs/models.md */
    json_type type;                     /* of the field's value */
    enum status (*read)(const struct reading *r, struct model_layer *layers, int n);
    enum layer_role zero, one;       /* roles that the field tells apart */
    const struct layer_names *names; /* by which it calls them */
    int first;                       /* number of the first layer in lists of layers */
    bool whole;                      /* the value has an entry or a letter for each layer */
};

#endif

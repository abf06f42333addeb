/* The names under which numbers stand in a config.json. */
#ifndef SPB_MODELS_CONFIG_FIELDS_H
#define SPB_MODELS_CONFIG_FIELDS_H

enum field_id {
    FIELD_HIDDEN,
    FIELD_LAYERS,
    FIELD_VOCAB,
    FIELD_INTERMEDIATE,
    FIELD_HEADS,
    FIELD_KV_HEADS,
    FIELD_HEADS_PER_KV,
    FIELD_GROUPS, /* KV heads of models that else have one */
    FIELD_HEAD_DIM,
    FIELD_V_HEAD_DIM,
    FIELD_KV_RANK,
    FIELD_NOPE_DIM,
    FIELD_ROPE_DIM,
    FIELD_WINDOW,
    FIELD_WINDOW_FROM,
    FIELD_CHUNK,
    FIELD_MTP_LAYERS,
    FIELD_ROTARY_DIM,
    FIELDS
};

/* Layers that may have names of their own for a field, which go before the others. */
enum field_scope { SCOPE_ANY, SCOPE_WINDOW, SCOPE_FULL };

enum { FIELD_NAMES = 10, FIELD_SCOPED = 4 };

struct model_field {
    const char *means;              /* for docs/models.md */
    const char *names[FIELD_NAMES]; /* the first that is there; errors name the first of all */
    const char *window_names[FIELD_SCOPED], *full_names[FIELD_SCOPED];
    int min, max;
};

extern const struct model_field model_fields[FIELDS];

#endif

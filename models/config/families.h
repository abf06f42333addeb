/* What the code of a model takes for granted where its config.json is silent: a row a family. */
#ifndef SPB_MODELS_CONFIG_FAMILIES_H
#define SPB_MODELS_CONFIG_FAMILIES_H

enum family_flags {
    FAMILY_BIDIRECTIONAL = 1,   /* queries see keys behind them, too */
    FAMILY_NO_ROPE = 2,         /* positions are learned, added to logits, or not told at all */
    FAMILY_ROPE_IN_WINDOWS = 4, /* where some layers have a window, the others are not rotated */
    FAMILY_WINDOWS_ALL = 8,     /* use_sliding_window is meant for all layers */
    FAMILY_WINDOWS_EVEN = 16,   /* ... for layers 0, 2, ... below max_window_layers */
    FAMILY_WIDE_HEADS = 32,     /* heads share out twice the hidden size */
    FAMILY_V_OF_HIDDEN = 64,    /* latent attention whose V are hidden size / heads wide */
    FAMILY_TWO_A_BLOCK = 128,   /* a block, of which the file says the number, has two attentions */
};

struct model_family {
    const char *types;   /* model_type, several separated by spaces */
    const char *assumed; /* fields as JSON, or NULL */
    const char *sizes;   /* fields as JSON that only a config inside another leaves out, or NULL */
    const char *layers; /* letters of layer_letters, again from the start where they end, or NULL */
    unsigned flags;
    const char *refused; /* why no kinds of layers describe it, or NULL */
    const char *note;    /* what the kinds do not tell, or NULL */
};

/* The last row has no types. */
extern const struct model_family model_families[];

/* The row of a model_type; one that assumes nothing if there is none. */
const struct model_family *family_find(const char *type);

#endif

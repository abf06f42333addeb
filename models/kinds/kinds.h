/* Models as kinds of layers, and how many of each. */
#ifndef SPB_MODELS_KINDS_KINDS_H
#define SPB_MODELS_KINDS_KINDS_H

#include <stdbool.h>

enum layer_sort {
    LAYER_SOFTMAX, /* attention with a softmax over keys */
    LAYER_LINEAR,  /* linear attention, a state space or a short convolution: linear in tokens */
    LAYER_NONE,    /* no layer's tokens meet here: an MLP, a layer left out, attention to images */
};

/* Layers that are alike. What softmax attention alone has is 0 and "" in the others. */
struct layer_kind {
    int count; /* of such layers */
    enum layer_sort sort;
    int heads, kv_heads; /* kv_heads divides heads */
    int head_dim;        /* width of Q and K */
    int v_head_dim;      /* width of V */
    int rotary_dim;      /* of head_dim, what is rotated by position; 0: positions come otherwise */
    char mask[24]; /* as --mask has it: full, causal, window:N; and chunk:N, causal in chunks */
};

struct model {
    char name[64];     /* of the file, or of its directory for DIR/config.json; may be cut */
    char type[64];     /* model_type; "" if there is none */
    int hidden;        /* width of the residual stream */
    int layers;        /* the kinds' counts add up to it */
    int vocab;         /* 0: the file does not say */
    int intermediate;  /* width of the MLP; 0: the file does not say, or not one for all layers */
    bool tied;         /* tie_word_embeddings; absent: false */
    double rope_theta; /* base of the rotary frequencies; of several, that of unmasked layers */
    struct layer_kind *kinds; /* in the order in which they first come */
    int n_kinds;
    char **notes; /* what was not understood, or understood and is not in the kinds: a line each */
    int n_notes;
};

#endif

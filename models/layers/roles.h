/* What a layer of a model does. */
#ifndef SPB_MODELS_LAYERS_ROLES_H
#define SPB_MODELS_LAYERS_ROLES_H

#include <jansson.h>
#include <stdbool.h>

enum layer_role {
    ROLE_FULL,    /* softmax attention to all keys that the model lets a query see */
    ROLE_SELECT,  /* to some of them, which a query picks */
    ROLE_WINDOW,  /* to those of a window */
    ROLE_CHUNK,   /* to those of its chunk */
    ROLE_LINEAR,  /* linear attention, state space, convolution */
    ROLE_NONE,    /* no tokens meet */
    ROLE_CROSS,   /* attention to something else than the sequence */
    ROLE_UNKNOWN, /* the file names a kind of layer that is not known */
};

struct model_layer {
    enum layer_role role;
    bool branches;    /* beside its attention there is a branch that is linear in tokens */
    const char *name; /* as the file has it, or NULL */
    int name_length;
    json_t *over; /* what the file says of this layer alone, or NULL */
    int window;   /* of ROLE_WINDOW, where a layer has its own; 0: the model's */
};

#endif

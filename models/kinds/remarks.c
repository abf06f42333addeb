#include "models/kinds/remarks.h"

#include "models/config/families.h"

void remark_layers(const struct model_config *c, const struct model_layer *layers, int n) {
    int selecting = 0, branching = 0, cross = 0;
    for (int i = 0; i < n; i++) {
        selecting += layers[i].role == ROLE_SELECT;
        branching += layers[i].branches;
        cross += layers[i].role == ROLE_CROSS;
        if (layers[i].role == ROLE_UNKNOWN)
            note_add(c->notes,
                     "layer type '%.*s' is not understood: its layers are counted as none",
                     layers[i].name_length, layers[i].name);
    }
    if (selecting)
        note_add(
            c->notes,
            "in %d layers each query picks its keys (sparse attention): they are counted as if "
            "it saw all",
            selecting);
    if (branching)
        note_add(c->notes,
                 "beside their attention %d layers have a state space or convolution, which is not "
                 "listed",
                 branching);
    if (cross)
        note_add(c->notes,
                 "%d layers attend to an image, not to the text: they are counted as none", cross);
    if (c->family->note)
        note_add(c->notes, "%s", c->family->note);
    if (c->outer->note)
        note_add(c->notes, "%s", c->outer->note);
}

void remark_shared(const struct model_config *c) {
    static const char *const names[] = {"num_kv_shared_layers", "num_kv_reuse_layers", "use_cla",
                                        "kv_reuse_group", "kv_reuse_every_i_layer"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const json_t *value = config_find(c, names[i]);
        if (json_is_true(value) || json_integer_value(value) > 0 || json_array_size(value) > 0)
            note_add(c->notes,
                     "field '%s%s': layers that reuse the K and V of others are counted as if they "
                     "had their own",
                     c->where, names[i]);
    }
}

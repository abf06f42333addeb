#include "models/model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/config/notes.h"
#include "models/kinds/read.h"

static enum status unknown_model(const char *name, const char *data_dir) {
    char names[1024];
    model_names(data_dir, names, sizeof names);
    return fail(ST_USAGE, "unknown model '%s': say %s, or the path of a config.json", name,
                names[0] ? names : "(no models are installed)");
}

/* Length of name without ".json", 0 if it does not end so. */
static size_t stem_length(const char *name) {
    const size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".json") == 0 ? len - 5 : 0;
}

/* The stem of the file, or its directory's name for DIR/config.json, as models are published. */
static void name_of(const char *path, char *buf, size_t size) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t len = stem_length(base);
    if (strcmp(base, "config.json") == 0 && base - path > 1) {
        const char *const end = base - 1;
        for (base = end; base > path && base[-1] != '/';)
            base--;
        len = (size_t)(end - base);
    }
    if (len == 0)
        len = strlen(base);
    snprintf(buf, size, "%.*s", (int)len, base);
}

enum status model_open(const char *name_or_path, const char *data_dir, struct model *out) {
    const bool is_path = strchr(name_or_path, '/') || stem_length(name_or_path);
    char path[4096];
    const int n = is_path
                      ? snprintf(path, sizeof path, "%s", name_or_path)
                      : snprintf(path, sizeof path, "%s/models/%s.json", data_dir, name_or_path);
    if (n < 0 || (size_t)n >= sizeof path)
        return fail(ST_USAGE, "the path of model '%.40s...' is too long", name_or_path);
    struct stat file;
    if (!is_path && stat(path, &file))
        return unknown_model(name_or_path, data_dir);
    struct model model = {0};
    name_of(path, model.name, sizeof model.name);
    const enum status st = model_read(path, &model);
    if (st)
        model_close(&model);
    else
        *out = model;
    return st;
}

void model_close(struct model *model) {
    notes_free(model->notes, model->n_notes);
    free(model->kinds);
    *model = (struct model){0};
}

/* Why a model has no single kind of layer for those who measure one; NULL if it has. */
static const char *why_not_one(const struct model *m) {
    const struct layer_kind *kind = m->kinds;
    if (m->n_kinds > 1)
        return "has layers of several kinds";
    if (kind->sort != LAYER_SOFTMAX)
        return "has no softmax attention";
    return kind->v_head_dim == kind->head_dim ? NULL : "has V of another width than Q and K";
}

static void shape_of(const struct model *m, struct model_shape *out) {
    const struct layer_kind *kind = m->kinds;
    *out = (struct model_shape){
        .hidden = m->hidden,
        .layers = m->layers,
        .heads = kind->heads,
        .kv_heads = kind->kv_heads,
        .head_dim = kind->head_dim,
        .intermediate = m->intermediate,
        .vocab = m->vocab,
        .tied = m->tied,
        .rope_theta = m->rope_theta,
    };
    snprintf(out->name, sizeof out->name, "%s", m->name);
    snprintf(out->mask, sizeof out->mask, "%s", kind->mask);
}

enum status model_load(const char *name_or_path, const char *data_dir, struct model_shape *out) {
    struct model model;
    enum status st = model_open(name_or_path, data_dir, &model);
    if (st)
        return st;
    const char *why = why_not_one(&model);
    if (why)
        st = fail(ST_USAGE,
                  "model %s %s (spbench info --model lists them), which cannot be measured as one "
                  "yet: give the shape of one with --heads, --kv-heads, --head-dim and --mask in "
                  "place of --model",
                  model.name, why);
    else
        shape_of(&model, out);
    model_close(&model);
    return st;
}

static int is_model(const struct dirent *entry) {
    return entry->d_name[0] != '.' && stem_length(entry->d_name) > 0;
}

void model_names(const char *data_dir, char *buf, size_t size) {
    char dir[4096];
    struct dirent **entries = NULL;
    buf[0] = '\0';
    if ((size_t)snprintf(dir, sizeof dir, "%s/models", data_dir) >= sizeof dir)
        return;
    const int n = scandir(dir, &entries, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%.*s", used ? ", " : "",
                 (int)stem_length(entries[i]->d_name), entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

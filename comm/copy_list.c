#include "comm/copy_list.h"

#include <stdlib.h>

#include "comm/strided.h"

/* Where the walk through a block's bytes stands. A block in one piece is walked as one row. */
struct walk {
    char *data;
    size_t row_bytes, stride, at;
};

static struct walk walk_begin(const struct block *b) {
    const bool whole = block_contiguous(b);
    return (struct walk){block_data(b), whole ? block_bytes(b) : b->row_bytes, b->stride, 0};
}

static size_t walk_left(const struct walk *w) {
    return w->row_bytes - w->at;
}

static char *walk_move(struct walk *w, size_t bytes) {
    char *const was = w->data + w->at;
    w->at += bytes;
    if (w->at == w->row_bytes) {
        w->data += w->stride;
        w->at = 0;
    }
    return was;
}

/* Whether the piece continues the last rectangle; its second row decides the strides. */
static bool extend(struct copy_list *list, char *to, const char *from, size_t bytes) {
    struct rectangle *r = list->n > 0 ? &list->rectangles[list->n - 1] : NULL;
    if (!r || r->row_bytes != bytes)
        return false;
    if (r->rows == 1 && to > r->to && from > r->from) {
        r->to_stride = (size_t)(to - r->to);
        r->from_stride = (size_t)(from - r->from);
    }
    if (to != r->to + r->rows * r->to_stride || from != r->from + r->rows * r->from_stride)
        return false;
    r->rows++;
    return true;
}

static enum status append(struct copy_list *list, struct rectangle piece) {
    if (list->n == list->capacity) {
        const size_t more = list->capacity ? 2 * list->capacity : 4;
        struct rectangle *grown = realloc(list->rectangles, more * sizeof *grown);
        if (!grown)
            return fail(ST_ENV, "out of memory for the %zu pieces of an exchange", more);
        list->rectangles = grown;
        list->capacity = more;
    }
    list->rectangles[list->n++] = piece;
    return ST_OK;
}

enum status copy_list_add(struct copy_list *list, const struct block *dst,
                          const struct block *src) {
    struct walk to = walk_begin(dst), from = walk_begin(src);
    for (size_t left = block_bytes(src); left > 0;) {
        const size_t room = walk_left(&to), have = walk_left(&from);
        const size_t bytes = room < have ? room : have;
        char *const t = walk_move(&to, bytes);
        const char *const f = walk_move(&from, bytes);
        if (!extend(list, t, f, bytes)) {
            const enum status st = append(list, (struct rectangle){t, f, bytes, bytes, bytes, 1});
            if (st != ST_OK)
                return st;
        }
        left -= bytes;
    }
    return ST_OK;
}

void copy_list_free(struct copy_list *list) {
    free(list->rectangles);
    *list = (struct copy_list){0};
}

void copy_list_rewind(struct copy_list *list) {
    list->rectangle = list->row = list->at = 0;
}

bool copy_list_step(struct copy_list *list, copy_rows_fn *copy, size_t *budget) {
    while (list->rectangle<list->n && * budget> 0) {
        const struct rectangle *r = &list->rectangles[list->rectangle];
        char *to = r->to + list->row * r->to_stride + list->at;
        const char *from = r->from + list->row * r->from_stride + list->at;
        size_t bytes = r->row_bytes - list->at, rows = 1;
        if (list->at == 0 && bytes <= *budget) {
            const size_t left = r->rows - list->row;
            rows = bytes * left <= *budget ? left : *budget / bytes;
        } else if (bytes > *budget) {
            bytes = *budget;
        }
        copy(to, r->to_stride, from, r->from_stride, bytes, rows);
        *budget -= bytes * rows;
        list->at += bytes;
        if (list->at == r->row_bytes) {
            list->at = 0;
            list->row += rows;
        }
        if (list->row == r->rows) {
            list->row = 0;
            list->rectangle++;
        }
    }
    return list->rectangle == list->n;
}

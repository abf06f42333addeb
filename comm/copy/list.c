#include "comm/copy/list.h"

#include <stdlib.h>

#include "comm/plan/block.h"

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
            const enum status st =
                append(list, (struct rectangle){t, f, bytes, bytes, bytes, 1, 1});
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

static int by_source(const void *a, const void *b) {
    const struct rectangle *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void copy_list_weave(struct copy_list *list) {
    /* A step copies whole rows of a weave, so they must not be long. */
    enum { LONGEST = 64 << 10 };
    struct rectangle *r = list->rectangles;
    if (list->n == 0)
        return;
    qsort(r, list->n, sizeof *r, by_source);
    for (size_t i = 0; i < list->n; i += r[i].woven) {
        size_t bytes = r[i].row_bytes, k = i + 1;
        while (k < list->n && r[k].rows == r[i].rows && r[k].from_stride == r[i].from_stride &&
               (size_t)(r[k].from - r[i].from) < r[i].from_stride &&
               bytes + r[k].row_bytes <= LONGEST)
            bytes += r[k++].row_bytes;
        r[i].woven = k - i;
    }
}

/* Part of a row too long for the budget; returns its length. */
static size_t copy_part(const struct rectangle *r, size_t row, size_t at, copy_rows_fn *copy,
                        size_t most) {
    const size_t left = r->row_bytes - at, bytes = left < most ? left : most;
    const struct rectangle part = {.to = r->to + row * r->to_stride + at,
                                   .from = r->from + row * r->from_stride + at,
                                   .row_bytes = bytes,
                                   .rows = 1};
    copy(&part, 1, 0, 1);
    return bytes;
}

/* As many whole rows as the budget allows, one at least; returns their number. */
static size_t copy_whole(const struct rectangle *r, size_t row, size_t row_bytes,
                         copy_rows_fn *copy, size_t most) {
    const size_t left = r->rows - row, fit = most / row_bytes;
    const size_t rows = fit >= left ? left : fit > 0 ? fit : 1;
    copy(r, r->woven, row, rows);
    return rows;
}

bool copy_list_step(struct copy_list *list, copy_rows_fn *copy, size_t *budget) {
    while (list->rectangle<list->n && * budget> 0) {
        const struct rectangle *r = &list->rectangles[list->rectangle];
        size_t row_bytes = 0, copied;
        for (size_t i = 0; i < r->woven; i++)
            row_bytes += r[i].row_bytes;
        if (r->woven == 1 && (list->at > 0 || row_bytes > *budget)) {
            copied = copy_part(r, list->row, list->at, copy, *budget);
            list->at = list->at + copied == row_bytes ? 0 : list->at + copied;
            list->row += list->at == 0;
        } else {
            const size_t rows = copy_whole(r, list->row, row_bytes, copy, *budget);
            copied = rows * row_bytes;
            list->row += rows;
        }
        *budget -= copied < *budget ? copied : *budget;
        if (list->row == r->rows) {
            list->row = 0;
            list->rectangle += r->woven;
        }
    }
    return list->rectangle == list->n;
}

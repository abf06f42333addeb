#include "attn/problem/layout.h"

#include <stdio.h>
#include <string.h>

static void run(int32_t *pos, int32_t n, int32_t first, int32_t step) {
    for (int32_t i = 0; i < n; i++)
        pos[i] = first + i * step;
}

static void contiguous(int32_t seq, int sp_size, int rank, int32_t *pos) {
    const int32_t n = seq / sp_size;
    run(pos, n, rank * n, 1);
}

static void zigzag(int32_t seq, int sp_size, int rank, int32_t *pos) {
    const int32_t chunk = seq / (2 * sp_size);
    run(pos, chunk, rank * chunk, 1);
    run(pos + chunk, chunk, (2 * sp_size - 1 - rank) * chunk, 1);
}

static void striped(int32_t seq, int sp_size, int rank, int32_t *pos) {
    run(pos, seq / sp_size, rank, sp_size);
}

static const struct {
    const char *name, *help;
    int chunks; /* per rank: the sequence divides by chunks * sp_size */
    void (*positions)(int32_t seq, int sp_size, int rank, int32_t *pos);
} rows[LAYOUTS] = {
    [LAYOUT_CONTIGUOUS] = {"contiguous", "rank r holds the r-th piece", 1, contiguous},
    [LAYOUT_ZIGZAG] = {"zigzag", "rank r holds chunks r and 2P-1-r: balances a causal mask", 2,
                       zigzag},
    [LAYOUT_STRIPED] = {"striped", "rank r holds tokens r, r+P, r+2P, ...", 1, striped},
};

const char *layout_name(enum layout layout) {
    return rows[layout].name;
}

const char *layout_help(enum layout layout) {
    return rows[layout].help;
}

bool layout_divides(enum layout layout, int32_t seq, int sp_size, char *why, size_t why_size) {
    const long parts = (long)rows[layout].chunks * sp_size;
    const long below = seq / parts * parts;
    if (below == seq && seq > 0)
        return true;
    char lower[32] = "";
    if (below > 0)
        snprintf(lower, sizeof lower, "%ld or ", below);
    snprintf(why, why_size,
             "layout %s needs a sequence divisible by %ld (%d x %d ranks), not %ld; use %s%ld, "
             "or --pad",
             rows[layout].name, parts, rows[layout].chunks, sp_size, (long)seq, lower,
             below + parts);
    return false;
}

int64_t layout_padded(enum layout layout, int32_t seq, int sp_size) {
    const int64_t parts = (int64_t)rows[layout].chunks * sp_size;
    return (seq + parts - 1) / parts * parts;
}

void layout_positions(enum layout layout, int32_t seq, int sp_size, int rank, int32_t *pos) {
    rows[layout].positions(seq, sp_size, rank, pos);
}

/* A document's 2P chunks are `least` tokens long, the first `longer` ranks from `turn` on (counted
 * round) have one more in their first chunk, and what then is over goes to second chunks. */
struct document {
    int32_t least, longer;
    int turn;
};

static int32_t chunk_tokens(const struct document *d, int sp_size, int chunk) {
    const bool second = chunk >= sp_size;
    const int rank = second ? 2 * sp_size - 1 - chunk : chunk;
    const int place = (rank - d->turn + sp_size) % sp_size + (second ? sp_size : 0);
    return d->least + (place < d->longer ? 1 : 0);
}

/* A rank's two chunks of the document that begins at first; returns how many tokens they have. */
static int32_t add_chunks(const struct document *d, int32_t first, int sp_size, int rank,
                          int32_t *pos) {
    int32_t n = 0;
    for (int chunk = 0; chunk < 2 * sp_size; chunk++) {
        const int32_t tokens = chunk_tokens(d, sp_size, chunk);
        if (chunk == rank || chunk == 2 * sp_size - 1 - rank) {
            run(pos + n, tokens, first, 1);
            n += tokens;
        }
        first += tokens;
    }
    return n;
}

void layout_zigzag_documents(const int32_t *docs, int n, int32_t seq, int sp_size, int rank,
                             int32_t *pos) {
    int turn = 0;
    for (int i = 0; i <= n; i++) {
        const int32_t length = (i < n ? docs[i + 1] : seq) - docs[i];
        const struct document d = {length / (2 * sp_size), length % (2 * sp_size), turn};
        pos += add_chunks(&d, docs[i], sp_size, rank, pos);
        turn = (turn + d.longer) % sp_size;
    }
}

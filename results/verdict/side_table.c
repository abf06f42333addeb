#include "results/verdict/side_table.h"

#include "results/record/record.h"
#include "results/text/format.h"
#include "results/text/table.h"

#include <math.h>
#include <string.h>

static void time_text(const struct side_pair *pair, int side, char out[CELL_ROOM]) {
    const struct summary *time = &pair->time[side];
    char median[FORMAT_ROOM], half[FORMAT_ROOM] = "?";
    snprintf(out, CELL_ROOM, "-");
    if (!pair->record[side])
        return;
    if (time->has_ci95)
        format_percent(half, stats_ci_halfwidth_rel(time));
    snprintf(out, CELL_ROOM, "%s ±%s", format_seconds(median, time->median), half);
}

static void rate_text(const struct side_pair *pair, int side, char out[CELL_ROOM]) {
    double rate;
    char number[FORMAT_ROOM] = "-";
    if (record_num(pair->record[side], "metrics", "tokens_per_s", &rate))
        format_number(number, rate);
    snprintf(out, CELL_ROOM, "%s", number);
}

static void times_text(double factor, char out[CELL_ROOM]) {
    if (factor > 0.0)
        snprintf(out, CELL_ROOM, "%.2fx", factor);
    else
        snprintf(out, CELL_ROOM, "-");
}

/* Whether a speed-up rests on fewer samples than a confidence interval takes. */
static bool is_doubtful(const struct side_pair *pair, int side) {
    struct summary base;
    return pair->base && pair->record[side] &&
           !(pair->time[side].has_ci95 && record_time_read(pair->base, &base) && base.has_ci95);
}

/* "1.85x", or "1.85x?". */
static void speedup_text(const struct side_pair *pair, int side, char out[CELL_ROOM]) {
    times_text(pair->base ? side_rate(pair->record[side]) / side_rate(pair->base) : 0.0, out);
    if (*out != '-' && is_doubtful(pair, side))
        strcat(out, "?");
}

/* The fastest variants are shown: which they are. Only Ulysses has Q, K and V to fuse. */
static void layouts_text(const struct side_pair *pair, const bool shown[SIDES],
                         char out[CELL_ROOM]) {
    size_t used = 0;
    out[0] = '\0';
    for (int side = 0; side < SIDES; side++) {
        if (!shown[side])
            continue;
        const char *layout = record_str(pair->record[side], "params", "layout");
        const char *fuse =
            side == SIDE_ULYSSES ? record_str(pair->record[side], "params", "fuse_qkv") : NULL;
        used += (size_t)snprintf(out + used, CELL_ROOM - used, "%s%.60s%s", used ? " | " : "",
                                 layout ? layout : "-",
                                 fuse && strcmp(fuse, "off") == 0 ? ", q,k,v apart" : "");
    }
}

/* Where ranks had other numbers of threads than the base's, once each. */
static void say_threads(const struct side_pair *pairs, size_t n, FILE *out) {
    double said_sp = 0.0, said_base = 0.0, said = 0.0;
    for (size_t i = 0; i < n * SIDES; i++) {
        const struct side_pair *pair = &pairs[i / SIDES];
        double base, threads;
        if (!record_num(pair->base, "params", "threads", &base) ||
            !record_num(pair->record[i % SIDES], "params", "threads", &threads) ||
            fabs(base - threads) < 0.5 ||
            (fabs(said_sp - pair->sp) < 0.5 && fabs(said_base - base) < 0.5 &&
             fabs(said - threads) < 0.5))
            continue;
        fprintf(out,
                "sp 1 ran with %.0f thread%s a rank, sp %.0f with %.0f: that speed-up compares "
                "ranks, not cores.\n",
                base, base > 1.0 ? "s" : "", pair->sp, threads);
        said_sp = pair->sp;
        said_base = base;
        said = threads;
    }
}

static void say_doubts(const struct side_pair *pairs, size_t n, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < n * SIDES; i++)
        any = any || is_doubtful(&pairs[i / SIDES], (int)(i % SIDES));
    if (any)
        fprintf(out,
                "?: one of the two rates rests on fewer than %d samples, too few for a confidence "
                "interval.\n",
                STATS_CI_SAMPLES);
}

enum { U = 1 << SIDE_ULYSSES, R = 1 << SIDE_RING };

/* With the sides that a column speaks of. */
static const struct {
    struct text_column column;
    int sides;
} all_columns[] = {
    {{"sp", 3, false}, 0},
    {{"seq", 8, false}, 0},
    {{"Ulysses", 16, false}, U},
    {{"Ring", 16, false}, R},
    {{"Ring/Ulysses", 12, false}, U | R},
    {{"Ulysses tok/s", 13, false}, U},
    {{"Ring tok/s", 10, false}, R},
    {{"Ulysses/sp 1", 12, false}, U},
    {{"Ring/sp 1", 9, false}, R},
    {{"faster", 22, true}, U | R},
    {{"layouts", 20, true}, 0},
};

enum { COLUMNS = sizeof all_columns / sizeof all_columns[0] };

static void fill_row(const struct side_pair *pair, const bool shown[SIDES],
                     char cells[COLUMNS][CELL_ROOM]) {
    static const char *const results[] = {
        [SIDE_UNKNOWN] = "? (too few samples)",
        [SIDE_UNSTEADY] = "? (machine unsteady)",
        [SIDE_EQUAL] = "no difference measured",
        [SIDE_FASTER_ULYSSES] = "Ulysses",
        [SIDE_FASTER_RING] = "Ring",
    };
    const bool both = pair->record[SIDE_ULYSSES] && pair->record[SIDE_RING];
    snprintf(cells[0], CELL_ROOM, "%.0f", pair->sp);
    snprintf(cells[1], CELL_ROOM, "%.0f", pair->seq);
    time_text(pair, SIDE_ULYSSES, cells[2]);
    time_text(pair, SIDE_RING, cells[3]);
    times_text(both ? pair->time[SIDE_RING].median / pair->time[SIDE_ULYSSES].median : 0.0,
               cells[4]);
    rate_text(pair, SIDE_ULYSSES, cells[5]);
    rate_text(pair, SIDE_RING, cells[6]);
    speedup_text(pair, SIDE_ULYSSES, cells[7]);
    speedup_text(pair, SIDE_RING, cells[8]);
    snprintf(cells[9], CELL_ROOM, "%s", both ? results[side_compare(pair)] : "-");
    layouts_text(pair, shown, cells[10]);
}

void side_table(const struct side_pair *pairs, size_t n, bool markdown, FILE *out) {
    struct text_column columns[COLUMNS];
    size_t which[COLUMNS], used = 0;
    const bool shown[SIDES] = {side_measured(pairs, n, SIDE_ULYSSES),
                               side_measured(pairs, n, SIDE_RING)};
    const int missing = (shown[SIDE_ULYSSES] ? 0 : U) | (shown[SIDE_RING] ? 0 : R);
    for (size_t c = 0; c < COLUMNS; c++)
        if (!(all_columns[c].sides & missing)) {
            which[used] = c;
            columns[used++] = all_columns[c].column;
        }
    const struct text_table table = {out, markdown, columns, used};
    text_table_header(&table);
    for (size_t i = 0; i < n; i++) {
        char cells[COLUMNS][CELL_ROOM];
        fill_row(&pairs[i], shown, cells);
        for (size_t c = 0; c < used; c++)
            text_table_cell(&table, c, cells[which[c]]);
    }
    fputc('\n', out);
    say_doubts(pairs, n, out);
    say_threads(pairs, n, out);
}

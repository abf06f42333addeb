#include "results/verdict/verdict.h"

#include "results/record/record.h"
#include "results/text/format.h"
#include "results/verdict/phase_class.h"

#include <math.h>
#include <string.h>

static const char *const names[SIDES] = {"Ulysses", "Ring"};

/* What can bound a method, and which classes of phases are that. */
enum bound {
    BOUND_COMPUTE,
    BOUND_ALLTOALL,
    BOUND_HOPS,
    BOUND_GATHER,
    BOUND_MEMORY,
    BOUND_PARAMETERS,
    BOUNDS
};

static const char *const bound_names[BOUNDS] = {
    [BOUND_COMPUTE] = "compute",
    [BOUND_ALLTOALL] = "the all-to-all",
    [BOUND_HOPS] = "the ring's hops",
    [BOUND_GATHER] = "the gathers of K/V",
    [BOUND_MEMORY] = "memory traffic (packing, RoPE, merges)",
    [BOUND_PARAMETERS] = "parameter traffic",
};

static const enum bound bound_of[PHASE_CLASSES] = {
    [CLASS_ATTENTION] = BOUND_COMPUTE,
    [CLASS_PROJECTIONS] = BOUND_COMPUTE,
    [CLASS_ELEMENTWISE] = BOUND_MEMORY,
    [CLASS_PACKING] = BOUND_MEMORY,
    [CLASS_ALLTOALL] = BOUND_ALLTOALL,
    [CLASS_HOPS] = BOUND_HOPS,
    [CLASS_GATHER] = BOUND_GATHER,
    [CLASS_PARAMETERS] = BOUND_PARAMETERS,
    [CLASS_OTHER] = BOUNDS, /* bounds nothing by name */
};

/* "bound by compute (83% of its time, 12% the all-to-all)" */
static bool say_phases(const json_t *record, FILE *out) {
    double seconds[PHASE_CLASSES], share[BOUNDS + 1] = {0}, all = 0.0;
    if (!phase_class_times(record, seconds))
        return false;
    for (int c = 0; c < PHASE_CLASSES; c++) {
        share[bound_of[c]] += seconds[c];
        all += seconds[c];
    }
    int first = 0, second = -1;
    for (int b = 1; b <= BOUNDS; b++)
        first = share[b] > share[first] ? b : first;
    for (int b = 0; b < BOUNDS; b++)
        if (b != first && share[b] > 0.01 * all && (second < 0 || share[b] > share[second]))
            second = b;
    if (first == BOUNDS)
        fprintf(out, "has no named phase that bounds it (%.0f%% of its time is in none",
                100.0 * share[first] / all);
    else
        fprintf(out, "is bound by %s (%.0f%% of its time", bound_names[first],
                100.0 * share[first] / all);
    if (second >= 0)
        fprintf(out, ", %.0f%% is %s", 100.0 * share[second] / all, bound_names[second]);
    fputc(')', out);
    return true;
}

/* Without phases, exposed communication tells compute from the exchange. */
static void say_bound(const struct side_pair *pair, int side, FILE *out) {
    const json_t *record = pair->record[side];
    double exposed, balance;
    const bool has_exposed = record_num(record, "metrics", "exposed_comm_s", &exposed);
    const double share = has_exposed ? exposed / pair->time[side].median : 0.0;
    fprintf(out, "%s ", names[side]);
    const bool said = say_phases(record, out);
    if (!said && has_exposed)
        fprintf(out, "is bound by %s",
                share < 0.5            ? bound_names[BOUND_COMPUTE]
                : side == SIDE_ULYSSES ? bound_names[BOUND_ALLTOALL]
                                       : bound_names[BOUND_HOPS]);
    else if (!said)
        fputs("has no phases recorded that say what bounds it", out);
    if (has_exposed)
        fprintf(out, ", exposed communication %.0f%%", 100.0 * share);
    if (record_num(record, "metrics", "balance", &balance) && balance < 0.95)
        fprintf(out, ", work is uneven (balance %.2f)", balance);
}

static void say_memory(const struct side_pair *pair, FILE *out) {
    double peak[SIDES];
    char less_text[FORMAT_ROOM], more_text[FORMAT_ROOM];
    for (int side = 0; side < SIDES; side++)
        if (!record_num(pair->record[side], "metrics", "peak_mem_bytes", &peak[side]) ||
            peak[side] <= 0.0)
            return;
    const int less = peak[SIDE_RING] < peak[SIDE_ULYSSES] ? SIDE_RING : SIDE_ULYSSES;
    if (peak[less] > 0.95 * peak[!less])
        return;
    fprintf(out, " %s needs less memory: %s a rank, %s %s.", names[less],
            format_size(less_text, peak[less]), names[!less], format_size(more_text, peak[!less]));
}

static bool both(const struct side_pair *pair) {
    return pair->record[SIDE_ULYSSES] && pair->record[SIDE_RING];
}

/* How many times as fast the faster one is. */
static double factor(const struct side_pair *pair) {
    const double ratio = pair->time[SIDE_RING].median / pair->time[SIDE_ULYSSES].median;
    return ratio > 1.0 ? ratio : 1.0 / ratio;
}

static void say_pair(const struct side_pair *pair, FILE *out) {
    const enum side_result result = side_compare(pair);
    fprintf(out, "sp %.0f, seq %.0f: ", pair->sp, pair->seq);
    const int faster =
        pair->time[SIDE_ULYSSES].median < pair->time[SIDE_RING].median ? SIDE_ULYSSES : SIDE_RING;
    if (result == SIDE_UNKNOWN)
        fprintf(out,
                "%s was %.2f times as fast, which %zu and %zu samples do not prove (%d of each are "
                "needed: give more --max-time); ",
                names[faster], factor(pair), pair->time[SIDE_ULYSSES].n, pair->time[SIDE_RING].n,
                STATS_CI_SAMPLES);
    else if (result == SIDE_UNSTEADY)
        fprintf(
            out,
            "%s was %.2f times as fast, but the machine was not the same for both: a matrix "
            "product ran %.2f times as fast beside one as beside the other (other load? measure "
            "again); ",
            names[faster], factor(pair), side_pace(pair));
    else if (result == SIDE_EQUAL)
        fputs("no difference measured (the confidence intervals overlap); ", out);
    else
        fprintf(out, "%s is %.2f times as fast as %s; ", names[faster], factor(pair),
                names[!faster]);
    say_bound(pair, SIDE_ULYSSES, out);
    fputs("; ", out);
    say_bound(pair, SIDE_RING, out);
    fputc('.', out);
    say_memory(pair, out);
    fputc('\n', out);
}

/* Where the line between two measured points, straight in log(seq) and log(time ratio), crosses
 * ratio 1. */
static double crossing(const struct side_pair *a, const struct side_pair *b) {
    const double ya = log(a->time[SIDE_RING].median / a->time[SIDE_ULYSSES].median);
    const double yb = log(b->time[SIDE_RING].median / b->time[SIDE_ULYSSES].median);
    return exp(log(a->seq) + (log(b->seq) - log(a->seq)) * ya / (ya - yb));
}

/* Crossovers among pairs of one series, between neighbours that both show a difference. */
static void say_crossovers(const struct side_pair *pairs, size_t n, const char *bullet, FILE *out) {
    const struct side_pair *last = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct side_pair *pair = &pairs[i];
        if (last && (last->sp < pair->sp || last->sp > pair->sp))
            last = NULL;
        if (!both(pair) || side_compare(pair) < SIDE_FASTER_ULYSSES)
            continue;
        if (last && side_compare(last) != side_compare(pair))
            fprintf(
                out,
                "%sCrossover at sp %.0f: %s becomes the faster one between %.0f and %.0f tokens "
                "(interpolated: about %.0f).\n",
                bullet, pair->sp,
                names[side_compare(pair) == SIDE_FASTER_ULYSSES ? SIDE_ULYSSES : SIDE_RING],
                last->seq, pair->seq, crossing(last, pair));
        last = pair;
    }
}

static void say_overall(const struct side_pair *pairs, size_t n, const char *bullet, FILE *out) {
    size_t count[SIDE_RESULTS] = {0}, all = 0;
    double low[SIDE_RESULTS], high[SIDE_RESULTS] = {0};
    for (int r = 0; r < SIDE_RESULTS; r++)
        low[r] = INFINITY;
    bool measured[SIDES] = {false};
    for (size_t i = 0; i < n; i++) {
        for (int side = 0; side < SIDES; side++)
            measured[side] |= pairs[i].record[side] != NULL;
        if (!both(&pairs[i]))
            continue;
        const enum side_result result = side_compare(&pairs[i]);
        low[result] = fmin(low[result], factor(&pairs[i]));
        high[result] = fmax(high[result], factor(&pairs[i]));
        count[result]++;
        all++;
    }
    if (all == 0 && measured[SIDE_ULYSSES] && measured[SIDE_RING])
        fprintf(out, "%sVerdict: none; no case was measured with both methods.\n", bullet);
    if (all == 0)
        return;
    fprintf(out, "%sVerdict: of %zu case%s", bullet, all, all == 1 ? "" : "s");
    const char *separator = ", ";
    for (int side = 0; side < SIDES; side++) {
        const size_t result = side == SIDE_ULYSSES ? SIDE_FASTER_ULYSSES : SIDE_FASTER_RING;
        if (count[result] == 0)
            continue;
        fprintf(out, "%s%s is faster in %zu", separator, names[side], count[result]);
        if (high[result] > low[result] * 1.005)
            fprintf(out, " (%.2f to %.2f times as fast)", low[result], high[result]);
        else
            fprintf(out, " (%.2f times as fast)", low[result]);
    }
    if (count[SIDE_EQUAL])
        fprintf(out, "%sno difference was measured in %zu", separator, count[SIDE_EQUAL]);
    if (count[SIDE_UNKNOWN])
        fprintf(out, "%s%zu had too few samples", separator, count[SIDE_UNKNOWN]);
    if (count[SIDE_UNSTEADY])
        fprintf(out, "%sin %zu the machine was not steady", separator, count[SIDE_UNSTEADY]);
    fputs(".\n", out);
}

void side_verdict(const struct side_pair *pairs, size_t n, bool markdown, FILE *out) {
    const char *bullet = markdown ? "- " : "";
    for (size_t i = 0; i < n; i++) {
        if (!both(&pairs[i]))
            continue;
        fputs(bullet, out);
        say_pair(&pairs[i], out);
    }
    say_crossovers(pairs, n, bullet, out);
    say_overall(pairs, n, bullet, out);
}

#include "results/verdict/side_pair.h"

#include "results/record/record.h"

double side_rate(const json_t *record) {
    double rate;
    return record_num(record, "metrics", "tokens_per_s", &rate) ? rate : 0.0;
}

bool side_measured(const struct side_pair *pairs, size_t n, int side) {
    for (size_t i = 0; i < n; i++)
        if (pairs[i].record[side])
            return true;
    return false;
}

double side_pace(const struct side_pair *pair) {
    double ulysses, ring;
    if (!record_num(pair->record[SIDE_ULYSSES], "metrics", "gemm_tflops", &ulysses) ||
        !record_num(pair->record[SIDE_RING], "metrics", "gemm_tflops", &ring) || ulysses <= 0.0 ||
        ring <= 0.0)
        return 1.0;
    return ulysses > ring ? ulysses / ring : ring / ulysses;
}

enum side_result side_compare(const struct side_pair *pair) {
    const struct summary *u = &pair->time[SIDE_ULYSSES], *r = &pair->time[SIDE_RING];
    if (!u->has_ci95 || !r->has_ci95)
        return SIDE_UNKNOWN;
    /* Other load, or another clock rate: a difference would say nothing about the methods. */
    static const double steady = 1.15;
    if (side_pace(pair) > steady)
        return SIDE_UNSTEADY;
    if (stats_ci_overlap(u, r))
        return SIDE_EQUAL;
    return u->median < r->median ? SIDE_FASTER_ULYSSES : SIDE_FASTER_RING;
}

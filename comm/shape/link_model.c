#include "comm/shape/link_model.h"

#include <math.h>

double link_curve_seconds(const struct link_curve *c, double bytes) {
    const int last = c->n - 1;
    int i = 0;
    if (c->n == 0)
        return NAN;
    if (bytes <= c->bytes[0])
        return c->seconds[0];
    while (i < last && c->bytes[i + 1] < bytes)
        i++;
    if (i == last)
        i--;
    const double rise = i < 0 ? 0 : c->seconds[i + 1] - c->seconds[i];
    if (bytes > c->bytes[last] && !(rise > 0))
        return bytes * c->seconds[last] / c->bytes[last];
    return c->seconds[i] + rise * (bytes - c->bytes[i]) / (c->bytes[i + 1] - c->bytes[i]);
}

/* The nearest class that was measured inside a host; -1: none. */
static int nearest(const struct link_curve curves[LINK_CLASSES]) {
    for (int c = 0; c < LINK_NETWORK; c++)
        if (curves[c].n > 0)
            return c;
    return -1;
}

double link_model_inside_s(const struct link_model *m, bool cold, const struct rank_traffic *rank) {
    const struct link_curve *curves = cold ? m->cold : m->shared;
    const int own = nearest(curves);
    double bytes[LINK_NETWORK], total = 0, sum = 0;
    for (int c = 0; c < LINK_NETWORK; c++) {
        bytes[c] = fmax(rank->sent[c], rank->received[c]) + (c == own ? rank->own : 0);
        total += bytes[c];
    }
    for (int c = 0; c < LINK_NETWORK; c++) {
        if (bytes[c] == 0)
            continue;
        sum += bytes[c] / total * link_curve_seconds(&curves[c], total);
        if (rank->messages[c] > 1)
            sum += (rank->messages[c] - 1) * link_curve_seconds(&curves[c], 0);
    }
    return sum;
}

double link_model_host_s(const struct link_model *m, double sent, double received) {
    const double bytes = fmax(sent, received);
    if (bytes == 0)
        return 0;
    return m->host_bytes_per_s > 0
               ? link_curve_seconds(&m->network, 0) + bytes / m->host_bytes_per_s
               : NAN;
}

/* fmax() would drop a NAN. */
static double later(double a, double b) {
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double step_s(const struct link_model *m, bool cold, const struct rank_traffic *step,
                     const int *host, int ranks) {
    double slowest = 0;
    for (int r = 0; r < ranks; r++) {
        double sent = 0, received = 0;
        bool first = true; /* of its host: the others are added to it */
        for (int q = 0; q < ranks; q++) {
            if (host[q] != host[r])
                continue;
            first = first && q >= r;
            sent += step[q].sent[LINK_NETWORK];
            received += step[q].received[LINK_NETWORK];
        }
        slowest = later(slowest, link_model_inside_s(m, cold, &step[r]));
        if (first)
            slowest = later(slowest, link_model_host_s(m, sent, received));
        if (step[r].flow > 0)
            slowest = later(slowest, link_curve_seconds(&m->network, step[r].flow));
    }
    return slowest;
}

double link_model_predict(const struct link_model *m, bool cold, const struct rank_traffic *steps,
                          size_t n_steps, const int *host, int ranks) {
    double sum = 0;
    for (size_t k = 0; k < n_steps; k++)
        sum += step_s(m, cold, steps + k * (size_t)ranks, host, ranks);
    return sum;
}

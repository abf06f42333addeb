/* The time that exchanges should take, from what links between pairs of ranks were measured to do.
 * Pure arithmetic.
 *
 * A step (comm/shape/link_traffic.h) takes as long as the slowest of:
 *   - every rank's traffic inside its host: one class after the other, since one core copies;
 *   - every host's traffic over the network: its ranks share the host's link, which has a rate in
 *     each direction (as in LogGP's gap per byte, Alexandrov et al., SPAA 1995, but of a host);
 *   - every rank's largest flow over the network: one pair of ranks goes no faster than alone.
 * Steps follow one another, so the prediction is their sum. */
#ifndef SPB_COMM_SHAPE_LINK_MODEL_H
#define SPB_COMM_SHAPE_LINK_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/shape/link_traffic.h"

enum { LINK_CURVE_POINTS = 24 };

/* Seconds of a message by its size, sizes rising; n 0: not measured. */
struct link_curve {
    int n;
    double bytes[LINK_CURVE_POINTS], seconds[LINK_CURVE_POINTS];
};

/* Interpolated between neighbours; a message below the first takes as long as that, one above the
 * last goes on as between the last two (at the last one's rate, where time does not rise there).
 * NAN if nothing was measured. */
double link_curve_seconds(const struct link_curve *curve, double bytes);

struct link_model {
    /* Inside a host: a message in each direction at once, all pairs of ranks at once. */
    struct link_curve shared[LINK_CLASSES];
    /* The same where something else has been in the caches since the buffers were used. */
    struct link_curve cold[LINK_CLASSES];
    /* Over the network, which is taken as full duplex: one direction, one pair of ranks at a time.
     */
    struct link_curve network;
    /* What all pairs of ranks get together over a host's link, each direction, both directions at
     * once, and at least what one pair gets alone; 0: not measured. */
    double host_bytes_per_s;
};

/* The first two terms above, of one rank and of one host. Inside a host, what a rank exchanges and
 * what it copies to itself goes through the caches together: each class's bytes move at its curve's
 * rate for all of them (cold: at that of the curves for it); every message but the first adds the
 * smallest one's time. Own bytes count to the nearest class, and not at all
 * where there is none. NAN if a class that is needed was not measured. */
double link_model_inside_s(const struct link_model *m, bool cold, const struct rank_traffic *rank);
double link_model_host_s(const struct link_model *m, double sent, double received);

/* Of steps[n_steps][ranks]; host[ranks] tells the ranks' hosts apart, from 0. cold: something else
 * has been in the caches since the buffers were used. NAN, if a link that is needed was not
 * measured. */
double link_model_predict(const struct link_model *m, bool cold, const struct rank_traffic *steps,
                          size_t n_steps, const int *host, int ranks);

#endif

/* A short measurement of links, for predictions; part of no result. It takes representatives: the
 * cost does not grow with the number of pairs. */
#ifndef SPB_BENCH_LINKS_PROBE_H
#define SPB_BENCH_LINKS_PROBE_H

#include <stdbool.h>

#include "bench/session/case_setup.h"

struct link_source;

/* Measures the links of the launch under the case's transport, on one of its own, so that neither
 * memory nor bytes are the case's. out->rates, on rank 0, if out->found. Collective. */
enum status link_probe(struct session *s, const struct case_setup *setup, struct link_source *out);

/* The same for cold caches: fills out->rates.model.cold, on rank 0, as far as ranks share hosts.
 * Collective. */
enum status link_probe_cold(struct session *s, const struct case_setup *setup,
                            struct link_source *out);

/* The pairs that a probe measures, across hosts (network) or inside one, [pair_count(ranks)] each:
 * in isolation one pair of every such class, in a round that has most pairs of it; loaded all of
 * them. false: there are none. Pure. */
bool link_probe_choose(const struct place *places, int ranks, bool network, bool *alone,
                       bool *loaded);

#endif

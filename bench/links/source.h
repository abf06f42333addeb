/* Where predictions have the rates of links from: a record of `comm --op pairs` where there is one
 * of this launch or in the run folder, else a probe. */
#ifndef SPB_BENCH_LINKS_SOURCE_H
#define SPB_BENCH_LINKS_SOURCE_H

#include <jansson.h>

#include "bench/links/rates.h"
#include "bench/session/case_setup.h"

/* What is known of the links of a launch under one transport. */
struct link_source {
    const struct transport_row *transport;
    bool found;     /* rank 0 */
    bool cold_done; /* rates.model.cold were asked for */
    struct link_rates rates;
    struct link_source *next;
};

/* Of the transport that the case's setup has; found once a launch. cold: those of cold caches, too,
 * which are always probed, since no record has them. Valid until link_sources_free(), on
 * rank 0. NULL: on other ranks; one rank, or more than 256, in all; --link-rates off; nothing could
 * be measured. Collective. */
const struct link_rates *link_rates_find(struct session *s, const struct case_setup *setup,
                                         bool cold);

/* What a pairs record of this launch says is used from now on (record: NULL on ranks other than 0).
 * Collective. */
void link_rates_keep(struct session *s, const struct case_setup *setup, const json_t *record);

/* What the session knows of links, before it is closed. */
void link_sources_free(struct session *s);

#endif

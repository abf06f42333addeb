/* The links that a case's groups use, and the exchange time that they predict. */
#ifndef SPB_BENCH_LINKS_INTERCONNECT_H
#define SPB_BENCH_LINKS_INTERCONNECT_H

#include <jansson.h>

#include "bench/links/rates.h"
#include "bench/session/case_setup.h"
#include "topology/place/placement.h"

/* How a case's groups lie, for topology/place/placement.h. */
struct placement_shape placement_of(const struct grid_shape *grid);

/* "interconnect": nearest and farthest class inside the SP and the data-parallel groups, and what
 * the farthest was measured to carry. rates: NULL if nothing was. */
void interconnect_record(const struct run *run, const struct grid_shape *grid,
                         const struct link_rates *rates, json_t *record);

/* Seconds that the exchanges noted in the setup's log should take (comm/shape/link_model.h); cold:
 * as there. NAN on ranks other than 0, and where links were not measured. Collective. */
double interconnect_predict(const struct run *run, const struct case_setup *setup,
                            const struct link_rates *rates, bool cold);

#endif

#include "bench/links/interconnect.h"

#include <math.h>
#include <stdlib.h>

#include "results/record/record.h"

struct placement_shape placement_of(const struct grid_shape *grid) {
    return (struct placement_shape){
        .sp_size = grid->sp_size,
        .dp_shard_size = grid->dp_shard_size,
        .sp_outer = grid->placement == SP_OUTER,
    };
}

static void record_span(json_t *record, const char *prefix, struct link_span span,
                        const struct link_rates *rates) {
    if (span.worst == LINK_CLASSES)
        return;
    const double gb_s = rates && rates->gb_s[span.worst] > 0 ? rates->gb_s[span.worst] : NAN;
    record_group_links(record, prefix, link_class_name(span.worst), link_class_name(span.best),
                       gb_s);
}

void interconnect_record(const struct run *run, const struct grid_shape *grid,
                         const struct link_rates *rates, json_t *record) {
    const struct placement_shape shape = placement_of(grid);
    record_span(record, "sp", placement_sp_links(run->places, &shape), rates);
    record_span(record, "dp", placement_dp_links(run->places, &shape), rates);
    record_link_rates(record, rates ? rates->source : NULL);
}

double interconnect_predict(const struct run *run, const struct case_setup *setup,
                            const struct link_rates *rates, bool cold) {
    size_t steps;
    const int ranks = run->world->size;
    struct rank_traffic *traffic = traffic_gather(&setup->traffic, &steps);
    int *host = malloc((size_t)ranks * sizeof *host);
    double seconds = NAN;
    if (traffic && host && rates) {
        link_hosts(run->places, ranks, host);
        seconds = link_model_predict(&rates->model, cold, traffic, steps, host, ranks);
    }
    free(host);
    free(traffic);
    return seconds;
}

#include "bench/record/case.h"

#include <string.h>

#include "bench/output/sink.h"
#include "bench/record/options.h"
#include "comm/transport/mpi/algorithm.h"
#include "results/record/record.h"

void case_record_setup(const struct session *s, const struct case_setup *setup,
                       const char *const *scope, const struct grid_shape *grid,
                       const char *algorithm, json_t *record) {
    options_record(&s->options, scope, record);
    record_param_int(record, "sp_size", grid->sp_size);
    record_param_int(record, "dp_shard_size", grid->dp_shard_size);
    record_param_int(record, "world_size", grid->ranks);
    record_param_str(record, "transport", setup->transport->row->name);
    if (setup->transport->chosen_as[0])
        record_param_str(record, "transport_reason", setup->transport->chosen_as);
    if (setup->transport->row->algorithm != ALGORITHM_UNUSED)
        record_param_str(record, "mpi_algo",
                         s->options.mpi_algo ? s->options.mpi_algo->name : "auto");
    record_param_str(record, "algo", algorithm);
    record_param_str(record, "wait", wait_policy_name(setup->grid.world->wait));
}

void case_record_measurement(const struct measurement *m, json_t *record) {
    record_time(record, &m->time, m->converged, m->samples, m->time.n);
    record_metric_int(record, "invalid_samples", m->invalid);
    record_metric(record, "clock_error_s", m->clock_error_s);
    for (int p = 0; p <= PHASES; p++)
        if (m->phases[p] > 0)
            record_phase(record, phase_name((enum phase)p), m->phases[p]);
}

struct peaks peaks_over_ranks(const struct group *world, const struct mem_ledger *ledger) {
    uint64_t x[2 + MEM_CATEGORIES] = {ledger->total_peak, mem_rss_peak()};
    for (int c = 0; c < MEM_CATEGORIES; c++)
        x[2 + c] = ledger->peak[c];
    group_max_u64(world, x, 2 + MEM_CATEGORIES);
    struct peaks p = {x[0], x[1], {0}};
    memcpy(p.category, x + 2, sizeof p.category);
    return p;
}

enum status case_record_finish(struct session *s, json_t *record) {
    if (s->run->world->rank != 0) {
        json_decref(record);
        return ST_OK;
    }
    struct sweep_case c;
    enum status st = sweep_case(s->sweep, &s->options, &c);
    if (st == ST_OK)
        st = record_finish(record, c.vars, c.n, NULL);
    sweep_case_free(&c);
    if (st != ST_OK) {
        json_decref(record);
        return st;
    }
    return sink_record(s->run->sink, record);
}

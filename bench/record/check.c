#include "bench/record/check.h"

#include "results/record/record.h"

void check_record(const struct check_report *report, json_t *record) {
    record_check(record, report->ok, report->max_rel_err, -1, "fp64 sampled rows");
    for (int i = 0; i < CHECK_WEIGHTS; i++)
        if (report->compared[i] > 0)
            record_check_tensor(record, check_tensor_name((enum check_tensor)i), report->error[i],
                                report->rms[i], report->compared[i]);
}

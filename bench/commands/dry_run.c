#include "bench/commands/dry_run.h"

enum status dry_run(const struct supervised *what, const struct launch_env *launch) {
    const struct options *o = what->options;
    struct case_list list;
    size_t runnable = 0;
    const enum status st = case_list_open(&list, o->exporter, stdout);
    if (st != ST_OK)
        return st;
    return case_list_close(
        &list, launch->is_rank ? cases_visit(o, what->data_dir, launch->size, &list, &runnable)
                               : supervise_cases(what, &list));
}

#include "results/verdict/phase_class.h"

#include "results/record/record.h"

#include <string.h>

static const struct {
    const char *phase;
    enum phase_class class;
} classes[] = {
    {"param_gather", CLASS_PARAMETERS},
    {"grad_scatter", CLASS_PARAMETERS},
    {"qkv_proj", CLASS_PROJECTIONS},
    {"out_proj", CLASS_PROJECTIONS},
    {"qkv_proj_bwd", CLASS_PROJECTIONS},
    {"out_proj_bwd", CLASS_PROJECTIONS},
    {"attention", CLASS_ATTENTION},
    {"attention_bwd", CLASS_ATTENTION},
    {"rope", CLASS_ELEMENTWISE},
    {"rope_bwd", CLASS_ELEMENTWISE},
    {"merge", CLASS_ELEMENTWISE},
    {"accumulate", CLASS_ELEMENTWISE},
    {"pack", CLASS_PACKING},
    {"alltoall_qkv", CLASS_ALLTOALL},
    {"alltoall_o", CLASS_ALLTOALL},
    {"alltoall_do", CLASS_ALLTOALL},
    {"alltoall_dqkv", CLASS_ALLTOALL},
    {"kv_gather", CLASS_GATHER},
    {"dkv_scatter", CLASS_GATHER},
    {"ring", CLASS_HOPS},
    {"ring_bwd", CLASS_HOPS},
};

const char *phase_class_name(enum phase_class class) {
    static const char *const names[PHASE_CLASSES] = {
        [CLASS_ATTENTION] = "attention",
        [CLASS_PROJECTIONS] = "projections",
        [CLASS_ELEMENTWISE] = "RoPE, merge, sums",
        [CLASS_PACKING] = "packing",
        [CLASS_ALLTOALL] = "all-to-all",
        [CLASS_HOPS] = "ring hops",
        [CLASS_GATHER] = "gathers",
        [CLASS_PARAMETERS] = "parameters",
        [CLASS_OTHER] = "other",
    };
    return names[class];
}

enum phase_class phase_class_of(const char *phase) {
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i].phase, phase) == 0)
            return classes[i].class;
    return CLASS_OTHER;
}

bool phase_class_times(const json_t *record, double seconds[PHASE_CLASSES]) {
    const json_t *phases = json_object_get(record, "phases");
    double sum = 0.0;
    size_t i;
    json_t *phase;
    memset(seconds, 0, PHASE_CLASSES * sizeof *seconds);
    json_array_foreach(phases, i, phase) {
        double s;
        const char *name = record_str(phase, NULL, "name");
        if (!name || !record_num(phase, NULL, "median_s", &s) || s < 0.0)
            continue;
        seconds[phase_class_of(name)] += s;
        sum += s;
    }
    struct summary time;
    if (sum > 0.0 && record_time_read(record, &time) && time.median > sum)
        seconds[CLASS_OTHER] += time.median - sum;
    return sum > 0.0;
}

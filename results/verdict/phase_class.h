/* What kind of work a phase is: the few words in which a verdict and a picture speak. */
#ifndef SPB_RESULTS_VERDICT_PHASE_CLASS_H
#define SPB_RESULTS_VERDICT_PHASE_CLASS_H

#include <jansson.h>
#include <stdbool.h>

enum phase_class {
    CLASS_ATTENTION,
    CLASS_PROJECTIONS,
    CLASS_ELEMENTWISE, /* RoPE, LSE merge, gradient sums: bound by memory bandwidth */
    CLASS_PACKING,
    CLASS_ALLTOALL,
    CLASS_HOPS,
    CLASS_GATHER,     /* K/V of all ranks gathered, and their gradients scattered */
    CLASS_PARAMETERS, /* gathering and reduce-scattering of sharded parameters */
    CLASS_OTHER,
    PHASE_CLASSES
};

/* "attention", "projections", ... as legends say it. */
const char *phase_class_name(enum phase_class class);

/* Class of a phase by its name in records; a phase that is not known is CLASS_OTHER. */
enum phase_class phase_class_of(const char *phase);

/* Adds up a record's phases by class, in seconds; what the phases leave of the median time is
 * CLASS_OTHER. False, and zeros, when the record has no phases. */
bool phase_class_times(const json_t *record, double seconds[PHASE_CLASSES]);

#endif

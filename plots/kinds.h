/* Which line charts there are, a row each. */
#ifndef SPB_PLOTS_KINDS_H
#define SPB_PLOTS_KINDS_H

#include "plots/chart.h"

/* Ends with a row without a name. */
extern const struct chart_kind chart_kinds[];

/* What may tell attn records of one problem and method apart; for other pictures, too. */
extern const char *const attn_extra_params[PARAM_LIST];

#endif

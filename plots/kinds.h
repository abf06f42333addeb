/* Which line charts there are, a row each. */
#ifndef SPB_PLOTS_KINDS_H
#define SPB_PLOTS_KINDS_H

#include "plots/chart.h"

/* Ends with a row without a name. */
extern const struct chart_kind chart_kinds[];

/* Of attn records, also for other pictures: what those on one page have in common, and what may
 * tell two of one method apart. */
extern const char *const attn_page_params[PARAM_LIST], *const attn_extra_params[PARAM_LIST];

#endif

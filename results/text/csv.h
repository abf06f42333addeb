/* Text as RFC 4180 wants it. */
#ifndef SPB_RESULTS_TEXT_CSV_H
#define SPB_RESULTS_TEXT_CSV_H

#include <stdio.h>

/* One field: quoted when it holds a separator, a quote or a line break; quotes are doubled. */
void csv_text(FILE *out, const char *text);

#endif

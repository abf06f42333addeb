/* What is to be done when output cannot be written. */
#ifndef SPB_BASE_OUTPUT_H
#define SPB_BASE_OUTPUT_H

#include <stdio.h>

#include "base/status.h"

/* After a failed write to out: ST_UNREAD, and nothing said, where the reader of its pipe has left
 * (`spbench report DIR | head`). Anything else is an error, ST_ENV, said: "WHAT cannot be written:
 * CAUSE". The cause is errno's. */
enum status output_failed(FILE *out, const char *what);

#endif

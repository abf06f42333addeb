/* A record that has everything the table of fields allows. */
#ifndef SPB_TESTS_RESULTS_EVERY_FIELD_H
#define SPB_TESTS_RESULTS_EVERY_FIELD_H

#include <jansson.h>

/* One of each field, at every place where it may be; owned by the caller. */
json_t *every_field(void);

#endif

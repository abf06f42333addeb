/* Short names for cases: what tells them apart, instead of all that was asked for. */
#ifndef SPB_RESULTS_TEXT_CASE_LABEL_H
#define SPB_RESULTS_TEXT_CASE_LABEL_H

#include <jansson.h>
#include <stddef.h>

/* The value of key in a case text as record_case() writes it, *length characters that are not
 * ended and stand as written (quoted, where it quotes); NULL when the case has no such key. */
const char *case_value(const char *name, const char *key, size_t *length);

/* Which keys differ among the cases names[n] of one kind, per kind. A kind whose cases do not
 * differ, as when there is one, shows op or method and the size. An object that the caller owns;
 * NULL when out of memory. */
json_t *case_differences(const char *const *names, size_t n);

/* "KIND key=value ...", only the keys that differ; the caller frees it. NULL when out of memory. */
char *case_label(const json_t *differences, const char *name);

#endif

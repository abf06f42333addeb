/* "Did you mean ...?": the candidate nearest to a misspelt word. */
#ifndef SPB_BASE_TEXT_SUGGEST_H
#define SPB_BASE_TEXT_SUGGEST_H

#include <stddef.h>

/* Start with {.word = WORD}, consider every candidate, read best: NULL if none is near enough
 * (more than a third of the word's letters, at least one, would have to change). */
struct suggestion {
    const char *word;
    const char *best;
    size_t distance;
};

void suggest_consider(struct suggestion *suggestion, const char *candidate);

#endif

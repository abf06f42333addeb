#include "base/text/suggest.h"

#include <string.h>

enum { WORD_MAX = 48 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (restricted
 * Damerau-Levenshtein distance), by dynamic programming over prefixes. */
static size_t edit_distance(const char *a, const char *b) {
    const size_t na = strlen(a), nb = strlen(b);
    if (na > WORD_MAX || nb > WORD_MAX)
        return WORD_MAX;
    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= na; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= nb; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        for (size_t j = 1; j <= nb; j++) {
            const size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[na][nb];
}

void suggest_consider(struct suggestion *suggestion, const char *candidate) {
    const size_t len = strlen(suggestion->word);
    const size_t allowed = len < 3 ? 1 : len / 3;
    const size_t distance = edit_distance(suggestion->word, candidate);
    if (distance > allowed || distance >= strlen(candidate))
        return;
    if (suggestion->best && distance >= suggestion->distance)
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}

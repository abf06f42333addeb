/* Lists of words in a string, as tables of names have them. */
#ifndef SPB_MODELS_CONFIG_WORDS_H
#define SPB_MODELS_CONFIG_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the first length characters of word are one of the words in list, which a space parts. An
 * empty word is none. */
bool words_have(const char *list, const char *word, size_t length);

#endif

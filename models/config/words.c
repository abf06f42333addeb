#include "models/config/words.h"

#include <string.h>

bool words_have(const char *list, const char *word, size_t length) {
    while (length && *list) {
        const size_t n = strcspn(list, " ");
        if (n == length && strncmp(list, word, length) == 0)
            return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

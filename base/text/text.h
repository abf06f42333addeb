/* Text that comes from files and firmware, and hashes of it. */
#ifndef SPB_BASE_TEXT_TEXT_H
#define SPB_BASE_TEXT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Copies at most n - 1 characters; whatever is not printable ASCII becomes '?', so that the copy is
 * valid UTF-8 wherever it was cut, and cannot steer a terminal. src may be NULL. */
void text_copy(char *dst, size_t n, const char *src);

/* FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923): continues hash over a string and its final NUL. */
#define TEXT_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(uint64_t hash, const char *text);

#endif

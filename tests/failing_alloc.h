/* Allocations of the product that fail when a test wants it: the linker puts these in the place of
 * its calls of the allocator, in tests of spb_fail_allocations(). */
#ifndef SPB_TESTS_FAILING_ALLOC_H
#define SPB_TESTS_FAILING_ALLOC_H

#include <stdbool.h>

/* The one after n others fails, once; negative: none. */
void alloc_fail_after(long n);

/* Whether it has; none will fail after this. */
bool alloc_has_failed(void);

#endif

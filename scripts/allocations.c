/*
 * Counts the allocations of a program. If it is preloaded, `thumbturn-trials bench flow` prints the allocations per event;
 * scripts/bench-flow preloads it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* glibc's own functions, under names that this library does not replace. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t count;

uint64_t allocation_count(void) { return count; }

void *malloc(size_t size) { count++; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count++; return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *place = made;
    return 0;
}

/// Allocation that never returns NULL: a failure runs the handler and exits.
#ifndef GG_BASE_ALLOC_H
#define GG_BASE_ALLOC_H

#include <stddef.h>

/// Zeroed block of `nr` × `size` bytes; caller releases with free().
/// Overflow of the product and exhaustion both end in the failure handler.
void *mem_calloc(size_t nr, size_t size);

/// `old` grown or shrunk to `nr` × `size` bytes; caller releases with free().
void *mem_realloc(void *old, size_t nr, size_t size);

/// NUL-terminated copy of `n` bytes at `p`; caller releases with free().
char *mem_strndup(const char *p, size_t n);

/// The end for want of memory, also where a library reports it: the handler
/// runs, a message is written, the process exits.
_Noreturn void mem_fail(void);

/// From here on a large block goes back to the system when it is released, where the C library
/// would rather keep it for the next once a larger one was released.
void mem_return_large(void);

/// Called once before the process ends for want of memory (exit code 5);
/// it must not allocate. NULL: only the message is written.
void mem_on_failure(void (*handler)(void));

#endif

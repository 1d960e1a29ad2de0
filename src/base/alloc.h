/// Allocation that never returns NULL: a failure runs the handler and exits.
#ifndef GG_BASE_ALLOC_H
#define GG_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/// Zeroed block of `nr` × `size` bytes; caller releases with free().
/// Overflow of the product and exhaustion both end in the failure handler.
void *mem_calloc(size_t nr, size_t size);

/// The same of what mem_grows() is to name as `what`.
void *mem_calloc_of(const char *what, size_t nr, size_t size);

/// `old` grown or shrunk to `nr` × `size` bytes; caller releases with free().
void *mem_realloc(void *old, size_t nr, size_t size);

/// NUL-terminated copy of `n` bytes at `p`; caller releases with free().
char *mem_strndup(const char *p, size_t n);

/// The end because memory ran out, also where a library reports it: the handler
/// runs, a message is written, the process exits.
_Noreturn void mem_fail(void);

/// From here on a large block goes back to the system when it is released, where the C library
/// would rather keep it for the next once a larger one was released.
void mem_return_large(void);

/// From here on the program may hold so many bytes of memory of its own; beyond that the handler
/// runs, a message says what grew, and the process exits with the code of ST_INPUT.
void mem_limit(uint64_t bytes);

/// What this thread reads, for that message; NULL nothing. Borrowed until the next call.
void mem_reads(const char *name);

/// What mem_reads() said in this thread, so that a thread working for it can say the same.
const char *mem_read_name(void);

/// Say that `what` is about to have so many bytes: mem_limit() is watched in steps of some MiB.
void mem_grows(const char *what, size_t bytes);

/// Called once before the process ends because memory ran out (exit code 5);
/// it must not allocate. NULL: only the message is written.
void mem_on_failure(void (*handler)(void));

#endif

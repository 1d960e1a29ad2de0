/// Allocation that never returns NULL: a failure runs the handler and exits.
#ifndef GG_BASE_ALLOC_H
#define GG_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/// A zeroed block of `nr` × `size` bytes; caller releases with free(). Overflow of the product and
/// lack of memory both end in mem_fail().
void *mem_calloc(size_t nr, size_t size);

/// Resizes `old` to `nr` × `size` bytes; caller releases with free().
void *mem_realloc(void *old, size_t nr, size_t size);

/// A NUL-terminated copy of `n` bytes at `p`; caller releases with free().
char *mem_strndup(const char *p, size_t n);

/// Ends the process because memory ran out, also when a library reports it: the handler runs and a
/// message is written.
_Noreturn void mem_fail(void);

/// Makes the C library return large blocks to the system as soon as they are released, also after a
/// larger block was released; otherwise the library would keep them for later use.
void mem_return_large(void);

/// Limits the memory that the program may hold. Beyond the limit the handler runs, a message says
/// what grew, and the process exits with the code of ST_INPUT.
void mem_limit(uint64_t bytes);

/// Sets the name of the file that this thread reads, for the message of mem_limit(); NULL if it
/// reads none. Borrowed until the next call.
void mem_reads(const char *name);

/// Announces that the data called `what` is about to take `bytes` bytes, because the limit of
/// mem_limit() is otherwise checked only every few MiB.
void mem_grows(const char *what, size_t bytes);

/// Sets a function that is called once before the process ends because memory ran out (exit code
/// 5); it must not allocate. If it is NULL, only the message is written.
void mem_on_failure(void (*handler)(void));

#endif

/// Allocation that never returns NULL: if memory runs out, the process ends (mem_fail()).
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

/// Ends the process because memory ran out: runs the handler of mem_on_failure() and writes a
/// message. Also to be called if a library reports that memory ran out.
_Noreturn void mem_fail(void);

/// Makes the C library return blocks of 256 KiB or more to the system when they are released. By
/// default, glibc keeps a released block if a block of at least this size was released before.
void mem_return_large(void);

/// Limits the memory that the program may hold; 0: no limit. Must be called before threads start.
/// Beyond the limit the handler of mem_on_failure() runs, a message says what grew, and the process
/// ends with the exit code of ST_INPUT.
void mem_limit(uint64_t bytes);

/// Sets the name of the file that this thread reads, for the message of mem_limit(); NULL if it
/// reads none. Borrowed until the next call.
void mem_reads(const char *name);

/// Announces an allocation of `bytes` bytes for the data called `what`. The limit of mem_limit() is
/// checked whenever such announcements add up to a few MiB; small ones are not counted.
void mem_grows(const char *what, size_t bytes);

/// Sets a function that is called once before the process ends in mem_fail() or because of
/// mem_limit(); the function must not allocate memory. NULL: no function is called.
void mem_on_failure(void (*handler)(void));

#endif

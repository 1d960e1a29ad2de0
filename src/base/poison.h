#ifndef GG_BASE_POISON_H
#define GG_BASE_POISON_H

/* ASAN_POISON_MEMORY_REGION makes the address sanitizer report any access to `n` bytes at `p`, and
   ASAN_UNPOISON_MEMORY_REGION allows access again. Without the sanitizer the macros do nothing. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#endif

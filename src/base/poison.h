#ifndef GG_BASE_POISON_H
#define GG_BASE_POISON_H

/* Marks bytes as not to be accessed (POISON), or as accessible again (UNPOISON), for the address
   sanitizer. Without the sanitizer they do nothing. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#endif

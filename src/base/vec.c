#include "base/vec.h"

/* Number of elements up to which an array, except of bytes, has no spare room under the address
   sanitizer, so that it sees an access past the last element. struct strbuf marks its spare bytes
   itself, since text often grows by one byte. */
#ifdef __SANITIZE_ADDRESS__
enum { EXACT = 64 };
#else
enum { EXACT = 0 };
#endif

void *vec_grow_(void *v, size_t *cap, size_t want, size_t size, const char *what)
{
	size_t n = *cap ? *cap : 8;
	while (n < want)
		n += n / 2 + 1;
	if (want <= EXACT && size > 1)
		n = want;
	*cap = n;
	mem_grows(what, n * size);
	return mem_realloc(v, n, size);
}

#include "base/vec.h"

/* Under the address sanitizer, an array of up to this number of elements has no spare room, so that
   an access past the last element is found. Arrays of bytes are an exception: text often grows by
   one byte, and struct strbuf marks its spare bytes itself. */
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

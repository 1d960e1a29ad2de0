#include "base/vec.h"

void *vec_grow_(void *v, size_t *cap, size_t want, size_t size, const char *what)
{
	size_t n = *cap ? *cap : 8;
	while (n < want)
		n += n / 2 + 1;
	*cap = n;
	mem_grows(what, n * size);
	return mem_realloc(v, n, size);
}

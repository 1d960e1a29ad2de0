#include "base/sort.h"

#include "base/sort_inline.h"
#include "base/vec.h"

void sort_runs(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *, void *),
               void *arg)
{
	sort_inline(v, nr, size, cmp, arg);
}

struct plain {
	int (*cmp)(const void *, const void *);
};

static int plain_cmp(const void *a, const void *b, void *plain)
{
	return ((const struct plain *)plain)->cmp(a, b);
}

void sort_plain(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *))
{
	struct plain plain = { cmp };
	sort_runs(v, nr, size, plain_cmp, &plain);
}

void sort_unite(void *vec, size_t size, int (*cmp)(const void *, const void *),
                void (*join)(void *first, void *more))
{
	VEC(char) v; /* every VEC is a pointer and two sizes */
	size_t nr = 0;
	memcpy(&v, vec, sizeof v);
	sort_plain(v.v, v.nr, size, cmp);
	for (size_t i = 0; i < v.nr; i++) {
		char *last = nr ? v.v + (nr - 1) * size : NULL, *next = v.v + i * size;
		if (!last || cmp(last, next) != 0)
			memmove(v.v + nr++ * size, next, size);
		else if (join)
			join(last, next);
	}
	v.nr = nr;
	memcpy(vec, &v, sizeof v);
}

size_t lower_bound(const void *v, size_t nr, size_t size, const void *key,
                   int (*cmp)(const void *key, const void *element))
{
	size_t lo = 0, hi = nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (cmp(key, (const char *)v + mid * size) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

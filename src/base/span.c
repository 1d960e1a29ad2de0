#include "base/span.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static unsigned char lower(char c)
{
	unsigned char u = (unsigned char)c;
	return u >= 'A' && u <= 'Z' ? (unsigned char)(u + 32) : u;
}

static bool same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool span_eq_nocase(struct span a, struct span b)
{
	return a.n == b.n && same_nocase(a.p, b.p, a.n);
}

bool span_contains_nocase(struct span hay, struct span needle)
{
	if (needle.n == 0)
		return true;
	char low = (char)lower(needle.p[0]), high = low >= 'a' && low <= 'z' ? (char)(low - 32) : low;
	size_t i = 0;
#ifdef __SSE2__ /* where its first byte is, in 16 places at once: names meet a hundred needles */
	const __m128i lows = _mm_set1_epi8(low), highs = _mm_set1_epi8(high);
	for (; i + 16 <= hay.n; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(hay.p + i));
		__m128i first = _mm_or_si128(_mm_cmpeq_epi8(v, lows), _mm_cmpeq_epi8(v, highs));
		for (unsigned at = (unsigned)_mm_movemask_epi8(first); at; at &= at - 1) {
			size_t k = i + (unsigned)__builtin_ctz(at);
			if (k + needle.n <= hay.n && same_nocase(hay.p + k, needle.p, needle.n))
				return true;
		}
	}
#endif
	for (; i + needle.n <= hay.n; i++)
		if ((hay.p[i] == low || hay.p[i] == high) && same_nocase(hay.p + i, needle.p, needle.n))
			return true;
	return false;
}

bool span_glob(struct span pattern, struct span text)
{
	size_t p = 0, t = 0, star = (size_t)-1, mark = 0;
	while (t < text.n) {
		/* the star first: a text may hold a literal '*' too */
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
			p++;
			t++;
		} else if (star != (size_t)-1) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

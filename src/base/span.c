#include "base/span.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

int span_find(struct span s, const char *const *texts)
{
	for (int i = 0; texts[i]; i++)
		if (span_eq(s, span_of(texts[i])))
			return i;
	return -1;
}

struct span span_trim(struct span s, const char *bytes)
{
	while (s.n && s.p[0] && strchr(bytes, s.p[0]))
		s.p++, s.n--;
	while (s.n && s.p[s.n - 1] && strchr(bytes, s.p[s.n - 1]))
		s.n--;
	return s;
}

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

static bool is_listed(struct span s, const char *list, bool nocase)
{
	for (size_t n; *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, " |");
		if (n == s.n && (nocase ? same_nocase(s.p, list, n) : memcmp(s.p, list, n) == 0))
			return true;
	}
	return false;
}

bool span_is_listed(struct span s, const char *list)
{
	return is_listed(s, list, false);
}

bool span_is_listed_nocase(struct span s, const char *list)
{
	return is_listed(s, list, true);
}

struct span span_cut(struct span *rest, char end)
{
	const char *at = rest->n ? memchr(rest->p, end, rest->n) : NULL;
	struct span head = { rest->p, at ? (size_t)(at - rest->p) : rest->n };
	*rest = span_from(*rest, head.n + (at != NULL));
	return head;
}

#ifdef __SSE2__
/* Compares the 16 bytes at `p`: 0xFF for a byte that is `low` or `high`, 0 for any other byte. */
static __m128i either(const char *p, char low, char high)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	return _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(low)),
	                    _mm_cmpeq_epi8(v, _mm_set1_epi8(high)));
}
#endif

static char upper_of(char low)
{
	return low >= 'a' && low <= 'z' ? (char)(low - 32) : low;
}

bool span_contains_nocase(struct span hay, struct span needle)
{
	if (needle.n == 0)
		return true;
	char low = (char)lower(needle.p[0]), high = upper_of(low);
	size_t i = 0;
#ifdef __SSE2__ /* tries the needle's first and last byte at 16 positions in parallel */
	char last = (char)lower(needle.p[needle.n - 1]), last_high = upper_of(last);
	for (size_t nr = hay.n - needle.n + 1; hay.n >= needle.n + 15;) {
		/* nr is the number of all positions at which the needle may begin */
		__m128i ends = _mm_and_si128(either(hay.p + i, low, high),
		                             either(hay.p + i + needle.n - 1, last, last_high));
		for (unsigned at = (unsigned)_mm_movemask_epi8(ends); at; at &= at - 1)
			if (same_nocase(hay.p + i + (unsigned)__builtin_ctz(at), needle.p, needle.n))
				return true;
		if (i + 16 == nr)
			return false;
		i = i + 32 <= nr ? i + 16 : nr - 16;
	}
#endif
	for (; i + needle.n <= hay.n; i++)
		if ((hay.p[i] == low || hay.p[i] == high) && same_nocase(hay.p + i, needle.p, needle.n))
			return true;
	return false;
}

/* End of the first occurrence of `needle` in `hay` without regard to ASCII case; NULL if there is
   none. '?' in `needle` matches any byte. */
static const char *behind(struct span hay, struct span needle)
{
	for (size_t i = 0; i + needle.n <= hay.n; i++) {
		size_t k = 0;
		while (k < needle.n && (needle.p[k] == '?' || lower(needle.p[k]) == lower(hay.p[i + k])))
			k++;
		if (k == needle.n)
			return hay.p + i + k;
	}
	return NULL;
}

bool span_holds_nocase(struct span hay, struct span text)
{
	if (!memchr(text.p, '*', text.n) && !memchr(text.p, '?', text.n))
		return span_contains_nocase(hay, text);
	for (const char *star = text.p; star;) {
		star = memchr(text.p, '*', text.n);
		struct span needle = { text.p, star ? (size_t)(star - text.p) : text.n };
		const char *end = behind(hay, needle);
		if (!end)
			return false;
		hay = (struct span){ end, hay.n - (size_t)(end - hay.p) };
		if (star)
			text = (struct span){ star + 1, text.n - needle.n - 1 };
	}
	return true;
}

bool span_glob(struct span pattern, struct span text)
{
	size_t p = 0, t = 0, star = (size_t)-1, mark = 0;
	while (t < text.n) {
		/* the star is tested first, since a text may hold a literal '*' too */
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

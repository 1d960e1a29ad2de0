#include "base/span.h"

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
	for (size_t i = 0; i + needle.n <= hay.n; i++)
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

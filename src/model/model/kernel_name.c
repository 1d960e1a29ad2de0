#include "model/view.h"

enum { HASH_DIGITS = 8 };

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of `s` without its last group: `_` and at least `least` characters for which `kind` is
 * true. */
static size_t trim_group(const char *s, size_t n, bool (*kind)(char), size_t least)
{
	size_t at = n;
	while (at > 0 && kind(s[at - 1]))
		at--;
	return at > 0 && s[at - 1] == '_' && n - at >= least ? at - 1 : n;
}

/* Length of an address at `i`, or 0 if there is none. If a digit comes before the `0x`, the text is
 * not an address but a tile shape ("10x20"), by which kernels differ. */
static size_t address_at(struct span s, size_t i)
{
	size_t end = i + 2;
	if (s.p[i] != '0' || s.n - i < 3 || s.p[i + 1] != 'x' || (i > 0 && is_digit(s.p[i - 1])))
		return 0;
	while (end < s.n && is_hex(s.p[end]))
		end++;
	return end > i + 2 ? end - i : 0;
}

struct span kernel_match_name(struct arena *a, struct span name)
{
	bool triton = span_starts(name, SPAN("triton_"));
	struct strbuf b = STRBUF_INIT;
	for (size_t from = 0, i, skip; from < name.n; from = i + skip) {
		for (skip = 0, i = from; i < name.n && !skip; i += !skip)
			skip = address_at(name, i);
		strbuf_add(&b, (struct span){ name.p + from, i - from });
	}
	size_t n = b.n, before;
	do { /* a name may end in several groups of digits */
		before = n;
		if (triton)
			n = trim_group(b.p, n, is_digit, 1);
		n = trim_group(b.p, n, is_hex, HASH_DIGITS);
	} while (n < before);
	struct span match = name;
	if (n > 0 && n < name.n)
		match = (struct span){ arena_dup(a, (struct span){ b.p, n }), n };
	strbuf_release(&b);
	return match;
}

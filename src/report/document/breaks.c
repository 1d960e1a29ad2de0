/* Decides where a line of text may be broken. */
#include "document/render.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

static bool is_unit(const char *word)
{
	static const char *const units[] = { "%",   "s",   "ms", "µs",  "ns",    "B",     "KiB",  "MiB",
		                                 "GiB", "TiB", "pp", "B/s", "KiB/s", "MiB/s", "GiB/s" };
	size_t n = strcspn(word, " ,;:)");
	return ANY(i, NR_OF(units), strlen(units[i]) == n && memcmp(units[i], word, n) == 0);
}

/* A line must not begin with a colon or '#', since "::" and "##" begin commands to CI systems. */
bool text_may_begin_line(const char *p)
{
	return *p && *p != ':' && *p != '#' && *p != ' ';
}

bool text_may_break(const char *text, size_t blank)
{
	const char *next = text + blank + 1;
	if (blank && isdigit((unsigned char)text[blank - 1]) && is_unit(next))
		return false;
	if (blank && isalpha((unsigned char)text[blank - 1]) && isdigit((unsigned char)*next))
		return false; /* a number stays on the line of the word before it, as in "rank 3" */
	return text_may_begin_line(next);
}

size_t text_piece_end(struct span s, size_t at, size_t width, size_t *next)
{
	size_t end = 0, cut = 0, i = at;
	for (size_t chars = 0; i < s.n; chars++) {
		if (chars > 0 && chars <= width && text_may_begin_line(s.p + i))
			cut = i;
		if (chars <= width && s.p[i] == ' ' && i > at && text_may_break(s.p, i))
			end = i;
		if (chars >= width && (end || cut))
			break;
		text_next(s, &i);
	}
	if (i >= s.n) {
		*next = s.n;
		return s.n;
	}
	*next = end ? end + 1 : cut;
	return end ? end : cut;
}

size_t text_command_end(struct span s, size_t at, size_t width)
{
	size_t blank = at, word = at, chars = 0;
	bool quoted = false;
	for (size_t i = at; i < s.n;) {
		quoted ^= s.p[i] == '\'';
		if (s.p[i] == ' ' && !quoted && text_may_begin_line(s.p + i + 1)) {
			bool option = s.p[word] == '-' && s.p[i + 1] != '-';
			blank = option ? blank : i;
			word = i + 1;
		}
		text_next(s, &i);
		if (++chars > width && blank > at)
			return blank;
	}
	return s.n;
}

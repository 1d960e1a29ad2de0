#include "base/text.h"

#include "base/arena.h"

#define REPLACEMENT 0xFFFDu

/* After table 3-7 of the Unicode Standard: the ranges of second bytes exclude overlong forms,
   surrogates and code points beyond U+10FFFF. */
uint32_t text_next(struct span s, size_t *at)
{
	const unsigned char *p = (const unsigned char *)s.p + *at;
	size_t left = s.n - *at;
	unsigned char c = p[0], lo = 0x80, hi = 0xBF;
	size_t need;
	uint32_t cp;
	++*at;
	if (c < 0x80)
		return c;
	if (c >= 0xC2 && c <= 0xDF) {
		need = 1;
		cp = c & 0x1Fu;
	} else if (c >= 0xE0 && c <= 0xEF) {
		need = 2;
		cp = c & 0x0Fu;
		lo = c == 0xE0 ? 0xA0 : 0x80;
		hi = c == 0xED ? 0x9F : 0xBF;
	} else if (c >= 0xF0 && c <= 0xF4) {
		need = 3;
		cp = c & 0x07u;
		lo = c == 0xF0 ? 0x90 : 0x80;
		hi = c == 0xF4 ? 0x8F : 0xBF;
	} else {
		return REPLACEMENT;
	}
	for (size_t i = 1; i <= need; i++) {
		if (i >= left || p[i] < lo || p[i] > hi)
			return REPLACEMENT;
		cp = (cp << 6) | (p[i] & 0x3Fu);
		lo = 0x80;
		hi = 0xBF;
		++*at;
	}
	return cp;
}

/* True if the U+FFFD in [from, to) was written in the input itself, and does not replace a
 * malformed part. */
static bool is_written_replacement(struct span s, size_t from, size_t to)
{
	return to - from == 3 && memcmp(s.p + from, "\xEF\xBF\xBD", 3) == 0;
}

bool text_is_valid(struct span s)
{
	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		if ((unsigned char)s.p[i] - 1u < 0x7F) { /* ASCII, which most texts are */
			i++;
			continue;
		}
		uint32_t cp = text_next(s, &i);
		if (cp == 0 || (cp == REPLACEMENT && !is_written_replacement(s, from, i)))
			return false;
	}
	return true;
}

void text_add_codepoint(struct strbuf *out, uint32_t cp)
{
	static const unsigned char lead[] = { 0, 0xC0, 0xE0, 0xF0 };
	unsigned more = cp < 0x80 ? 0 : cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3; /* further bytes */
	strbuf_addch(out, (char)(lead[more] | cp >> 6 * more));
	while (more-- > 0)
		strbuf_addch(out, (char)(0x80 | (cp >> 6 * more & 0x3F)));
}

void text_add_valid(struct strbuf *out, struct span s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t cp = text_next(s, &i);
		text_add_codepoint(out, cp ? cp : REPLACEMENT);
	}
}

const char *text_valid(struct arena *a, struct span s)
{
	struct strbuf b = STRBUF_INIT;
	text_add_valid(&b, s);
	return arena_take(a, &b);
}

bool text_breaks_a_line(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && (cp < 0xA0 || cp == 0x61C || cp == 0x200E || cp == 0x200F ||
	                                    (cp >= 0x2028 && cp <= 0x202E) ||
	                                    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xFEFF));
}

size_t text_plain_end(struct span s, size_t at, const char *const but[128])
{
	while (at < s.n && (unsigned char)s.p[at] - 0x20u < 0x5F && !but[(unsigned char)s.p[at]])
		at++;
	return at;
}

void text_add_escaped(struct strbuf *out, struct span s, const char *const escapes[128])
{
	for (size_t i = 0, end; i < s.n;) {
		end = text_plain_end(s, i, escapes);
		strbuf_add(out, (struct span){ s.p + i, end - i });
		if ((i = end) == s.n)
			return;
		uint32_t cp = text_next(s, &i);
		if (cp < 128 && escapes[cp])
			strbuf_adds(out, escapes[cp]);
		else
			text_add_codepoint(out, text_breaks_a_line(cp) ? REPLACEMENT : cp);
	}
}

void text_add_line(struct strbuf *out, struct span s)
{
	static const char *const none[128];
	text_add_escaped(out, s, none);
}

const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

int text_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t text_chars(struct span s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s.n; nr++)
		text_next(s, &i);
	return nr;
}

static struct span first_chars(struct span s, size_t max)
{
	size_t i = 0;
	for (size_t nr = 0; i < s.n && nr < max; nr++)
		text_next(s, &i);
	return (struct span){ s.p, i };
}

void text_add_short(struct strbuf *out, struct span s, size_t max_chars)
{
	bool cut = max_chars < s.n && first_chars(s, max_chars).n < s.n;
	text_add_line(out, cut ? first_chars(s, max_chars > 9 ? max_chars - 9 : 0) : s);
	if (cut)
		strbuf_addf(out, "~%08x", text_hash32(s));
}

void text_add_log(struct strbuf *out, struct span s, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, s, max_chars);
	for (size_t i = 0; i < b.n; i++) {
		if (i && b.p[i] == '#' && b.p[i - 1] == '#')
			text_add_codepoint(out, REPLACEMENT);
		else
			strbuf_addch(out, b.p[i]);
	}
	strbuf_release(&b);
}

uint32_t text_hash_more(uint32_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

uint32_t text_hash32(struct span s)
{
	return text_hash_more(TEXT_HASH, s);
}

const char *text_line(struct arena *a, struct span s)
{
	return text_short(a, s, (size_t)-1);
}

const char *text_short(struct arena *a, struct span s, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, s, max_chars);
	return arena_take(a, &b);
}

const char *text_quote(struct arena *a, struct span s)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addch(&b, '\'');
	text_add_short(&b, s, 200);
	strbuf_addch(&b, '\'');
	return arena_take(a, &b);
}

void text_add_word(struct strbuf *b, struct arena *a, const char *text)
{
	const char *line = text_line(a, span_of(text));
	strbuf_addch(b, ' ');
	if (line[0] && strspn(line, TEXT_WORD) == strlen(line)) {
		strbuf_adds(b, line);
		return;
	}
	strbuf_addch(b, '\'');
	for (const char *p = line; *p; p++)
		*p == '\'' ? strbuf_adds(b, "'\\''") : strbuf_addch(b, *p);
	strbuf_addch(b, '\'');
}

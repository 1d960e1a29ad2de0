/* Reads the values of opcodes that take nothing from the stack: None, booleans, numbers, texts. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "read/pickle_nodes.h"

/* ---- values of text and bytes ---- */

/* Value of `n` digits of `base` at `p`; false if one of them is another character. */
static bool parse_digits(const char *p, size_t n, unsigned base, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		char c = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] | 0x20) : p[i];
		const char *d = c ? strchr(digits, c) : NULL;
		if (!d || (unsigned)(d - digits) >= base)
			return false;
		*out = *out * base + (uint32_t)(d - digits);
	}
	return true;
}

static struct span take_text(struct arena *a, struct strbuf *b)
{
	size_t n = b->n;
	return (struct span){ arena_take(a, b), n };
}

/* Decodes text whose only escapes are \uXXXX and \UXXXXXXXX; other bytes are Latin-1. Source:
   CPython, Objects/unicodeobject.c, raw-unicode-escape. */
static bool decode_unicode(struct arena *a, struct span s, struct span *out)
{
	struct strbuf b = STRBUF_INIT;
	bool valid = true;
	for (size_t i = 0; valid && i < s.n;) {
		size_t n = s.p[i] == '\\' && i + 1 < s.n ? s.p[i + 1] == 'u'   ? 4
		                                           : s.p[i + 1] == 'U' ? 8
		                                                               : 0
		                                         : 0;
		uint32_t cp = (unsigned char)s.p[i];
		if (n) {
			valid = s.n - i - 2 >= n && parse_digits(s.p + i + 2, n, 16, &cp) && cp <= 0x10FFFF;
			i += 2 + n;
		} else if (s.p[i] == '\\' && i + 1 < s.n) {
			/* a backslash before any other byte is kept, together with that byte: the second of
			   two backslashes cannot begin an escape */
			strbuf_addch(&b, '\\');
			cp = (unsigned char)s.p[i + 1];
			i += 2;
		} else {
			i++;
		}
		if (valid)
			text_add_codepoint(&b, cp);
	}
	*out = take_text(a, &b);
	return valid;
}

/* Appends the byte that the escape at `s.p[i]`, a backslash, denotes; returns the length of the
 * escape, 0 if it is malformed. Source: CPython, Objects/bytesobject.c, _PyBytes_DecodeEscape. */
static size_t add_escape(struct strbuf *b, struct span s, size_t i)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	size_t left = s.n - i, n = 0;
	uint32_t v;
	if (left < 2)
		return 0;
	char c = s.p[i + 1];
	const char *simple = c ? strchr(from, c) : NULL;
	if (simple) {
		strbuf_addch(b, to[simple - from]);
		return 2;
	}
	if (c == 'x') {
		if (left < 4 || !parse_digits(s.p + i + 2, 2, 16, &v))
			return 0;
		strbuf_addch(b, (char)v);
		return 4;
	}
	while (n < 3 && n + 1 < left && s.p[i + 1 + n] >= '0' && s.p[i + 1 + n] <= '7')
		n++;
	if (n && parse_digits(s.p + i + 1, n, 8, &v)) {
		strbuf_addch(b, (char)v);
		return 1 + n;
	}
	strbuf_addch(b, '\\'); /* the backslash of an unknown escape is kept */
	return 1;
}

static bool decode_string(struct arena *a, struct span s, struct span *out)
{
	if (s.n < 2 || (s.p[0] != '\'' && s.p[0] != '"') || s.p[s.n - 1] != s.p[0])
		return false;
	struct strbuf b = STRBUF_INIT;
	struct span inner = { s.p, s.n - 1 };
	bool valid = true;
	for (size_t i = 1; valid && i < inner.n;) {
		size_t n = 1;
		if (inner.p[i] == '\\')
			n = add_escape(&b, inner, i);
		else
			strbuf_addch(&b, inner.p[i]);
		valid = n > 0;
		i += n;
	}
	*out = take_text(a, &b);
	return valid;
}

/* ---- values of numbers ---- */

static void set_integer(struct pickle_node *out, bool negative, uint64_t magnitude)
{
	out->type = PICKLE_INTEGER;
	out->negative = negative;
	out->magnitude = magnitude;
}

/* Reads a little-endian two's complement number of any length. */
static void set_long(struct pickle_node *out, struct span s)
{
	bool negative = s.n && s.p[s.n - 1] & 0x80, fits = true;
	uint64_t v = pickle_number(s.p, s.n < 8 ? s.n : 8);
	if (negative && s.n < 8)
		v |= UINT64_MAX << (8 * s.n);
	for (size_t i = 8; i < s.n; i++)
		fits = fits && s.p[i] == (negative ? '\xff' : '\0');
	if (fits && !(negative && v == 0))
		set_integer(out, negative, negative ? 0 - v : v);
}

/* Reads decimal text, which may end with the L of a long; false if the text is not a number. */
static bool set_decimal(struct pickle_node *out, struct span s)
{
	uint64_t v;
	bool negative = s.n && s.p[0] == '-';
	if (s.n && s.p[s.n - 1] == 'L')
		s.n--;
	if (negative && s.n)
		s = span_from(s, 1);
	if (number_parse_u64(s, &v))
		set_integer(out, negative, v);
	return s.n > 0 && ALL(i, s.n, is_digit(s.p[i]));
}

/* True if each character of the text may be in a float. The values of floats are dropped, since a
 * snapshot has none. */
static bool is_float(struct span s)
{
	return s.n > 0 && ALL(i, s.n, s.p[i] && strchr("0123456789+-.einfa", s.p[i]));
}

/* ---- values by opcode ---- */

bool pickle_value(const struct pickle_op *op, struct arena *a, struct pickle_node *out,
                  const char **problem)
{
	struct span arg = op->argument, text = arg;
	bool valid = true;
	*out = (struct pickle_node){ .type = PICKLE_OTHER };
	switch (op->deed) {
	case DEED_VALUE:
		out->type = op->type;
		out->magnitude = op->nr;
		break;
	case DEED_LONG:
		set_long(out, arg);
		break;
	case DEED_NATURAL:
		set_integer(out, false, pickle_number(arg.p, arg.n));
		break;
	case DEED_DECIMAL:
		if (op->code == 'I' && (span_eq(arg, SPAN("00")) || span_eq(arg, SPAN("01")))) {
			/* protocol 0 writes False as 00 and True as 01 */
			out->type = PICKLE_BOOL;
			out->magnitude = arg.p[1] == '1';
		} else {
			valid = set_decimal(out, arg);
		}
		break;
	case DEED_FLOAT:
		valid = is_float(arg);
		break;
	case DEED_STRING:
	case DEED_UNICODE:
		valid =
		    op->deed == DEED_STRING ? decode_string(a, arg, &text) : decode_unicode(a, arg, &text);
		/* fall through */
	case DEED_TEXT:
		*out = (struct pickle_node){ .type = PICKLE_TEXT, .text = text.p, .nr = (uint32_t)text.n };
		break;
	default:
		return false;
	}
	if (!valid)
		*problem = "its text is malformed; the file is damaged";
	return true;
}

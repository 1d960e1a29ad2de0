/// The calls of jscan.h that are made for every value, inline: for readers of which that is
/// most of the work. Each does what its namesake does.
#ifndef GG_IO_JSCAN_INLINE_H
#define GG_IO_JSCAN_INLINE_H

#include "io/jscan_parts.h"

/// jscan_key_of(): here what comes as the last time, there the rest.
static inline bool jscan_key_of_inline(struct jscan *js, const struct jscan_keys *keys,
                                       unsigned *which, struct span *key)
{
	struct seam *s = js->place[js->depth]->next;
	if (!s || s->n > 32 || s->keys != keys || !bytes_equal(js->at, s->text, s->mask))
		return jscan_key_of(js, keys, which, key);
	jscan_pass(js, s);
	*which = s->which;
	*key = (struct span){ s->text + s->key_at, s->key_n };
	return !s->end;
}

/// jscan_key()
static inline bool jscan_key_inline(struct jscan *js, struct span *key)
{
	struct seam *s = js->place[js->depth]->next;
	if (!s || s->n > 32 || !bytes_equal(js->at, s->text, s->mask))
		return jscan_key(js, key);
	jscan_pass(js, s);
	*key = (struct span){ s->text + s->key_at, s->key_n };
	return !s->end;
}

/// The next key, if it is the one at `which` of `keys` and comes as the last time; else nothing
/// is consumed, and it may be that one all the same.
JSCAN_INLINE bool jscan_guess_key(struct jscan *js, const struct jscan_keys *keys, unsigned which)
{
	struct seam *s = js->place[js->depth]->next;
	if (!s || s->n > 32 || s->keys != keys || s->which != which ||
	    !bytes_equal(js->at, s->text, s->mask))
		return false;
	js->at += s->n;
	js->place[js->depth] = s;
	return true;
}

/// jscan_string()
static inline bool jscan_string_inline(struct jscan *js, struct span *text)
{
	if (*js->at != '"')
		return jscan_string(js, text);
	const char *from = js->at + 1, *to = bytes_string_end(from);
	if (*to != '"')
		return jscan_string(js, text);
	*text = (struct span){ from, (size_t)(to - from) };
	js->at = (char *)to + 1;
	return true;
}

/* What may stand behind a number, beside white space; a NUL may be the end of the window. */
static inline bool jscan_ends_number(char c)
{
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// jscan_natural()
JSCAN_INLINE bool jscan_natural_inline(struct jscan *js, int64_t *out)
{
	const char *end = bytes_digits_end(js->at);
	size_t n = (size_t)(end - js->at);
	if (n == 0 || n > 16 || (n > 1 && *js->at == '0') || !jscan_ends_number(*end))
		return jscan_natural(js, out);
	*out = (int64_t)bytes_digits(js->at, n);
	js->at = (char *)end;
	return true;
}

/// jscan_decimal()
JSCAN_INLINE bool jscan_decimal_inline(struct jscan *js, unsigned digits, int64_t *out)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	const char *p = js->at, *end = bytes_digits_end(p);
	size_t n = (size_t)(end - p), decimals = 0;
	/* 18 digits are below 2^63; more, and leading zeros, are for the long way */
	if (n == 0 || n > 16 || (n > 1 && *p == '0'))
		return jscan_decimal(js, digits, out);
	uint64_t v = bytes_digits(p, n) * powers[digits];
	if (*end == '.') {
		p = end + 1;
		end = bytes_digits_end(p);
		decimals = (size_t)(end - p);
		if (decimals == 0 || decimals > digits)
			return jscan_decimal(js, digits, out);
		v += bytes_digits(p, decimals) * powers[digits - decimals];
	}
	if (!jscan_ends_number(*end) || v > INT64_MAX || n + digits > 19)
		return jscan_decimal(js, digits, out);
	js->at = (char *)end;
	*out = (int64_t)v;
	return true;
}

/// jscan_skip()
static inline void jscan_skip_inline(struct jscan *js)
{
	const char *p = js->at, *end;
	if (*p == '"') {
		end = bytes_string_end(p + 1);
		if (*end == '"') {
			js->at = (char *)end + 1;
			return;
		}
	} else if (*p > '0' && *p <= '9') {
		end = bytes_digits_end(p);
		if (jscan_ends_number(*end)) {
			js->at = (char *)end;
			return;
		}
	}
	jscan_skip(js);
}

/// jscan_value_byte()
static inline uint64_t jscan_value_byte_inline(struct jscan *js)
{
	(void)jscan_next(js);
	return js->base + (uint64_t)(js->at - js->buf);
}

/// True where what stands next is what `lead` has: it is passed over, up to the
/// value in the object that it begins.
static inline bool jscan_follow_lead(struct jscan *js, const struct jscan_lead *lead)
{
	const char *p = js->at;
	if (!bytes_equal(p, lead->text, lead->mask[0]) ||
	    !bytes_equal(p + 32, lead->text + 32, lead->mask[1]) ||
	    !bytes_equal(p + 64, lead->text + 64, lead->mask[2]))
		return false;
	js->at += lead->n;
	js->depth++;
	js->place[js->depth] = lead->place;
	js->objects[(js->depth - 1) / 64] |= (uint64_t)1 << ((js->depth - 1) % 64);
	js->begun[(js->depth - 1) / 64] |= (uint64_t)1 << ((js->depth - 1) % 64);
	return true;
}

#endif

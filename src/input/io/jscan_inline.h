/// Inline versions of the functions of jscan.h that are called for every value, for readers that
/// spend most of their time in them. Each has the name of the function in jscan.h, and a suffix.
/// The other functions here are what such readers need besides.
#ifndef GG_IO_JSCAN_INLINE_H
#define GG_IO_JSCAN_INLINE_H

#include "io/jscan_internal.h"

/// The position of a reader that parses inline, as a copy of the scanner's position.
/// jscan_cursor_end() writes it back to the scanner.
struct jscan_cursor {
	char *at;
	struct seam *place; ///< the seam (text between values, jscan_internal.h) that was read last at
	                    ///< this depth of nesting
};

/// A cursor at the position of the scanner, which must be just after the beginning of an object, or
/// after a value in an object.
JSCAN_INLINE struct jscan_cursor jscan_cursor_begin(const struct jscan *js)
{
	return (struct jscan_cursor){ js->at, js->place[js->depth] };
}

/// Hands the position back to the scanner; needed before each call that does not take the cursor.
JSCAN_INLINE void jscan_cursor_end(struct jscan *js, const struct jscan_cursor *c)
{
	js->at = c->at;
	js->place[js->depth] = c->place;
	if (c->place->n) /* if there is no text, the object has just begun, or the scanner read the key
	                    and has set the bit */
		js->begun[(js->depth - 1) / 64] |= (uint64_t)1 << ((js->depth - 1) % 64);
}

/// Like jscan_key_of(), but fast for the key that usually follows the previous member. Returns the
/// `what` of the key's row. `*where` becomes the `where` of this row; `*key` is set only if the
/// result is JSCAN_KEY_OTHER.
JSCAN_INLINE unsigned jscan_key_at(struct jscan *js, struct jscan_cursor *c,
                                   const struct jscan_keys *keys, unsigned *where, struct span *key)
{
	struct seam *s = c->place->next;
	if (!s || !bytes_equal(c->at, s->text, s->mask) || s->what == JSCAN_KEY_OTHER) {
		jscan_cursor_end(js, c);
		const struct jscan_key *row = jscan_key_of(js, keys, key);
		*c = jscan_cursor_begin(js);
		*where = row->where;
		return row->what;
	}
	c->at += s->n;
	c->place = s;
	*where = s->where;
	if (s->what == JSCAN_KEY_END) {
		js->depth--;
		c->place = js->place[js->depth];
	}
	return s->what;
}

/// Like jscan_object(), but only if an object has been read at this place (the same path of keys)
/// before; else returns false and consumes nothing.
JSCAN_INLINE bool jscan_object_at(struct jscan *js, struct jscan_cursor *c)
{
	uint64_t bit = (uint64_t)1 << (js->depth % 64);
	if (*c->at != '{' || !c->place->inner || js->depth == js->max_depth)
		return false;
	jscan_cursor_end(js, c);
	js->objects[js->depth / 64] |= bit;
	js->begun[js->depth / 64] &= ~bit;
	js->depth++;
	c->at++;
	c->place = c->place->inner;
	return true;
}

/// Enters an object whose text has been consumed up to a value in it. `place` is the seam
/// (remembered text between values) that leads to this value.
JSCAN_INLINE void jscan_enter_again(struct jscan *js, struct seam *place)
{
	uint64_t bit = (uint64_t)1 << (js->depth % 64);
	js->objects[js->depth / 64] |= bit;
	js->begun[js->depth / 64] |= bit;
	js->place[++js->depth] = place;
}

/// Like jscan_key(), but fast for the key that usually follows the previous member.
static inline bool jscan_key_inline(struct jscan *js, struct span *key)
{
	struct seam *s = js->place[js->depth]->next;
	if (!s || s->n > 32 || !bytes_equal(js->at, s->text, s->mask))
		return jscan_key(js, key);
	jscan_pass(js, s);
	*key = (struct span){ s->text + s->key_at, s->key_n };
	return !s->end;
}

/// Like jscan_value_byte(), but compiled inline.
static inline uint64_t jscan_value_byte_inline(struct jscan *js)
{
	(void)jscan_next(js);
	return js->base + (uint64_t)(js->at - js->buf);
}

/* True for characters that may follow a number, including white space but not NUL, which may be the
   end of the window. */
JSCAN_INLINE bool jscan_ends_number(char c)
{
	static const bool ends[256] = { [','] = true,  ['}'] = true,  [']'] = true, [' '] = true,
		                            ['\n'] = true, ['\r'] = true, ['\t'] = true };
	return ends[(unsigned char)c];
}

/* The functions below consume the value at `*at` if it has its usual form. Otherwise they return
 * false and consume nothing: the caller then uses the function of jscan.h that has the name without
 * the suffix. */

/// Like jscan_string(), for a string without escapes.
JSCAN_INLINE bool jscan_string_at(char **at, struct span *text)
{
	const char *from = *at + 1, *to;
	if (**at != '"')
		return false;
	to = bytes_string_end(from);
	if (*to != '"')
		return false;
	*text = (struct span){ from, (size_t)(to - from) };
	*at = (char *)to + 1;
	return true;
}

/* Reads up to 16 digits: `*v` is their value, `*n` their number. False if there are no digits,
   or if there are several and the first is 0. */
JSCAN_INLINE bool jscan_digits_at(const char *p, uint64_t *v, size_t *n)
{
	static const uint64_t least[] = { UINT64_MAX,
		                              0,
		                              10,
		                              100,
		                              1000,
		                              10000,
		                              100000,
		                              1000000,
		                              10000000,
		                              100000000,
		                              1000000000,
		                              10000000000,
		                              100000000000,
		                              1000000000000,
		                              10000000000000,
		                              100000000000000,
		                              1000000000000000 };
	*n = bytes_number(p, v);
	return *v >= least[*n];
}

/// Like jscan_natural(), for numbers that are followed by a delimiter.
JSCAN_INLINE bool jscan_natural_at(char **at, int64_t *out)
{
	uint64_t v;
	size_t n;
	if (!jscan_digits_at(*at, &v, &n) || !jscan_ends_number((*at)[n]))
		return false;
	*out = (int64_t)v;
	*at += n;
	return true;
}

/// Like jscan_decimal_at(), whatever follows the number: the caller must check that the number ends
/// there.
JSCAN_INLINE bool jscan_decimal_front_at(char **at, unsigned digits, int64_t *out)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	uint64_t v, decimals;
	size_t n;
	/* 19 digits fit in 64 bits; longer numbers are left to jscan_number() */
	if (!jscan_digits_at(*at, &v, &n) || (digits > 3 && n + digits > 19))
		return false;
	char *p = *at + n;
	v *= powers[digits];
	if (digits == 3 && *p == '.' && bytes_three_digits(p + 1, &decimals)) {
		v += decimals;
		p += 4;
	} else if (digits && *p == '.') {
		n = bytes_number(++p, &decimals);
		if (n - 1 > digits - 1)
			return false;
		v += decimals * powers[digits - n];
		p += n;
	}
	if (digits && v > INT64_MAX)
		return false;
	*at = p;
	*out = (int64_t)v;
	return true;
}

/// Like jscan_decimal(), for short numbers without sign, exponent or leading zeros.
JSCAN_INLINE bool jscan_decimal_at(char **at, unsigned digits, int64_t *out)
{
	char *p = *at;
	if (!jscan_decimal_front_at(&p, digits, out) || !jscan_ends_number(*p))
		return false;
	*at = p;
	return true;
}

/* The end of the number without sign and exponent at `p`; NULL if there is none. */
JSCAN_INLINE const char *jscan_number_end(const char *p)
{
	const char *end = bytes_digits_end(p);
	if (end == p || (*p == '0' && end > p + 1))
		return NULL;
	if (*end != '.')
		return end;
	p = end + 1;
	end = bytes_digits_end(p);
	return end == p ? NULL : end;
}

/// Like jscan_skip(), for strings without escapes and for plain numbers.
JSCAN_INLINE bool jscan_skip_at(char **at)
{
	const char *p = *at, *end;
	if (*p == '"') {
		end = bytes_string_end(p + 1);
		if (*end != '"')
			return false;
		*at = (char *)end + 1;
		return true;
	}
	end = jscan_number_end(p);
	if (!end || !jscan_ends_number(*end))
		return false;
	*at = (char *)end;
	return true;
}

/// Reads an array of exactly `nr` numbers, each as jscan_natural() accepts it.
JSCAN_INLINE bool jscan_naturals_at(char **at, size_t nr, int64_t *out)
{
	char *p = *at;
	for (size_t i = 0; i < nr; i++) {
		if (*p++ != (i ? ',' : '['))
			return false;
		while (*p == ' ' || *p == '\n')
			p++;
		if (!jscan_natural_at(&p, &out[i]))
			return false;
	}
	while (*p == ' ' || *p == '\n')
		p++;
	if (*p != ']')
		return false;
	*at = p + 1;
	return true;
}

/// If the input continues with the remembered text `lead`, consumes this text, which reaches from
/// the end of an element to a value in the next object. The caller must then enter this object by
/// jscan_enter_again() or read it to its end. Else returns false, and nothing is consumed.
JSCAN_INLINE bool jscan_follow_lead(struct jscan *js, const struct jscan_lead *lead)
{
	const char *p = js->at;
	if (!bytes_equal(p, lead->text, lead->mask[0]) ||
	    !bytes_equal(p + 32, lead->text + 32, lead->mask[1]) ||
	    (lead->n > 64 && !bytes_equal(p + 64, lead->text + 64, lead->mask[2])))
		return false;
	js->at += lead->n;
	return true;
}

#endif

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/jscan_inline.h"

#define TOKEN_LIMIT ((size_t)64 << 20) ///< largest length in bytes of a string or number

struct jscan *jscan_new(struct source *src, const struct jscan_options *options,
                        struct diag_log *log)
{
	struct jscan *js = mem_calloc(1, sizeof *js);
	js->src = src;
	diag_init(&js->unsaid);
	js->log = log ? log : &js->unsaid;
	js->tolerant = options && options->tolerant;
	js->nan = options && options->nan;
	js->max_depth = options && options->max_depth && options->max_depth < JSCAN_DEPTH
	                    ? options->max_depth
	                    : JSCAN_DEPTH;
	js->cap = source_window(src);
	js->buf = mem_realloc(NULL, js->cap + JSCAN_PAD, 1);
	js->at = js->end = js->buf;
	memset(js->end, 0, JSCAN_PAD);
	jscan_seams_init(js);
	return js;
}

void jscan_free(struct jscan *js)
{
	if (!js)
		return;
	jscan_seams_release(js);
	strbuf_release(&js->text);
	diag_release(&js->unsaid);
	free(js->buf);
	free(js);
}

static void stop(struct jscan *js, enum status st)
{
	if (js->status == ST_OK)
		js->status = st;
	js->base -= (uint64_t)(js->end - js->at); /* so that jscan_byte() still returns the same
	                                             offset */
	js->at = js->end;
	*js->end = '\0';
	js->mark = NULL;
	js->eof = true;
}

bool jscan_fail(struct jscan *js, uint64_t byte, const char *fmt, ...)
{
	if (js->status != ST_OK)
		return false;
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	diag_error(js->log, "%s: byte %" PRIu64 ": %s", source_name(js->src), byte, strbuf_str(&b));
	strbuf_release(&b);
	stop(js, ST_INPUT);
	return false;
}

uint64_t jscan_byte(const struct jscan *js)
{
	return js->base + (uint64_t)(js->at - js->buf);
}

uint64_t jscan_value_byte(struct jscan *js)
{
	(void)jscan_next(js);
	return jscan_byte(js);
}

enum status jscan_status(const struct jscan *js)
{
	return js->status;
}

bool jscan_cut(const struct jscan *js)
{
	return js->cut;
}

uint64_t jscan_faults(const struct jscan *js, uint64_t *first_byte)
{
	*first_byte = js->first_fault;
	return js->faults;
}

void jscan_fault(struct jscan *js, uint64_t byte)
{
	if (js->faults++ == 0)
		js->first_fault = byte;
}

static uint64_t byte_at(const struct jscan *js, const char *p)
{
	return js->base + (uint64_t)(p - js->buf);
}

/* Appends the bytes from js->kept up to `p` to js->keep, before the window drops them. */
static void keep_up_to(struct jscan *js, const char *p)
{
	if (!js->keep || byte_at(js, p) <= js->kept)
		return;
	const char *from = js->buf + (js->kept - js->base);
	strbuf_add(js->keep, (struct span){ from, (size_t)(p - from) });
	js->kept = byte_at(js, p);
}

void jscan_keep(struct jscan *js, struct strbuf *out)
{
	js->kept = jscan_value_byte(js);
	js->keep = out;
}

void jscan_keep_end(struct jscan *js)
{
	keep_up_to(js, js->at);
	js->keep = NULL;
}

bool jscan_refill(struct jscan *js)
{
	if (js->eof)
		return false;
	char *keep = js->mark ? js->mark : js->at;
	size_t kept = (size_t)(js->end - keep), at = (size_t)(js->at - keep);
	if (kept == js->cap) {
		if (js->cap >= TOKEN_LIMIT)
			return jscan_fail(js, byte_at(js, keep), "a string or number longer than %zu bytes",
			                  TOKEN_LIMIT);
		size_t offset = (size_t)(keep - js->buf);
		js->cap *= 2;
		js->buf = mem_realloc(js->buf, js->cap + JSCAN_PAD, 1);
		keep = js->buf + offset;
	}
	keep_up_to(js, keep);
	js->base += (uint64_t)(keep - js->buf);
	memmove(js->buf, keep, kept);
	js->at = js->buf + at;
	js->mark = js->mark ? js->buf : NULL;
	js->end = js->buf + kept;
	size_t nr = 0;
	enum status st = source_read(js->src, js->end, js->cap - kept, &nr, js->log);
	if (st != ST_OK) {
		stop(js, st);
		return false;
	}
	js->end += nr;
	memset(js->end, 0, JSCAN_PAD);
	js->eof = nr == 0;
	return nr > 0;
}

int jscan_next_slow(struct jscan *js)
{
	for (;;) {
		char c = *js->at;
		if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
			js->at++;
		else if (c != '\0' || js->at < js->end)
			return (unsigned char)c;
		else if (!jscan_refill(js))
			return -1;
	}
}

bool jscan_have(struct jscan *js, size_t n)
{
	while ((size_t)(js->end - js->at) < n)
		if (!jscan_refill(js))
			return false;
	return true;
}

bool jscan_fail_expected(struct jscan *js, int c, const char *wanted)
{
	if (js->status != ST_OK)
		return false;
	if (c >= 0x20 && c < 0x7f)
		return jscan_fail(js, jscan_byte(js), "unexpected '%c' where %s was expected", c, wanted);
	if (c >= 0)
		return jscan_fail(js, jscan_byte(js), "unexpected byte 0x%02x where %s was expected",
		                  (unsigned)c, wanted);
	js->cut = true;
	return jscan_fail(js, jscan_byte(js),
	                  "the input ends where %s was expected; it is empty or cut short", wanted);
}

bool jscan_fail_cut(struct jscan *js, const char *wanted)
{
	js->at = js->end;
	return jscan_fail_expected(js, -1, wanted);
}

/* ---- objects and arrays ---- */

static bool in_object(const struct jscan *js)
{
	unsigned depth = js->depth - 1;
	return js->depth && (js->objects[depth / 64] >> (depth % 64) & 1);
}

static bool push(struct jscan *js, bool object)
{
	if (js->depth == js->max_depth)
		return jscan_fail(js, jscan_byte(js), "nested deeper than %u levels", js->max_depth);
	uint64_t bit = (uint64_t)1 << (js->depth % 64);
	uint64_t *objects = &js->objects[js->depth / 64];
	*objects = object ? *objects | bit : *objects & ~bit;
	js->begun[js->depth / 64] &= ~bit;
	js->depth++;
	js->at++;
	jscan_seams_push(js, object);
	return true;
}

bool jscan_member(struct jscan *js, char close)
{
	int c = jscan_next(js);
	unsigned depth = js->depth - 1;
	uint64_t bit = (uint64_t)1 << (depth % 64);
	bool begun = js->begun[depth / 64] & bit;
	if (c == close) {
		js->at++;
		js->depth--;
		return false;
	}
	if (begun) {
		if (c != ',')
			return jscan_fail_expected(js, c, close == '}' ? "',' or '}'" : "',' or ']'");
		js->at++;
	} else if (c < 0) {
		return jscan_fail_expected(js, c, close == '}' ? "a key or '}'" : "a value or ']'");
	}
	js->begun[depth / 64] |= bit;
	return true;
}

enum jscan_type jscan_peek(struct jscan *js)
{
	int c = jscan_next(js);
	switch (c) {
	case '{':
		return JSCAN_OBJECT;
	case '[':
		return JSCAN_ARRAY;
	case '"':
		return JSCAN_STRING;
	case 't':
		return JSCAN_TRUE;
	case 'f':
		return JSCAN_FALSE;
	case 'n':
		return jscan_have(js, 2) && js->at[1] == 'a' ? JSCAN_NAN : JSCAN_NULL;
	case 'N':
	case 'I':
	case 'i':
		return JSCAN_NAN;
	case '-':
		return jscan_have(js, 2) && (js->at[1] == 'I' || js->at[1] == 'i' || js->at[1] == 'n' ||
		                             js->at[1] == 'N')
		           ? JSCAN_NAN
		           : JSCAN_NUMBER;
	default:
		if (is_digit(c))
			return JSCAN_NUMBER;
		jscan_fail_expected(js, c, "a value");
		return JSCAN_END;
	}
}

bool jscan_object(struct jscan *js)
{
	return jscan_next(js) == '{' && push(js, true);
}

bool jscan_array(struct jscan *js)
{
	return jscan_next(js) == '[' && push(js, false);
}

bool jscan_element(struct jscan *js)
{
	return jscan_member(js, ']');
}

/* ---- skipping of values ---- */

/* Skips a number without exponent that ends within the window, as most numbers do; else returns
   false and skips nothing. */
static bool skip_number(struct jscan *js)
{
	const char *end = jscan_number_end(js->at + (*js->at == '-'));
	if (!end || *end == '\0' || *end == 'e' || *end == 'E')
		return false;
	js->at = (char *)end;
	return true;
}

static bool skip_scalar(struct jscan *js, int c)
{
	bool escaped;
	enum jscan_type type;
	if (c == '"')
		return jscan_scan_string(js, &escaped);
	if (skip_number(js))
		return true;
	if (jscan_peek(js) == JSCAN_NUMBER)
		return jscan_scan_number(js);
	return jscan_literal(js, &type);
}

static void skip(struct jscan *js)
{
	unsigned base = js->depth;
	do {
		int c = jscan_next(js);
		if (c == '{' || c == '[') {
			if (!push(js, c == '{'))
				return;
		} else if (!skip_scalar(js, c)) {
			return;
		}
		/* leaves all objects and arrays that end after this value, and stops before the value of
		   the next member */
		while (js->depth > base && !(in_object(js) ? jscan_skip_key(js) : jscan_member(js, ']')))
			if (js->status != ST_OK)
				return;
	} while (js->depth > base);
}

void jscan_skip(struct jscan *js)
{
	js->max_seams = SEAM_LIMIT_SKIPPED;
	skip(js);
	js->max_seams = SEAM_LIMIT;
}

bool jscan_end(struct jscan *js)
{
	int c = jscan_next(js);
	if (c >= 0)
		return jscan_fail(js, jscan_byte(js), "extra data after the end of the JSON text");
	return js->status == ST_OK;
}

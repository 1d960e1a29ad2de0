#include "io/jscan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

#define DEFAULT_WINDOW ((size_t)256 << 10)
#define TOKEN_LIMIT ((size_t)64 << 20) ///< longest string or number that is kept
#define DEPTH_LIMIT 512u

/* The window holds [buf, end); *end is a NUL, which no inner loop passes, so
   that they need not look for the end. Before `mark` (or `at`, where there is
   none) bytes may be dropped when the window is filled again. */
struct jscan {
	struct source *src;
	struct diag_log *log;
	bool tolerant, eof, cut;
	unsigned depth, max_depth;
	enum status status;
	char *buf, *at, *end, *mark;
	size_t cap;
	uint64_t base; ///< offset of buf[0]
	uint64_t faults, first_fault;
	uint64_t objects[DEPTH_LIMIT / 64]; ///< bit per level: 1 object, 0 array
	uint64_t begun[DEPTH_LIMIT / 64]; ///< bit per level: a member has been read
	struct strbuf text; ///< of strings that had escapes
};

/* 1: ends a plain run of string bytes */
static const unsigned char string_stop[256] = {
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,         1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ['"'] = 1, ['\\'] = 1,
};

struct jscan *jscan_new(struct source *src, const struct jscan_options *options,
                        struct diag_log *log)
{
	struct jscan *js = mem_calloc(1, sizeof *js);
	js->src = src;
	js->log = log;
	js->tolerant = options && options->tolerant;
	js->max_depth = options && options->max_depth && options->max_depth < DEPTH_LIMIT
	                    ? options->max_depth
	                    : DEPTH_LIMIT;
	js->cap = options && options->window ? options->window : DEFAULT_WINDOW;
	js->buf = mem_realloc(NULL, js->cap + 1, 1);
	js->at = js->end = js->buf;
	*js->end = '\0';
	return js;
}

void jscan_free(struct jscan *js)
{
	if (!js)
		return;
	strbuf_release(&js->text);
	free(js->buf);
	free(js);
}

static void stop(struct jscan *js, enum status st)
{
	if (js->status == ST_OK)
		js->status = st;
	js->base += (uint64_t)(js->at - js->buf);
	js->at = js->end = js->buf;
	*js->end = '\0';
	js->mark = NULL;
	js->eof = true;
}

enum status jscan_fail(struct jscan *js, uint64_t byte, const char *fmt, ...)
{
	if (js->status != ST_OK)
		return js->status;
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	diag_error(js->log, "%s: byte %" PRIu64 ": %s", source_name(js->src), byte, strbuf_str(&b));
	strbuf_release(&b);
	stop(js, ST_INPUT);
	return js->status;
}

uint64_t jscan_byte(const struct jscan *js)
{
	return js->base + (uint64_t)(js->at - js->buf);
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

static void fault(struct jscan *js, uint64_t byte)
{
	if (js->faults++ == 0)
		js->first_fault = byte;
}

static uint64_t byte_at(const struct jscan *js, const char *p)
{
	return js->base + (uint64_t)(p - js->buf);
}

/* More bytes behind `end`, keeping what is at or after the mark; false at the
   end of the input and after an error. */
static bool refill(struct jscan *js)
{
	if (js->eof)
		return false;
	char *keep = js->mark ? js->mark : js->at;
	size_t kept = (size_t)(js->end - keep), at = (size_t)(js->at - keep);
	if (kept == js->cap) {
		if (js->cap >= TOKEN_LIMIT) {
			jscan_fail(js, byte_at(js, keep), "a string or number longer than %zu bytes",
			           TOKEN_LIMIT);
			return false;
		}
		size_t offset = (size_t)(keep - js->buf);
		js->cap *= 2;
		js->buf = mem_realloc(js->buf, js->cap + 1, 1);
		keep = js->buf + offset;
	}
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
	*js->end = '\0';
	js->eof = nr == 0;
	return nr > 0;
}

/* First byte that is not white space, not consumed; -1 at the end. */
static int next_byte(struct jscan *js)
{
	for (;;) {
		char c = *js->at;
		if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
			js->at++;
		else if (c != '\0' || js->at < js->end)
			return (unsigned char)c;
		else if (!refill(js))
			return -1;
	}
}

/* `n` bytes are in the window, unless the input ends before. */
static bool have(struct jscan *js, size_t n)
{
	while ((size_t)(js->end - js->at) < n)
		if (!refill(js))
			return false;
	return true;
}

static void fail_expected(struct jscan *js, int c, const char *wanted)
{
	if (js->status != ST_OK)
		return;
	if (c < 0) {
		js->cut = true;
		jscan_fail(js, jscan_byte(js),
		           "the input ends where %s was expected; it is empty or cut short", wanted);
	} else if (c >= 0x20 && c < 0x7f) {
		jscan_fail(js, jscan_byte(js), "unexpected '%c' where %s was expected", c, wanted);
	} else {
		jscan_fail(js, jscan_byte(js), "unexpected byte 0x%02x where %s was expected", (unsigned)c,
		           wanted);
	}
}

/* ---- containers ---- */

static bool in_object(const struct jscan *js)
{
	unsigned level = js->depth - 1;
	return js->depth && (js->objects[level / 64] >> (level % 64) & 1);
}

static bool push(struct jscan *js, bool object)
{
	if (js->depth == js->max_depth) {
		jscan_fail(js, jscan_byte(js), "nested deeper than %u levels", js->max_depth);
		return false;
	}
	uint64_t bit = (uint64_t)1 << (js->depth % 64);
	uint64_t *objects = &js->objects[js->depth / 64];
	*objects = object ? *objects | bit : *objects & ~bit;
	js->begun[js->depth / 64] &= ~bit;
	js->depth++;
	js->at++;
	return true;
}

/* Before a member of the innermost container: true where one follows; false
   at the closing bracket, which is consumed, and after an error. */
static bool next_member(struct jscan *js, char close)
{
	int c = next_byte(js);
	unsigned level = js->depth - 1;
	uint64_t bit = (uint64_t)1 << (level % 64);
	bool begun = js->begun[level / 64] & bit;
	if (c == close) {
		js->at++;
		js->depth--;
		return false;
	}
	if (begun) {
		if (c != ',') {
			fail_expected(js, c, close == '}' ? "',' or '}'" : "',' or ']'");
			return false;
		}
		js->at++;
	} else if (c < 0) {
		fail_expected(js, c, close == '}' ? "a key or '}'" : "a value or ']'");
		return false;
	}
	js->begun[level / 64] |= bit;
	return true;
}

enum jscan_type jscan_peek(struct jscan *js)
{
	int c = next_byte(js);
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
		return have(js, 2) && js->at[1] == 'a' ? JSCAN_NAN : JSCAN_NULL;
	case 'N':
	case 'I':
	case 'i':
		return JSCAN_NAN;
	case '-':
		return have(js, 2) && (js->at[1] == 'I' || js->at[1] == 'i' || js->at[1] == 'n' ||
		                       js->at[1] == 'N')
		           ? JSCAN_NAN
		           : JSCAN_NUMBER;
	default:
		if (is_digit(c))
			return JSCAN_NUMBER;
		fail_expected(js, c, "a value");
		return JSCAN_END;
	}
}

bool jscan_object(struct jscan *js)
{
	return next_byte(js) == '{' && push(js, true);
}

bool jscan_array(struct jscan *js)
{
	return next_byte(js) == '[' && push(js, false);
}

bool jscan_element(struct jscan *js)
{
	return next_member(js, ']');
}

/* ---- strings ---- */

/* Number of hex digits at `p`, at most 4. */
static size_t nr_hex(const char *p)
{
	size_t n = 0;
	while (n < 4 &&
	       (is_digit(p[n]) || (p[n] >= 'a' && p[n] <= 'f') || (p[n] >= 'A' && p[n] <= 'F')))
		n++;
	return n;
}

static bool is_hex4(const char *p)
{
	return nr_hex(p) == 4;
}

static bool fail_cut(struct jscan *js, const char *wanted)
{
	js->at = js->end;
	fail_expected(js, -1, wanted);
	return false;
}

/* At a backslash: pass over the escape; false after an error. */
static bool scan_escape(struct jscan *js)
{
	if (!have(js, 2))
		return fail_cut(js, "the end of a string");
	char c = js->at[1];
	if (c == 'u') {
		bool whole = have(js, 6);
		if (js->status != ST_OK)
			return false;
		size_t n = nr_hex(js->at + 2); /* the NUL at the end is no digit */
		if (n == 4) {
			js->at += 6;
			return true;
		}
		if (!whole && js->at + 2 + n == js->end)
			return fail_cut(js, "the end of a string");
	}
	if (c && c != 'u' && strchr("\"\\/bfnrt", c)) {
		js->at += 2;
	} else if (js->tolerant) {
		fault(js, jscan_byte(js));
		js->at++; /* kept as a backslash; what follows is read as plain bytes */
	} else {
		jscan_fail(js, jscan_byte(js), "invalid escape in a string");
	}
	return js->status == ST_OK;
}

/* Pass over the string whose opening quote is at `at`; false after an error.
   Where `mark` was set by the caller it stays there. */
static bool scan_string(struct jscan *js, bool *escaped)
{
	js->at++;
	for (;;) {
		while (!string_stop[(unsigned char)*js->at])
			js->at++;
		if (*js->at == '"') {
			js->at++;
			return true;
		}
		if (*js->at == '\\') {
			*escaped = true;
			if (!scan_escape(js))
				return false;
		} else if (js->at == js->end) {
			if (!refill(js))
				return fail_cut(js, "the end of a string");
		} else if (js->tolerant) {
			fault(js, jscan_byte(js));
			js->at++;
		} else {
			jscan_fail(js, jscan_byte(js), "raw control byte 0x%02x in a string",
			           (unsigned char)*js->at);
			return false;
		}
	}
}

static unsigned hex4(const char *p)
{
	unsigned v = 0;
	for (int i = 0; i < 4; i++)
		v = v * 16 + (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
	return v;
}

/* The text of a validated string; a lone surrogate becomes the three bytes of
   its code, which is invalid UTF-8 and stays one distinct name. */
static struct span decode(struct jscan *js, struct span raw)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	struct strbuf *b = &js->text;
	strbuf_setlen(b, 0);
	for (size_t i = 0; i < raw.n;) {
		const char *slash = memchr(raw.p + i, '\\', raw.n - i);
		size_t plain = slash ? (size_t)(slash - (raw.p + i)) : raw.n - i;
		strbuf_add(b, (struct span){ raw.p + i, plain });
		i += plain;
		if (!slash)
			break;
		const char *p = raw.p + i;
		size_t left = raw.n - i;
		const char *simple = left > 1 && p[1] ? strchr(from, p[1]) : NULL;
		if (left >= 6 && p[1] == 'u' && is_hex4(p + 2)) {
			uint32_t cp = hex4(p + 2);
			i += 6;
			if (cp >= 0xD800 && cp < 0xDC00 && left >= 12 && p[6] == '\\' && p[7] == 'u' &&
			    is_hex4(p + 8) && hex4(p + 8) >= 0xDC00 && hex4(p + 8) < 0xE000) {
				cp = 0x10000 + ((cp - 0xD800) << 10) + (hex4(p + 8) - 0xDC00);
				i += 6;
			}
			text_add_codepoint(b, cp);
		} else if (simple) {
			strbuf_addch(b, to[simple - from]);
			i += 2;
		} else if (left > 1 && (p[1] == '"' || p[1] == '\\' || p[1] == '/')) {
			strbuf_addch(b, p[1]);
			i += 2;
		} else { /* a tolerated bad escape */
			strbuf_addch(b, '\\');
			i++;
		}
	}
	return strbuf_span(b);
}

bool jscan_string(struct jscan *js, struct span *text)
{
	if (next_byte(js) != '"')
		return false;
	bool escaped = false;
	js->mark = js->at;
	bool ok = scan_string(js, &escaped);
	if (ok) {
		struct span raw = { js->mark + 1, (size_t)(js->at - js->mark) - 2 };
		*text = escaped ? decode(js, raw) : raw;
	}
	js->mark = NULL;
	return ok;
}

/* The colon behind a key. */
static bool scan_colon(struct jscan *js)
{
	int c = next_byte(js);
	if (c != ':') {
		fail_expected(js, c, "':'");
		return false;
	}
	js->at++;
	return true;
}

static bool at_key(struct jscan *js)
{
	int c = next_byte(js);
	if (c != '"')
		fail_expected(js, c, "a key");
	return c == '"';
}

bool jscan_key(struct jscan *js, struct span *key)
{
	if (!next_member(js, '}') || !at_key(js))
		return false;
	bool escaped = false;
	js->mark = js->at;
	bool ok = scan_string(js, &escaped);
	if (ok) {
		size_t n = (size_t)(js->at - js->mark) - 2;
		ok = scan_colon(js); /* the mark keeps the key in the window */
		if (ok) {
			struct span raw = { js->mark + 1, n };
			*key = escaped ? decode(js, raw) : raw;
		}
	}
	js->mark = NULL;
	return ok;
}

/* ---- numbers and words ---- */

static char current(struct jscan *js)
{
	return have(js, 1) ? *js->at : '\0';
}

static void skip_digits(struct jscan *js, bool *any)
{
	while (current(js) >= '0' && *js->at <= '9') {
		*any = true;
		js->at++;
	}
}

static bool scan_number(struct jscan *js)
{
	bool any = false;
	if (current(js) == '-')
		js->at++;
	if (current(js) == '0') {
		js->at++;
		any = true;
	} else {
		skip_digits(js, &any);
	}
	if (any && current(js) == '.') {
		js->at++;
		any = false;
		skip_digits(js, &any);
	}
	if (any && (current(js) == 'e' || current(js) == 'E')) {
		js->at++;
		if (current(js) == '+' || current(js) == '-')
			js->at++;
		any = false;
		skip_digits(js, &any);
	}
	if (!any)
		fail_expected(js, have(js, 1) ? (unsigned char)*js->at : -1, "a digit");
	return js->status == ST_OK;
}

bool jscan_number(struct jscan *js, struct span *text)
{
	if (jscan_peek(js) != JSCAN_NUMBER)
		return false;
	js->mark = js->at;
	bool ok = scan_number(js);
	if (ok)
		*text = (struct span){ js->mark, (size_t)(js->at - js->mark) };
	js->mark = NULL;
	return ok;
}

static bool scan_word(struct jscan *js, const char *word)
{
	size_t n = strlen(word);
	have(js, n);
	size_t left = (size_t)(js->end - js->at);
	if (left < n && memcmp(js->at, word, left) == 0)
		return fail_cut(js, "the rest of a word");
	if (left < n || memcmp(js->at, word, n) != 0)
		return false;
	js->at += n;
	return true;
}

static bool scan_nan(struct jscan *js)
{
	static const char *const words[] = { "NaN", "nan", "Infinity", "infinity", "inf", "Inf" };
	uint64_t byte = jscan_byte(js);
	if (!js->tolerant) {
		jscan_fail(js, byte, "NaN or infinity, which is no JSON");
		return false;
	}
	if (*js->at == '-')
		js->at++;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (scan_word(js, words[i])) {
			fault(js, byte);
			return true;
		}
	fail_expected(js, (unsigned char)*js->at, "a value");
	return false;
}

bool jscan_literal(struct jscan *js, enum jscan_type *type)
{
	static const char *const words[] = {
		[JSCAN_TRUE] = "true", [JSCAN_FALSE] = "false", [JSCAN_NULL] = "null"
	};
	enum jscan_type t = jscan_peek(js);
	if (t == JSCAN_NAN) {
		if (!scan_nan(js))
			return false;
	} else if (t == JSCAN_TRUE || t == JSCAN_FALSE || t == JSCAN_NULL) {
		if (!scan_word(js, words[t])) {
			fail_expected(js, (unsigned char)*js->at, "a value");
			return false;
		}
	} else {
		return false;
	}
	*type = t;
	return true;
}

/* Pass over a value that is no container. */
static bool skip_scalar(struct jscan *js, int c)
{
	bool escaped;
	enum jscan_type type;
	if (c == '"')
		return scan_string(js, &escaped);
	if (jscan_peek(js) == JSCAN_NUMBER)
		return scan_number(js);
	return jscan_literal(js, &type);
}

void jscan_skip(struct jscan *js)
{
	unsigned base = js->depth;
	bool escaped;
	do {
		int c = next_byte(js);
		if (c == '{' || c == '[') {
			if (!push(js, c == '{'))
				return;
		} else if (!skip_scalar(js, c)) {
			return;
		}
		/* leave every container that ends here; stop before the next value */
		while (js->depth > base && !next_member(js, in_object(js) ? '}' : ']'))
			if (js->status != ST_OK)
				return;
		if (js->depth > base && in_object(js)) {
			if (!at_key(js) || !scan_string(js, &escaped) || !scan_colon(js))
				return;
		}
	} while (js->depth > base);
}

bool jscan_end(struct jscan *js)
{
	int c = next_byte(js);
	if (js->status != ST_OK)
		return false;
	if (c >= 0) {
		jscan_fail(js, jscan_byte(js), "extra data after the end of the JSON text");
		return false;
	}
	return true;
}

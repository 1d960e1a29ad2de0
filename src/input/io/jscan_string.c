/* Scanning and decoding of strings. */
#include "base/text.h"
#include "io/jscan_internal.h"

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

/* Skips an escape, beginning at its backslash; false after an error. */
static bool scan_escape(struct jscan *js)
{
	if (!jscan_have(js, 2))
		return jscan_fail_cut(js, "the end of a string");
	char c = js->at[1];
	if (c == 'u') {
		bool whole = jscan_have(js, 6);
		if (js->status != ST_OK)
			return false;
		size_t n = nr_hex(js->at + 2); /* nr_hex() stops at the NUL at the end of the window */
		if (n == 4) {
			js->at += 6;
			return true;
		}
		if (!whole && js->at + 2 + n == js->end)
			return jscan_fail_cut(js, "the end of a string");
	}
	if (c && c != 'u' && strchr("\"\\/bfnrt", c)) {
		js->at += 2;
	} else if (js->tolerant) {
		jscan_fault(js, jscan_byte(js));
		js->at++; /* the backslash stays in the string, and the bytes after it are scanned like
		             any others */
	} else {
		return jscan_fail(js, jscan_byte(js), "invalid escape in a string");
	}
	return true;
}

bool jscan_scan_string(struct jscan *js, bool *escaped)
{
	js->at++;
	for (;;) {
		js->at = (char *)bytes_string_end(js->at);
		if (*js->at == '"') {
			js->at++;
			return true;
		}
		if (*js->at == '\\') {
			*escaped = true;
			if (!scan_escape(js))
				return false;
		} else if (js->at == js->end) {
			if (!jscan_refill(js))
				return jscan_fail_cut(js, "the end of a string");
		} else if (js->tolerant) {
			jscan_fault(js, jscan_byte(js));
			js->at++;
		} else {
			return jscan_fail(js, jscan_byte(js), "raw control byte 0x%02x in a string",
			                  (unsigned char)*js->at);
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

/* A lone surrogate becomes three bytes, which are invalid UTF-8, so that texts with different
 * surrogates stay different. */
struct span jscan_decode(struct jscan *js, struct span raw)
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
		} else { /* a bad escape, which scan_escape() has counted as a fault, stays as it is */
			strbuf_addch(b, '\\');
			i++;
		}
	}
	return strbuf_span(b);
}

bool jscan_string(struct jscan *js, struct span *text)
{
	if (jscan_next(js) != '"')
		return false;
	const char *from = js->at + 1, *to = bytes_string_end(from);
	if (*to == '"') { /* the usual case: a plain string within the window */
		*text = (struct span){ from, (size_t)(to - from) };
		js->at = (char *)to + 1;
		return true;
	}
	bool escaped = false;
	js->mark = js->at;
	bool ok = jscan_scan_string(js, &escaped);
	if (ok) {
		struct span raw = { js->mark + 1, (size_t)(js->at - js->mark) - 2 };
		*text = escaped ? jscan_decode(js, raw) : raw;
	}
	js->mark = NULL;
	return ok;
}

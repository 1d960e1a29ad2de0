/* Compares the scanner with json-c in strict mode, on random documents that are damaged in places:
   json-c accepts everything that the scanner accepts, with the same values; every text that only
   json-c accepts has one of json-c's known leniencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "jscan_walk.h"

enum { DOCUMENTS = 60000, DEPTH = 4, DEEPEST = 64 };

static uint64_t state = 1; /* state of the random numbers (xorshift64) */

static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % n;
}

/* ---- random documents ---- */

#define PICK(words) words[below((uint32_t)(sizeof(words) / sizeof *(words)))]

static void add_space(struct strbuf *b)
{
	static const char *const spaces[] = { "", "", "", " ", "\n\t", "\r\n  " };
	strbuf_adds(b, PICK(spaces));
}

static void add_string(struct strbuf *b)
{
	static const char *const parts[] = {
		"a",           "name",     "\\n",      "\\\"", "\\\\",
		"\\/",         "\\u0041",  "\\u00e9",  "ä",    "\\ud83d\\ude00",
		"\\ud800",     "\\udc00x", " {[,:]} ", "\x7f", "0123456789012345",
		"\\b\\f\\r\\t"
	};
	strbuf_adds(b, "\"");
	for (uint32_t n = below(4); n; n--)
		strbuf_adds(b, PICK(parts));
	strbuf_adds(b, "\"");
}

static void add_value(struct strbuf *b, int depth)
{
	static const char *const scalars[] = { "0",     "-0",      "1",    "-12",
		                                   "1.5",   "12.25e3", "1E-2", "9223372036854775807",
		                                   "-1e+5", "0.1",     "true", "false",
		                                   "null" };
	uint32_t kind = below(depth ? 5 : 2), nr = below(4);
	add_space(b);
	if (kind == 0) {
		strbuf_adds(b, PICK(scalars));
	} else if (kind == 1) {
		add_string(b);
	} else if (kind == 2) {
		strbuf_adds(b, "[");
		for (uint32_t i = 0; i < nr; i++) {
			strbuf_adds(b, i ? "," : "");
			add_value(b, depth - 1);
		}
		strbuf_adds(b, "]");
	} else {
		strbuf_adds(b, "{");
		for (uint32_t i = 0; i < nr; i++) {
			strbuf_addf(b, "%s\"k%u\"", i ? "," : "", i);
			add_space(b);
			strbuf_adds(b, ":");
			add_value(b, depth - 1);
		}
		strbuf_adds(b, "}");
	}
	add_space(b);
}

/* Writes a word that JSON or a lenient reader knows over some text, or inserts the word. */
static void damage(struct strbuf *b)
{
	static const char *const words[] = {
		",",  ":",  "{",    "}",   "[",         "]",        "\"",  "'",    "\\",  "0",     ".",
		"-",  "+",  "e",    "NaN", "-Infinity", "Infinity", "nul", "True", "//",  "/* */", "\x01",
		"\t", "\n", "\xff", "'a'", "'k':0,",    "1e999",    "-01", "2.",   "\\x", "\\u12", ";"
	};
	struct strbuf text = *b;
	size_t at = below((uint32_t)text.n + 1), cut = below(3);
	if (cut > text.n - at)
		cut = text.n - at;
	const char *word = below(4) ? PICK(words) : "";
	*b = (struct strbuf)STRBUF_INIT;
	strbuf_addf(b, "%.*s%s%s", (int)at, strbuf_str(&text), word, strbuf_str(&text) + at + cut);
	strbuf_release(&text);
}

/* ---- equal values in both readers ---- */

/* True for equal texts. Half a surrogate pair, which json-c replaces by U+FFFD and the scanner
 * writes as three bytes, counts as equal. */
static bool same_text(struct span s, const char *p, size_t n)
{
	size_t i = 0, k = 0;
	while (i < s.n && k < n) {
		bool half =
		    s.n - i >= 3 && (unsigned char)s.p[i] == 0xed && (unsigned char)s.p[i + 1] >= 0xa0;
		if (half && n - k >= 3 && memcmp(p + k, "\xef\xbf\xbd", 3) == 0) {
			i += 3;
			k += 3;
		} else if (s.p[i++] != p[k++]) {
			return false;
		}
	}
	return i == s.n && k == n;
}

static bool same_number(struct span text, struct json_object *o)
{
	char digits[64];
	snprintf(digits, sizeof digits, "%.*s", (int)text.n, text.p);
	if (json_object_is_type(o, json_type_int))
		return json_object_get_int64(o) == strtoll(digits, NULL, 10);
	return json_object_is_type(o, json_type_double) &&
	       json_object_get_double(o) == strtod(digits, NULL);
}

static bool same(struct jscan *js, struct json_object *o, int depth);

/* json-c keeps the last value of a repeated key, so objects with a repeated key are skipped. */
static bool same_members(struct jscan *js, struct json_object *o, int depth)
{
	struct span name;
	size_t keys = 0;
	bool equal = json_object_is_type(o, json_type_object);
	for (; jscan_key(js, &name); keys++) {
		char key[64];
		struct json_object *inner = NULL;
		snprintf(key, sizeof key, "%.*s", (int)name.n, name.p);
		if (equal && strlen(key) == name.n && json_object_object_get_ex(o, key, &inner))
			equal = same(js, inner, depth + 1);
		else
			jscan_skip(js); /* the document is damaged, or the parsers differ in a known way */
	}
	return (size_t)json_object_object_length(o) < keys ||
	       (equal && (size_t)json_object_object_length(o) == keys);
}

static bool same_elements(struct jscan *js, struct json_object *o, int depth)
{
	size_t i = 0;
	bool equal = json_object_is_type(o, json_type_array);
	for (; jscan_element(js); i++)
		if (equal && i < json_object_array_length(o))
			equal = same(js, json_object_array_get_idx(o, i), depth + 1);
		else
			jscan_skip(js);
	return equal && i == json_object_array_length(o);
}

static bool same(struct jscan *js, struct json_object *o, int depth)
{
	struct span text;
	enum jscan_type type;
	if (jscan_object(js))
		return same_members(js, o, depth);
	if (jscan_array(js))
		return same_elements(js, o, depth);
	if (jscan_string(js, &text))
		return json_object_is_type(o, json_type_string) &&
		       same_text(text, json_object_get_string(o), (size_t)json_object_get_string_len(o));
	if (jscan_number(js, &text))
		return same_number(text, o);
	if (!jscan_literal(js, &type))
		return false;
	return type == JSCAN_NULL ? o == NULL
	                          : json_object_is_type(o, json_type_boolean) &&
	                                json_object_get_boolean(o) == (type == JSCAN_TRUE);
}

static bool same_document(const char *text, size_t n, struct json_object *o)
{
	struct diag_log log;
	diag_init(&log);
	struct source *src = source_memory("doc", text, n, &(struct source_options){ 0 });
	struct jscan *js = jscan_new(src, &(struct jscan_options){ 0 }, &log);
	bool equal = same(js, o, 0);
	jscan_free(js);
	source_close(src);
	diag_release(&log);
	return equal;
}

/* ---- outcomes of both readers ---- */

/* Forms that json-c 0.15 to 0.17 accept in strict mode, although RFC 8259 does not have them. */
static struct leniency {
	const char *what, *error; /* text that json-c accepts; part of our scanner's error for it */
	const char *first; /* first bytes of the fault; NULL if they may be any */
	unsigned nr;
} leniencies[] = {
	{ "raw control bytes in strings", "raw control byte", NULL, 0 },
	{ "NaN and infinity", "which is not JSON", NULL, 0 },
	{ "strings in single quotes", "was expected", "'", 0 },
	{ "zeros before a number", "was expected", "0123456789", 0 },
	{ "zeros before the only number", "extra data", "0123456789", 0 },
	{ "nothing behind a point or an exponent", "a digit was expected", NULL, 0 },
};

static struct leniency *leniency_of(const char *text, size_t n, const struct walked *w)
{
	for (size_t i = 0; i < sizeof leniencies / sizeof *leniencies; i++) {
		struct leniency *l = &leniencies[i];
		char c = w->byte < n ? text[w->byte] : '\0';
		if (strstr(strbuf_str(&w->error), l->error) && (!l->first || (c && strchr(l->first, c))))
			return l;
	}
	return NULL;
}

static void compare(const struct strbuf *doc)
{
	const char *text = strbuf_str(doc);
	struct json_tokener *tok =
	    /* a new tokener, because one that is reset keeps half a surrogate pair */
	    json_tokener_new_ex(DEEPEST);
	struct walked w = walk_text_of((struct span){ text, doc->n }, false, 0, false);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	struct json_object *o = json_tokener_parse_ex(tok, text, (int)doc->n + 1);
	bool theirs = json_tokener_get_error(tok) == json_tokener_success, ours = w.status == ST_OK;
	if (ours && !theirs)
		fail_msg("json-c alone refuses %s", text);
	if (theirs && !ours) {
		struct leniency *l = leniency_of(text, doc->n, &w);
		if (l)
			l->nr++;
		else
			fail_msg("json-c alone takes %s\n%s", text, strbuf_str(&w.error));
	}
	if (ours && !same_document(text, doc->n, o))
		fail_msg("other values in %s", text);
	json_object_put(o);
	json_tokener_free(tok);
	walked_release(&w);
}

static void test_json_c(void **unused)
{
	(void)unused;
	for (int i = 0; i < DOCUMENTS; i++) {
		struct strbuf doc = STRBUF_INIT;
		add_value(&doc, DEPTH);
		for (uint32_t n = below(3); n; n--)
			damage(&doc);
		compare(&doc);
		strbuf_release(&doc);
	}
	for (size_t i = 0; i < sizeof leniencies / sizeof *leniencies; i++)
		if (leniencies[i].nr == 0)
			fail_msg("no document with %s", leniencies[i].what);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_json_c) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

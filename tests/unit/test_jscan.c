/* The JSON scanner. Every row is scanned in strict and in tolerant mode, with values read and with
 * values skipped, in blocks and windows of 1, 2, 3, 7 bytes and of the whole text: events, outcome
 * and offset are always the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jscan_walk.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static const size_t sizes[] = { 0, 1, 2, 3, 7 };

/* What a row expects in one mode: events, or an error at a byte. */
struct expected {
	const char *events; ///< expected events; NULL if an error is expected
	int64_t byte;
	const char *error; ///< expected message after "doc: byte N: "
	uint64_t faults, first_fault;
};

static void check_reading(const struct expected *e, const struct walked *w, bool skip,
                          const char *what)
{
	struct strbuf error = STRBUF_INIT;
	if (!e->events)
		strbuf_addf(&error, "doc: byte %" PRId64 ": %s", e->byte, e->error);
	bool ok = w->status == (e->events ? ST_OK : ST_INPUT) &&
	          span_eq(strbuf_span(&w->error), strbuf_span(&error)) && w->faults == e->faults &&
	          (!w->faults || w->first_fault == e->first_fault);
	if (ok && e->events && !skip)
		ok = span_eq(strbuf_span(&w->events), span_of(e->events));
	if (!ok)
		fail_msg("%s:\n  got  \"%s\" '%s' %" PRIu64 " faults, first %" PRIu64
		         "\n  want \"%s\" '%s' %" PRIu64 " faults, first %" PRIu64,
		         what, strbuf_str(&w->events), strbuf_str(&w->error), w->faults, w->first_fault,
		         e->events ? e->events : "", strbuf_str(&error), e->faults, e->first_fault);
	strbuf_release(&error);
}

static void check(struct span text, bool tolerant, const struct expected *e)
{
	struct walked whole = walk_text_of(text, tolerant, 0, false);
	for (size_t i = 0; i < ROWS(sizes); i++)
		for (int skip = 0; skip < 2; skip++) {
			char what[400];
			struct walked w = walk_text_of(text, tolerant, sizes[i], skip);
			snprintf(what, sizeof what, "%.*s (%s, %s, size %zu)", text.n < 300 ? (int)text.n : 300,
			         text.p, tolerant ? "tolerant" : "strict", skip ? "skipped" : "taken",
			         sizes[i]);
			check_reading(e, &w, skip, what);
			if (!walked_same(&w, &whole, !skip))
				fail_msg("%s: not as whole: '%s', '%s'", what, strbuf_str(&w.events),
				         strbuf_str(&whole.events));
			walked_release(&w);
		}
	walked_release(&whole);
}

/* ---- well-formed texts ---- */

static const struct {
	struct span text;
	const char *events;
} valid_rows[] = {
	/* documents that consist of one scalar, with and without white space around it */
	{ SPAN("true"), "true " },
	{ SPAN("false"), "false " },
	{ SPAN("null"), "null " },
	{ SPAN(" \t\r\n null \t\r\n "), "null " },
	{ SPAN("\"\""), "s'' " },
	{ SPAN("\"a\""), "s'a' " },
	{ SPAN("0"), "0 " },
	{ SPAN("-0"), "-0 " },
	{ SPAN("1 "), "1 " },
	/* containers */
	{ SPAN("[]"), "[] " },
	{ SPAN("{}"), "{} " },
	{ SPAN("[ ]"), "[] " },
	{ SPAN("{ }"), "{} " },
	{ SPAN("[[]]"), "[[] ] " },
	{ SPAN("[[],[[]],{}]"), "[[] [[] ] {} ] " },
	{ SPAN("[1,2 , 3]"), "[1 2 3 ] " },
	{ SPAN("[null,true,false]"), "[null true false ] " },
	{ SPAN("[\"a\",\"b\"]"), "[s'a' s'b' ] " },
	{ SPAN("{\"a\":1}"), "{a:1 } " },
	{ SPAN(" { \"a\" : 1 , \"b\" : { } } "), "{a:1 b:{} } " },
	{ SPAN("{\n\"a\"\r:\t1\n}\n"), "{a:1 } " },
	{ SPAN("{\"a\":{\"b\":{\"c\":[]}}}"), "{a:{b:{c:[] } } } " },
	{ SPAN("{\"\":0}"), "{:0 } " },
	/* an equal key twice: the reader decides which one counts */
	{ SPAN("{\"a\":1,\"a\":2}"), "{a:1 a:2 } " },
	{ SPAN("[{\"a\":[{}]},[{\"b\":null}]]"), "[{a:[{} ] } [{b:null } ] ] " },
	/* numbers keep the digits with which they are written */
	{ SPAN("[0,-1,10,123456789012345678901234567890]"),
	  "[0 -1 10 123456789012345678901234567890 ] " },
	{ SPAN("[0.0,-0.5,1.25,100.001]"), "[0.0 -0.5 1.25 100.001 ] " },
	{ SPAN("[1e1,1E1,1e+1,1e-1,0e0,0.5e10,-1.5E-03]"),
	  "[1e1 1E1 1e+1 1e-1 0e0 0.5e10 -1.5E-03 ] " },
	{ SPAN("[1e999,1e-999]"),
	  "[1e999 1e-999 ] " }, /* the scanner does not check whether a number fits: its readers do */
	{ SPAN("{\"ts\":1682725898237042.123}"), "{ts:1682725898237042.123 } " },
	/* strings */
	{ SPAN("\" \""), "s'\\x20' " },
	{ SPAN("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "s'\"\\x5c/\\x08\\x0c\\x0a\\x0d\\x09' " },
	{ SPAN("\"/\""), "s'/' " },
	{ SPAN("\"\x7f\""), "s'\\x7f' " },
	{ SPAN("\"\\u0041\\u00e4\\u00E4\\u20ac\""), "s'A\\xc3\\xa4\\xc3\\xa4\\xe2\\x82\\xac' " },
	{ SPAN("\"\\u0000\""), "s'\\x00' " },
	{ SPAN("\"a\\u0000b\""), "s'a\\x00b' " },
	{ SPAN("\"\\u000a\\u0022\\u005c\""), "s'\\x0a\"\\x5c' " },
	{ SPAN("\"\\u005Cn\""), "s'\\x5cn' " }, /* escapes are decoded only once */
	{ SPAN("\"\\\\u0041\""), "s'\\x5cu0041' " },
	{ SPAN("\"\\\\\\\\\""), "s'\\x5c\\x5c' " },
	{ SPAN("\"\\uFFFF\\ufffd\""), "s'\\xef\\xbf\\xbf\\xef\\xbf\\xbd' " },
	{ SPAN("\"\\uD83D\\uDE00\""), "s'\\xf0\\x9f\\x98\\x80' " },
	{ SPAN("\"\\ud800\\udc00\\udbff\\udfff\""), "s'\\xf0\\x90\\x80\\x80\\xf4\\x8f\\xbf\\xbf' " },
	/* a lone surrogate becomes three bytes that are not UTF-8, different for each surrogate */
	{ SPAN("\"\\uD83D\""), "s'\\xed\\xa0\\xbd' " },
	{ SPAN("\"\\uDE00\""), "s'\\xed\\xb8\\x80' " },
	{ SPAN("\"\\uDE00\\uD83D\""), "s'\\xed\\xb8\\x80\\xed\\xa0\\xbd' " },
	{ SPAN("\"\\uD83Dx\""), "s'\\xed\\xa0\\xbdx' " },
	{ SPAN("\"\\uD83D\\n\""), "s'\\xed\\xa0\\xbd\\x0a' " },
	{ SPAN("\"\\uD83D\\u0041\""), "s'\\xed\\xa0\\xbdA' " },
	{ SPAN("\"\\uD83D\\uD83D\\uDE00\""), "s'\\xed\\xa0\\xbd\\xf0\\x9f\\x98\\x80' " },
	{ SPAN("\"\\uD83D\\\\uDE00\""), "s'\\xed\\xa0\\xbd\\x5cuDE00' " },
	/* UTF-8, valid or not, is kept as it is */
	{ SPAN("\"\xC3\xA4\xF0\x9F\x98\x80\""), "s'\\xc3\\xa4\\xf0\\x9f\\x98\\x80' " },
	{ SPAN("\"\xFF\xC0\x80\xED\xA0\x80\xE2\x82\""),
	  "s'\\xff\\xc0\\x80\\xed\\xa0\\x80\\xe2\\x82' " },
	/* escapes in keys */
	{ SPAN("{\"\\u0074s\":1}"), "{ts:1 } " },
	{ SPAN("{\"a\\\"b\" : \"c\\\\\"}"), "{a\"b:s'c\\x5c' } " },
	{ SPAN("{\"a\\u0000\":0,\"a\":1}"), "{a\\x00:0 a:1 } " },
};

static void valid(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(valid_rows); i++) {
		struct expected e = { .events = valid_rows[i].events };
		check(valid_rows[i].text, false, &e);
		check(valid_rows[i].text, true, &e);
	}
}

/* ---- texts that are malformed in any mode ---- */

#define ENDS(what) "the input ends where " what " was expected; it is empty or cut short"
#define GOT(c, what) "unexpected " c " where " what " was expected"
#define OBJ_MORE "',' or '}'"
#define ARR_MORE "',' or ']'"
#define EXTRA "extra data after the end of the JSON text"

static const struct {
	struct span text;
	int64_t byte;
	const char *error;
} invalid_rows[] = {
	/* empty inputs */
	{ SPAN(""), 0, ENDS("a value") },
	{ SPAN("  "), 2, ENDS("a value") },
	{ SPAN("\n\t"), 2, ENDS("a value") },
	/* inputs that are cut short */
	{ SPAN("["), 1, ENDS("a value or ']'") },
	{ SPAN("[ "), 2, ENDS("a value or ']'") },
	{ SPAN("[1"), 2, ENDS(ARR_MORE) },
	{ SPAN("[1,"), 3, ENDS("a value") },
	{ SPAN("[1, "), 4, ENDS("a value") },
	{ SPAN("[[1]"), 4, ENDS(ARR_MORE) },
	{ SPAN("[{}"), 3, ENDS(ARR_MORE) },
	{ SPAN("{"), 1, ENDS("a key or '}'") },
	{ SPAN("{\"a"), 3, ENDS("the end of a string") },
	{ SPAN("{\"a\""), 4, ENDS("':'") },
	{ SPAN("{\"a\" "), 5, ENDS("':'") },
	{ SPAN("{\"a\":"), 5, ENDS("a value") },
	{ SPAN("{\"a\":1"), 6, ENDS(OBJ_MORE) },
	{ SPAN("{\"a\":1,"), 7, ENDS("a key") },
	{ SPAN("{\"a\":[]"), 7, ENDS(OBJ_MORE) },
	{ SPAN("\""), 1, ENDS("the end of a string") },
	{ SPAN("\"abc"), 4, ENDS("the end of a string") },
	{ SPAN("\"\\"), 2, ENDS("the end of a string") },
	{ SPAN("\"\\\""), 3, ENDS("the end of a string") },
	{ SPAN("\"a\\n"), 4, ENDS("the end of a string") },
	{ SPAN("\"\\u"), 3, ENDS("the end of a string") },
	{ SPAN("\"\\u00"), 5, ENDS("the end of a string") },
	{ SPAN("\"\\u00e"), 6, ENDS("the end of a string") },
	{ SPAN("\"\\u00e4"), 7, ENDS("the end of a string") },
	{ SPAN("\"\\ud83d\\"), 8, ENDS("the end of a string") },
	{ SPAN("\"\xE2\x82"), 3, ENDS("the end of a string") },
	{ SPAN("-"), 1, ENDS("a digit") },
	{ SPAN("1."), 2, ENDS("a digit") },
	{ SPAN("1e"), 2, ENDS("a digit") },
	{ SPAN("1e+"), 3, ENDS("a digit") },
	{ SPAN("[-"), 2, ENDS("a digit") },
	{ SPAN("t"), 1, ENDS("the rest of a word") },
	{ SPAN("tru"), 3, ENDS("the rest of a word") },
	{ SPAN("fals"), 4, ENDS("the rest of a word") },
	{ SPAN("n"), 1, ENDS("the rest of a word") },
	{ SPAN("[nul"), 4, ENDS("the rest of a word") },
	{ SPAN("{\"a\":f"), 6, ENDS("the rest of a word") },
	/* commas and brackets at the wrong place, or missing */
	{ SPAN("]"), 0, GOT("']'", "a value") },
	{ SPAN("}"), 0, GOT("'}'", "a value") },
	{ SPAN(","), 0, GOT("','", "a value") },
	{ SPAN(":"), 0, GOT("':'", "a value") },
	{ SPAN("[,"), 1, GOT("','", "a value") },
	{ SPAN("[,1]"), 1, GOT("','", "a value") },
	{ SPAN("[1,]"), 3, GOT("']'", "a value") },
	{ SPAN("[1,,2]"), 3, GOT("','", "a value") },
	{ SPAN("[1 2]"), 3, GOT("'2'", ARR_MORE) },
	{ SPAN("[\"a\" \"b\"]"), 5, GOT("'\"'", ARR_MORE) },
	{ SPAN("[\"a\":1]"), 4, GOT("':'", ARR_MORE) },
	{ SPAN("[1:2]"), 2, GOT("':'", ARR_MORE) },
	{ SPAN("[1;2]"), 2, GOT("';'", ARR_MORE) },
	{ SPAN("[1}"), 2, GOT("'}'", ARR_MORE) },
	{ SPAN("[}"), 1, GOT("'}'", "a value") },
	{ SPAN("[[1},2]"), 3, GOT("'}'", ARR_MORE) },
	{ SPAN("{]"), 1, GOT("']'", "a key") },
	{ SPAN("{,}"), 1, GOT("','", "a key") },
	{ SPAN("{\"a\":1,}"), 7, GOT("'}'", "a key") },
	{ SPAN("{\"a\":1,,\"b\":2}"), 7, GOT("','", "a key") },
	{ SPAN("{\"a\":1]"), 6, GOT("']'", OBJ_MORE) },
	{ SPAN("{\"a\":1 \"b\":2}"), 7, GOT("'\"'", OBJ_MORE) },
	{ SPAN("{\"a\":1;\"b\":2}"), 6, GOT("';'", OBJ_MORE) },
	/* wrong keys, wrong and missing colons */
	{ SPAN("{1:1}"), 1, GOT("'1'", "a key") },
	{ SPAN("{a:1}"), 1, GOT("'a'", "a key") },
	{ SPAN("{'a':1}"), 1, GOT("'''", "a key") },
	{ SPAN("{null:1}"), 1, GOT("'n'", "a key") },
	{ SPAN("{[1]:1}"), 1, GOT("'['", "a key") },
	{ SPAN("{\"a\"}"), 4, GOT("'}'", "':'") },
	{ SPAN("{\"a\" 1}"), 5, GOT("'1'", "':'") },
	{ SPAN("{\"a\",1}"), 4, GOT("','", "':'") },
	{ SPAN("{\"a\"::1}"), 5, GOT("':'", "a value") },
	{ SPAN("{\"a\":}"), 5, GOT("'}'", "a value") },
	{ SPAN("{\"a\":,\"b\":1}"), 5, GOT("','", "a value") },
	{ SPAN("{\"a\"=1}"), 4, GOT("'='", "':'") },
	/* numbers */
	{ SPAN("+1"), 0, GOT("'+'", "a value") },
	{ SPAN(".5"), 0, GOT("'.'", "a value") },
	{ SPAN("[-.5]"), 2, GOT("'.'", "a digit") },
	{ SPAN("[-]"), 2, GOT("']'", "a digit") },
	{ SPAN("[--1]"), 2, GOT("'-'", "a digit") },
	{ SPAN("[-a]"), 2, GOT("'a'", "a digit") },
	{ SPAN("[- 1]"), 2, GOT("' '", "a digit") },
	{ SPAN("[01]"), 2, GOT("'1'", ARR_MORE) },
	{ SPAN("[-01]"), 3, GOT("'1'", ARR_MORE) },
	{ SPAN("[00]"), 2, GOT("'0'", ARR_MORE) },
	{ SPAN("[1.]"), 3, GOT("']'", "a digit") },
	{ SPAN("[1.e3]"), 3, GOT("'e'", "a digit") },
	{ SPAN("[0.]"), 3, GOT("']'", "a digit") },
	{ SPAN("[1.2.3]"), 4, GOT("'.'", ARR_MORE) },
	{ SPAN("[1e]"), 3, GOT("']'", "a digit") },
	{ SPAN("[1e+]"), 4, GOT("']'", "a digit") },
	{ SPAN("[1e+-1]"), 4, GOT("'-'", "a digit") },
	{ SPAN("[1e1.5]"), 4, GOT("'.'", ARR_MORE) },
	{ SPAN("[1eE2]"), 3, GOT("'E'", "a digit") },
	{ SPAN("[0e]"), 3, GOT("']'", "a digit") },
	{ SPAN("[1+2]"), 2, GOT("'+'", ARR_MORE) },
	{ SPAN("[0x1F]"), 2, GOT("'x'", ARR_MORE) },
	{ SPAN("[1a]"), 2, GOT("'a'", ARR_MORE) },
	{ SPAN("[1_000]"), 2, GOT("'_'", ARR_MORE) },
	{ SPAN("[1 000]"), 3, GOT("'0'", ARR_MORE) },
	{ SPAN("[\xEF\xBC\x91]"), 1, GOT("byte 0xef", "a value") }, /* fullwidth digit one */
	{ SPAN("[-\xC3\xA4]"), 2, GOT("byte 0xc3", "a digit") },
	/* words */
	{ SPAN("True"), 0, GOT("'T'", "a value") },
	{ SPAN("[trux]"), 1, GOT("'t'", "a value") },
	{ SPAN("[tRUE]"), 1, GOT("'t'", "a value") },
	{ SPAN("[truE]"), 1, GOT("'t'", "a value") },
	{ SPAN("[truee]"), 5, GOT("'e'", ARR_MORE) },
	{ SPAN("[nulll]"), 5, GOT("'l'", ARR_MORE) },
	{ SPAN("[nil]"), 1, GOT("'n'", "a value") },
	{ SPAN("[undefined]"), 1, GOT("'u'", "a value") },
	{ SPAN("[falsy]"), 1, GOT("'f'", "a value") },
	{ SPAN("[a]"), 1, GOT("'a'", "a value") },
	{ SPAN("[true false]"), 6, GOT("'f'", ARR_MORE) },
	/* strings */
	{ SPAN("'a'"), 0, GOT("'''", "a value") },
	{ SPAN("[`a`]"), 1, GOT("'`'", "a value") },
	{ SPAN("[\\u0041]"), 1, GOT("'\\'", "a value") },
	{ SPAN("[\"a\"b]"), 4, GOT("'b'", ARR_MORE) },
	{ SPAN("[\"a\"\\n]"), 4, GOT("'\\'", ARR_MORE) },
	/* bytes that are not white space in JSON, and begin no value */
	{ SPAN("[\x0c]"), 1, GOT("byte 0x0c", "a value") },
	{ SPAN("[\x0b]"), 1, GOT("byte 0x0b", "a value") },
	{ SPAN("[1\x00]"), 2, GOT("byte 0x00", ARR_MORE) },
	{ SPAN("\x00[]"), 0, GOT("byte 0x00", "a value") },
	{ SPAN("[\x00"), 1, GOT("byte 0x00", "a value") },
	{ SPAN("[1\x1f]"), 2, GOT("byte 0x1f", ARR_MORE) },
	{ SPAN("[\xC2\xA0]"), 1, GOT("byte 0xc2", "a value") }, /* no-break space */
	{ SPAN("[\xE2\x80\xA8]"), 1, GOT("byte 0xe2", "a value") }, /* line separator */
	{ SPAN("[\xE2\x81\xA0]"), 1, GOT("byte 0xe2", "a value") }, /* word joiner */
	{ SPAN("[\xFF]"), 1, GOT("byte 0xff", "a value") },
	{ SPAN("[\xEF\xBB\xBF]"), 1, GOT("byte 0xef", "a value") }, /* byte order mark within a text */
	{ SPAN("\xFF\xFE[\0]\0"), 0, GOT("byte 0xff", "a value") }, /* UTF-16 */
	{ SPAN("[\0]\0"), 1, GOT("byte 0x00", "a value") },
	/* comments, and syntax of languages other than JSON */
	{ SPAN("[1]//"), 3, EXTRA },
	{ SPAN("/**/[]"), 0, GOT("'/'", "a value") },
	{ SPAN("[/**/]"), 1, GOT("'/'", "a value") },
	{ SPAN("{\"a\":/*x*/1}"), 5, GOT("'/'", "a value") },
	{ SPAN("[#x\n1]"), 1, GOT("'#'", "a value") },
	{ SPAN("<html>"), 0, GOT("'<'", "a value") },
	{ SPAN("[<null>]"), 1, GOT("'<'", "a value") },
	{ SPAN("*"), 0, GOT("'*'", "a value") },
	{ SPAN("(1)"), 0, GOT("'('", "a value") },
	{ SPAN("\x80\x02}q"), 0, GOT("byte 0x80", "a value") },
	/* text after the end of the document */
	{ SPAN("[]]"), 2, EXTRA },
	{ SPAN("{}}"), 2, EXTRA },
	{ SPAN("[] []"), 3, EXTRA },
	{ SPAN("{}{}"), 2, EXTRA },
	{ SPAN("[1],"), 3, EXTRA },
	{ SPAN("1 2"), 2, EXTRA },
	{ SPAN("12a"), 2, EXTRA },
	{ SPAN("01"), 1, EXTRA },
	{ SPAN("\"a\"\"b\""), 3, EXTRA },
	{ SPAN("null\0"), 4, EXTRA },
	{ SPAN("{} \xEF\xBB\xBF"), 3, EXTRA },
	{ SPAN("{\"a\":1}#"), 7, EXTRA },
	/* an error within nested containers: the offset is that of the error itself */
	{ SPAN("{\"a\":[1,{\"b\":[tru]}]}"), 14, GOT("'t'", "a value") },
	{ SPAN("{\"a\":[1,{\"b\":[2,]}]}"), 16, GOT("']'", "a value") },
	{ SPAN("[[[[[[[1}]]]]]]"), 8, GOT("'}'", ARR_MORE) },
	{ SPAN("{\"a\":{\"b\":{\"c\"}}}"), 14, GOT("'}'", "':'") },
};

static void invalid(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(invalid_rows); i++) {
		struct expected e = { .byte = invalid_rows[i].byte, .error = invalid_rows[i].error };
		check(invalid_rows[i].text, false, &e);
		check(invalid_rows[i].text, true, &e);
	}
}

/* ---- faults of profilers: errors in strict mode, else counted ---- */

#define CONTROL(hex) "raw control byte 0x" hex " in a string"
#define ESCAPE "invalid escape in a string"
#define NOT_A_NUMBER "NaN or infinity, which is not JSON"

static const struct {
	struct span text;
	int64_t byte; ///< offset of the error in strict mode, and of the first fault in tolerant mode
	const char *error;
	uint64_t faults;
	const char *events; ///< expected events in tolerant mode
} tolerated_rows[] = {
	{ SPAN("\"a\nb\""), 2, CONTROL("0a"), 1, "s'a\\x0ab' " },
	{ SPAN("\"\x01\x02\t\""), 1, CONTROL("01"), 3, "s'\\x01\\x02\\x09' " },
	{ SPAN("\"a\0b\""), 2, CONTROL("00"), 1, "s'a\\x00b' " },
	{ SPAN("\"\0\""), 1, CONTROL("00"), 1, "s'\\x00' " },
	{ SPAN("[\"\x1f\"]"), 2, CONTROL("1f"), 1, "[s'\\x1f' ] " },
	{ SPAN("{\"a\nb\":\"\r\"}"), 3, CONTROL("0a"), 2, "{a\\x0ab:s'\\x0d' } " },
	{ SPAN("\"\\x41\""), 1, ESCAPE, 1, "s'\\x5cx41' " },
	{ SPAN("\"\\'\""), 1, ESCAPE, 1, "s'\\x5c'' " },
	{ SPAN("\"C:\\data\\Users\""), 3, ESCAPE, 2, "s'C:\\x5cdata\\x5cUsers' " },
	{ SPAN("\"\\u12\""), 1, ESCAPE, 1, "s'\\x5cu12' " },
	{ SPAN("\"\\u\""), 1, ESCAPE, 1, "s'\\x5cu' " },
	{ SPAN("\"\\u123\""), 1, ESCAPE, 1, "s'\\x5cu123' " },
	{ SPAN("\"\\u123g\""), 1, ESCAPE, 1, "s'\\x5cu123g' " },
	{ SPAN("\"\\u00\\u0041\""), 1, ESCAPE, 1, "s'\\x5cu00A' " },
	{ SPAN("\"\\uD83D\\u\""), 7, ESCAPE, 1, "s'\\xed\\xa0\\xbd\\x5cu' " },
	{ SPAN("\"\\U0041\""), 1, ESCAPE, 1, "s'\\x5cU0041' " },
	{ SPAN("\"\\N\\0\\a\""), 1, ESCAPE, 3, "s'\\x5cN\\x5c0\\x5ca' " },
	{ SPAN("\"\\\n\""), 1, ESCAPE, 2, "s'\\x5c\\x0a' " }, /* 2 faults: escape and newline */
	{ SPAN("\"\\\0\""), 1, ESCAPE, 2, "s'\\x5c\\x00' " },
	{ SPAN("\"\\\xC3\xA4\""), 1, ESCAPE, 1, "s'\\x5c\\xc3\\xa4' " },
	{ SPAN("{\"\\q\":1}"), 2, ESCAPE, 1, "{\\x5cq:1 } " },
	{ SPAN("[NaN]"), 1, NOT_A_NUMBER, 1, "[nan ] " },
	{ SPAN("[nan]"), 1, NOT_A_NUMBER, 1, "[nan ] " },
	{ SPAN("[-nan]"), 1, NOT_A_NUMBER, 1, "[nan ] " },
	{ SPAN("[-NaN]"), 1, NOT_A_NUMBER, 1, "[nan ] " },
	{ SPAN("[Infinity,-Infinity]"), 1, NOT_A_NUMBER, 2, "[nan nan ] " },
	{ SPAN("[inf,-inf,Inf,-Inf]"), 1, NOT_A_NUMBER, 4, "[nan nan nan nan ] " },
	{ SPAN("[infinity]"), 1, NOT_A_NUMBER, 1, "[nan ] " },
	{ SPAN("{\"a\":NaN,\"b\":1}"), 5, NOT_A_NUMBER, 1, "{a:nan b:1 } " },
	{ SPAN("NaN"), 0, NOT_A_NUMBER, 1, "nan " },
	{ SPAN("[\"\n\",NaN,\"\\q\"]"), 2, CONTROL("0a"), 3, "[s'\\x0a' nan s'\\x5cq' ] " },
};

static void tolerated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(tolerated_rows); i++) {
		struct expected strict = { .byte = tolerated_rows[i].byte,
			                       .error = tolerated_rows[i].error };
		struct expected tolerant = { .events = tolerated_rows[i].events,
			                         .faults = tolerated_rows[i].faults,
			                         .first_fault = (uint64_t)tolerated_rows[i].byte };
		check(tolerated_rows[i].text, false, &strict);
		check(tolerated_rows[i].text, true, &tolerant);
	}
}

/* Faults that are not tolerated: text that only looks like NaN, and a cut within a tolerated
   fault. */
static void not_tolerated(void **state)
{
	static const struct {
		struct span text;
		int64_t byte;
		const char *error;
		bool cut;
		uint64_t faults;
	} rows[] = {
		{ SPAN("[NAN]"), 1, GOT("'N'", "a value"), false, 0 },
		{ SPAN("[Nan]"), 1, GOT("'N'", "a value"), false, 0 },
		{ SPAN("[naN]"), 1, GOT("'n'", "a value"), false, 0 },
		{ SPAN("[+NaN]"), 1, GOT("'+'", "a value"), false, 0 },
		{ SPAN("[-null]"), 2, GOT("'n'", "a value"), false, 0 },
		{ SPAN("[- NaN]"), 2, GOT("' '", "a digit"), false, 0 },
		{ SPAN("[NaNa]"), 4, GOT("'a'", ARR_MORE), false, 1 },
		{ SPAN("[Infinite]"), 4, GOT("'i'", ARR_MORE), false, 1 },
		{ SPAN("[infx]"), 4, GOT("'x'", ARR_MORE), false, 1 },
		{ SPAN("[i]"), 1, GOT("'i'", "a value"), false, 0 },
		{ SPAN("[\"\n"), 3, ENDS("the end of a string"), true, 1 },
		{ SPAN("[na"), 3, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[Na"), 3, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[N"), 2, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[-I"), 3, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[Infi"), 5, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[Infinit"), 8, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[-infinit"), 9, ENDS("the rest of a word"), true, 0 },
		{ SPAN("[NaN"), 4, ENDS(ARR_MORE), true, 1 },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct expected e = { .byte = rows[i].byte,
			                  .error = rows[i].error,
			                  .faults = rows[i].faults };
		struct walked w = walk_text_of(rows[i].text, true, 0, false);
		e.first_fault = w.first_fault;
		assert_int_equal(w.cut, rows[i].cut);
		walked_release(&w);
		check(rows[i].text, true, &e);
	}
}

/* ---- texts that are cut short ---- */

/* Every proper prefix of a document counts as cut: the error says so, and is at the prefix's end.
 */
static void cut_at_every_byte(void **state)
{
	static const struct span docs[] = {
		SPAN("{\"a\" : [1, -2.5e+10, true ,false,null, \"x\\u00e4\\ud83d\\ude00\\n\\\\\" ] "
		     ",\"b\":{},\"\\u0041\":[[ ]]}"),
		SPAN("[NaN,-Infinity,\"\\q\n\",nan,inf]"),
	};
	(void)state;
	for (size_t d = 0; d < ROWS(docs); d++)
		for (size_t n = 0; n < docs[d].n; n++)
			for (size_t i = 0; i < 2 * ROWS(sizes); i++) {
				struct walked w =
				    walk_text_of((struct span){ docs[d].p, n }, true, sizes[i / 2], i % 2);
				if (w.status != ST_INPUT || !w.cut || w.byte != n)
					fail_msg("%.*s: status %d, cut %d, byte %" PRIu64, (int)n, docs[d].p, w.status,
					         w.cut, w.byte);
				walked_release(&w);
			}
}

/* Errors that are not caused by a cut are not reported as a cut. */
static void errors_are_no_cuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(invalid_rows); i++) {
		struct walked w = walk_text_of(invalid_rows[i].text, true, 0, false);
		bool ends = strncmp(invalid_rows[i].error, "the input ends", 14) == 0;
		if (w.cut != ends)
			fail_msg("%.*s: cut %d", (int)invalid_rows[i].text.n, invalid_rows[i].text.p, w.cut);
		walked_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid),
		cmocka_unit_test(invalid),
		cmocka_unit_test(tolerated),
		cmocka_unit_test(not_tolerated),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(errors_are_no_cuts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Text from untrusted bytes: the output is valid UTF-8 and fit for its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))
#define BAD "\xEF\xBF\xBD" /* the character U+FFFD as UTF-8 */

struct utf8_row {
	struct span in;
	const char *out; ///< expected output of text_add_valid()
	size_t chars;
	bool valid;
};

/* Malformed parts are maximal subparts, as in section 3.9 of the Unicode Standard. */
static const struct utf8_row utf8_rows[] = {
	{ SPAN(""), "", 0, true },
	{ SPAN("plain"), "plain", 5, true },
	{ SPAN("\x7f"), "\x7f", 1, true },
	{ SPAN("\xC2\x80"), "\xC2\x80", 1, true },
	{ SPAN("\xDF\xBF"), "\xDF\xBF", 1, true },
	{ SPAN("\xE0\xA0\x80"), "\xE0\xA0\x80", 1, true },
	{ SPAN("\xED\x9F\xBF"), "\xED\x9F\xBF", 1, true },
	{ SPAN("\xEE\x80\x80"), "\xEE\x80\x80", 1, true },
	{ SPAN("\xEF\xBF\xBF"), "\xEF\xBF\xBF", 1, true }, /* a non-character is a valid code point */
	{ SPAN(BAD), BAD, 1, true },
	{ SPAN("\xF0\x90\x80\x80"), "\xF0\x90\x80\x80", 1, true },
	{ SPAN("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF", 1, true },
	{ SPAN("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z"), "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z", 5,
	  true },
	/* text with a NUL */
	{ SPAN("a\0b"), "a" BAD "b", 3, false },
	/* lone continuation bytes and bytes that never occur */
	{ SPAN("\x80"), BAD, 1, false },
	{ SPAN("\xBF\xBF"), BAD BAD, 2, false },
	{ SPAN("\xFE\xFF"), BAD BAD, 2, false },
	{ SPAN("\xF5\x80\x80\x80"), BAD BAD BAD BAD, 4, false },
	{ SPAN("\xF8\x88\x80\x80\x80"), BAD BAD BAD BAD BAD, 5, false },
	/* overlong forms of characters */
	{ SPAN("\xC0\xAF"), BAD BAD, 2, false },
	{ SPAN("\xC1\xBF"), BAD BAD, 2, false },
	{ SPAN("\xC0\x80"), BAD BAD, 2, false },
	{ SPAN("\xE0\x80\xAF"), BAD BAD BAD, 3, false },
	{ SPAN("\xE0\x9F\xBF"), BAD BAD BAD, 3, false },
	{ SPAN("\xF0\x80\x80\xAF"), BAD BAD BAD BAD, 4, false },
	{ SPAN("\xF0\x8F\xBF\xBF"), BAD BAD BAD BAD, 4, false },
	/* surrogates as UTF-8 */
	{ SPAN("\xED\xA0\x80"), BAD BAD BAD, 3, false },
	{ SPAN("\xED\xBF\xBF"), BAD BAD BAD, 3, false },
	{ SPAN("\xED\xA0\xBD\xED\xB8\x80"), BAD BAD BAD BAD BAD BAD, 6, false },
	/* code points beyond U+10FFFF */
	{ SPAN("\xF4\x90\x80\x80"), BAD BAD BAD BAD, 4, false },
	/* cut sequences: one U+FFFD for the beginning of a character */
	{ SPAN("\xC3"), BAD, 1, false },
	{ SPAN("\xE2\x82"), BAD, 1, false },
	{ SPAN("\xF0\x9F\x98"), BAD, 1, false },
	{ SPAN("\xF0\x9F"), BAD, 1, false },
	{ SPAN("\xF0"), BAD, 1, false },
	{ SPAN("\xE2\x82x"), BAD "x", 2, false },
	{ SPAN("\xC3\xC3\xA4"), BAD "\xC3\xA4", 2, false },
	{ SPAN("\xF0\x9F\xE2\x82\xAC"), BAD "\xE2\x82\xAC", 2, false },
	{ SPAN("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
	  "a" BAD BAD BAD "b" BAD "c" BAD BAD "d", 10, false }, /* table 3-8 of the Unicode Standard */
	/* a U+FFFD in the input beside a malformed byte */
	{ SPAN(BAD "\x80"), BAD BAD, 2, false },
};

static void utf8(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(utf8_rows); i++) {
		const struct utf8_row *r = &utf8_rows[i];
		struct strbuf b = STRBUF_INIT;
		text_add_valid(&b, r->in);
		if (!span_eq(strbuf_span(&b), span_of(r->out)) || text_chars(r->in) != r->chars ||
		    text_is_valid(r->in) != r->valid)
			fail_msg("row %zu: '%s', %zu characters", i, strbuf_str(&b), text_chars(r->in));
		assert_true(text_is_valid(strbuf_span(&b)));
		strbuf_release(&b);
	}
}

/* Every code point survives a round trip; surrogates and values beyond U+10FFFF are never valid. */
static void codepoints_round_trip(void **state)
{
	struct strbuf b = STRBUF_INIT;
	(void)state;
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		size_t at = 0;
		bool surrogate = cp >= 0xD800 && cp < 0xE000;
		strbuf_setlen(&b, 0);
		text_add_codepoint(&b, cp);
		uint32_t back = text_next(strbuf_span(&b), &at);
		if (surrogate ? back != 0xFFFD || at != 1 : back != cp || at != b.n)
			fail_msg("U+%04X came back as U+%04X", (unsigned)cp, (unsigned)back);
		if (text_is_valid(strbuf_span(&b)) != (cp != 0 && !surrogate))
			fail_msg("validity of U+%04X", (unsigned)cp);
	}
	strbuf_release(&b);
}

/* Any three bytes: decoding advances and stays inside, and the output is valid. */
static void any_bytes(void **state)
{
	struct strbuf b = STRBUF_INIT;
	(void)state;
	for (unsigned v = 0; v < 1u << 24; v += 7) {
		char in[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
		struct span s = { in, 3 };
		strbuf_setlen(&b, 0);
		text_add_valid(&b, s);
		if (!text_is_valid(strbuf_span(&b)) || text_chars(s) != text_chars(strbuf_span(&b)))
			fail_msg("%06x", v);
	}
	strbuf_release(&b);
}

static void line(void **state)
{
	static const struct {
		struct span in;
		const char *out;
	} rows[] = {
		{ SPAN(""), "" },
		{ SPAN("void f<4>(int*)"), "void f<4>(int*)" },
		{ SPAN("\xC3\xA4\xE2\x82\xAC"), "\xC3\xA4\xE2\x82\xAC" },
		{ SPAN("a\nb\tc\rd"), "a" BAD "b" BAD "c" BAD "d" },
		{ SPAN("\0\x01\x1f"), BAD BAD BAD },
		{ SPAN("\x1b[31mred"), BAD "[31mred" },
		{ SPAN("\x7f"), BAD },
		{ SPAN("\xC2\x80\xC2\x85\xC2\x9B\xC2\x9F"), BAD BAD BAD BAD }, /* C1 control characters */
		{ SPAN("\xC2\xA0"), "\xC2\xA0" },
		{ SPAN("\xE2\x80\xA8\xE2\x80\xA9"), BAD BAD }, /* line separator and paragraph separator */
		{ SPAN("\xE2\x80\xAA\xE2\x80\xAB\xE2\x80\xAC\xE2\x80\xAD\xE2\x80\xAE"),
		  BAD BAD BAD BAD BAD },
		{ SPAN("\xE2\x81\xA6\xE2\x81\xA7\xE2\x81\xA8\xE2\x81\xA9"), BAD BAD BAD BAD },
		{ SPAN("\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C"),
		  BAD BAD BAD }, /* direction marks LRM, RLM, ALM */
		{ SPAN("\xEF\xBB\xBFx"), BAD "x" }, /* byte order mark */
		/* printable characters whose code points are next to separators or direction marks */
		{ SPAN("\xE2\x80\xA7\xE2\x80\xAF"), "\xE2\x80\xA7\xE2\x80\xAF" },
		{ SPAN("a\xED\xA0\x80"), "a" BAD BAD BAD },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct strbuf b = STRBUF_INIT;
		text_add_line(&b, rows[i].in);
		if (!span_eq(strbuf_span(&b), span_of(rows[i].out)))
			fail_msg("row %zu: '%s'", i, strbuf_str(&b));
		strbuf_release(&b);
	}
}

static void hash32(void **state)
{
	(void)state; /* test vectors of FNV-1a */
	assert_int_equal(text_hash32(SPAN("")), 0x811c9dc5);
	assert_int_equal(text_hash32(SPAN("a")), 0xe40c292c);
	assert_int_equal(text_hash32(SPAN("foobar")), 0xbf9cf968);
	assert_int_not_equal(text_hash32(SPAN("a\0")), text_hash32(SPAN("a")));
}

static void shorten(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *head; ///< expected beginning; NULL if the text is not cut
	} rows[] = {
		{ "", 0, NULL },
		{ "short", 5, NULL },
		{ "short", 200, NULL },
		{ "0123456789", 10, NULL },
		{ "0123456789A", 10, "0" },
		{ "0123456789ABCDEF", 12, "012" },
		{ "0123456789ABCDEF", 9, "" },
		/* characters are counted, not bytes */
		{ "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC", 6, NULL },
		{ "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6"
		  "\xC3\xBC",
		  11, "\xC3\xA4\xC3\xB6" },
		{ "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F"
		  "\x98\x80"
		  "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80",
		  10, "\xF0\x9F\x98\x80" },
		{ "a\nb and more text", 12, "a" BAD "b" },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct strbuf b = STRBUF_INIT, want = STRBUF_INIT;
		struct span in = span_of(rows[i].in);
		text_add_short(&b, in, rows[i].max);
		strbuf_adds(&want, rows[i].head ? rows[i].head : rows[i].in);
		if (rows[i].head)
			strbuf_addf(&want, "~%08x", text_hash32(in));
		assert_string_equal(strbuf_str(&b), strbuf_str(&want));
		strbuf_release(&b);
		strbuf_release(&want);
	}
}

/* At every length limit, the text is valid, has at most that many characters, and different texts
 * have different hashes. */
static void shorten_at_every_length(void **state)
{
	static const char in[] =
	    "x\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\x80 kernel \xC3\xA4\xE2\x82\xAC end\xE2\x82";
	struct span whole = { in, sizeof in - 1 };
	(void)state;
	for (size_t n = 0; n <= whole.n; n++)
		for (size_t max = 9; max < 40; max++) {
			struct strbuf b = STRBUF_INIT;
			struct span s = { in, n };
			text_add_short(&b, s, max);
			assert_true(text_is_valid(strbuf_span(&b)));
			assert_true(text_chars(strbuf_span(&b)) <= max);
			if (text_chars(s) <= max)
				assert_int_equal(text_chars(strbuf_span(&b)), text_chars(s));
			strbuf_release(&b);
		}
}

static void quote(void **state)
{
	struct arena a = ARENA_INIT;
	char big[1000];
	(void)state;
	assert_string_equal(text_quote(&a, SPAN("")), "''");
	assert_string_equal(text_quote(&a, SPAN("it")), "'it'");
	assert_string_equal(text_quote(&a, SPAN("a\0\nb")), "'a" BAD BAD "b'");
	memset(big, 'k', sizeof big);
	const char *q = text_quote(&a, (struct span){ big, sizeof big });
	assert_int_equal(strlen(q), 202);
	assert_int_equal(q[192], '~');
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8),
		cmocka_unit_test(codepoints_round_trip),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(line),
		cmocka_unit_test(hash32),
		cmocka_unit_test(shorten),
		cmocka_unit_test(shorten_at_every_length),
		cmocka_unit_test(quote),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

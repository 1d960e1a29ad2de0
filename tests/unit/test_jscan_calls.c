/* Tests of each function of the JSON scanner, and of the scanner's limits. */
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

/* ---- limits of the scanner ---- */

static void nest(struct strbuf *b, unsigned depth, bool objects)
{
	for (unsigned i = 0; i < depth; i++)
		strbuf_adds(b, objects ? "{\"a\":" : "[");
	strbuf_adds(b, objects ? "1" : "");
	for (unsigned i = 0; i < depth; i++)
		strbuf_adds(b, objects ? "}" : "]");
}

static void nesting(void **state)
{
	(void)state;
	for (int objects = 0; objects < 2; objects++)
		for (int skip = 0; skip < 2; skip++)
			for (unsigned depth = 511; depth < 515; depth++) {
				struct strbuf b = STRBUF_INIT;
				nest(&b, depth, objects);
				struct walked w = walk_text_of(strbuf_span(&b), false, 7, skip);
				assert_int_equal(w.status, depth <= 512 ? ST_OK : ST_INPUT);
				if (depth > 512) {
					assert_int_equal(w.byte, objects ? 512 * 5 : 512);
					assert_non_null(
					    strstr(strbuf_str(&w.error), ": nested deeper than 512 levels"));
					assert_false(w.cut);
				}
				walked_release(&w);
				strbuf_release(&b);
			}
}

static void nesting_limit_of_the_caller(void **state)
{
	static const struct {
		const char *text;
		unsigned limit;
		bool ok;
	} rows[] = {
		{ "[[1]]", 2, true },         { "[[[1]]]", 2, false },   { "1", 1, true },
		{ "[{\"a\":{}}]", 2, false }, { "[[],[],[]]", 2, true }, { "{\"a\":[],\"b\":{}}", 2, true },
		{ "[]", 100000, true },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct diag_log log;
		struct jscan_options options = { .max_depth = rows[i].limit };
		diag_init(&log);
		struct source *src = source_memory("doc", rows[i].text, strlen(rows[i].text), NULL);
		struct jscan *js = jscan_new(src, &options, &log);
		jscan_skip(js);
		assert_int_equal(jscan_end(js), rows[i].ok);
		jscan_free(js);
		source_close(src);
		diag_release(&log);
	}
}

/* Strings, keys and numbers that are longer than the window, or reach beyond its end. */
static void longer_than_the_window(void **state)
{
	static const size_t lengths[] = { 1, 6, 7, 8, 62, 63, 64, 65, 1000, 300000 };
	(void)state;
	for (size_t l = 0; l < ROWS(lengths); l++)
		for (size_t window = 1; window <= 64; window = window == 1 ? 63 : window + 1) {
			struct strbuf b = STRBUF_INIT, want = STRBUF_INIT;
			strbuf_adds(&want, "{");
			strbuf_adds(&b, "{\"");
			for (size_t i = 0; i < lengths[l]; i++)
				strbuf_addch(&b, (char)('a' + i % 26));
			strbuf_add(&want, (struct span){ b.p + 2, lengths[l] });
			strbuf_adds(&b, "\"    :   \"\\u0041");
			strbuf_adds(&want, ":s'A");
			for (size_t i = 0; i < lengths[l]; i++) {
				strbuf_addch(&b, (char)('a' + i % 26));
				strbuf_addch(&want, (char)('a' + i % 26));
			}
			strbuf_adds(&b, "\",\"n\":1");
			strbuf_adds(&want, "' n:1");
			for (size_t i = 0; i < lengths[l]; i++) {
				strbuf_addch(&b, (char)('0' + i % 10));
				strbuf_addch(&want, (char)('0' + i % 10));
			}
			strbuf_adds(&b, "}");
			strbuf_adds(&want, " } ");
			struct walked w = walk_text_of(strbuf_span(&b), false, window, false);
			if (w.status != ST_OK || !span_eq(strbuf_span(&w.events), strbuf_span(&want)))
				fail_msg("length %zu, window %zu: %s", lengths[l], window, strbuf_str(&w.error));
			walked_release(&w);
			struct walked skipped = walk_text_of(strbuf_span(&b), false, window, true);
			assert_int_equal(skipped.status, ST_OK);
			walked_release(&skipped);
			strbuf_release(&b);
			strbuf_release(&want);
		}
}

/* A string of 64 MiB is refused if it is kept, and skipped if it is not. */
static void token_limit(void **state)
{
	const size_t n = ((size_t)64 << 20) + 10;
	char *text = malloc(n);
	(void)state;
	assert_non_null(text);
	memset(text, 'a', n);
	memcpy(text, "  \"", 3);
	text[n - 1] = '"';
	struct walked taken = walk_text_of((struct span){ text, n }, false, 0, false);
	struct walked skipped = walk_text_of((struct span){ text, n }, false, 0, true);
	assert_int_equal(taken.status, ST_INPUT);
	assert_string_equal(strbuf_str(&taken.error),
	                    "doc: byte 2: a string or number longer than 67108864 bytes");
	assert_false(taken.cut);
	assert_int_equal(skipped.status, ST_OK);
	walked_release(&taken);
	walked_release(&skipped);
	free(text);
}

/* ---- each function by itself ---- */

struct fixture {
	struct diag_log log;
	struct source *src;
	struct jscan *js;
};

static void begin(struct fixture *f, const char *text, size_t window)
{
	struct source_options so = { .block = window, .window = window };
	struct jscan_options options = { .tolerant = true };
	diag_init(&f->log);
	f->src = source_memory("doc", text, strlen(text), &so);
	f->js = jscan_new(f->src, &options, &f->log);
}

static void end(struct fixture *f)
{
	jscan_free(f->js);
	source_close(f->src);
	diag_release(&f->log);
}

static void peek_tells_the_type(void **state)
{
	static const struct {
		const char *text;
		enum jscan_type type;
	} rows[] = {
		{ " {}", JSCAN_OBJECT }, { " []", JSCAN_ARRAY },     { " \"\"", JSCAN_STRING },
		{ " 1", JSCAN_NUMBER },  { "-1", JSCAN_NUMBER },     { "-", JSCAN_NUMBER },
		{ "true", JSCAN_TRUE },  { "false", JSCAN_FALSE },   { "null", JSCAN_NULL },
		{ "nan", JSCAN_NAN },    { "NaN", JSCAN_NAN },       { "-nan", JSCAN_NAN },
		{ "-inf", JSCAN_NAN },   { "-Infinity", JSCAN_NAN }, { "-NaN", JSCAN_NAN },
		{ "", JSCAN_END },       { "?", JSCAN_END },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t s = 0; s < ROWS(sizes); s++) {
			struct fixture f;
			begin(&f, rows[i].text, sizes[s]);
			assert_int_equal(jscan_peek(f.js), rows[i].type);
			assert_int_equal(jscan_peek(f.js), rows[i].type); /* the first call consumed nothing */
			end(&f);
		}
}

/* A call of the wrong type consumes nothing. */
static void wrong_type_consumes_nothing(void **state)
{
	struct fixture f;
	struct span text;
	enum jscan_type type;
	(void)state;
	begin(&f, "[ 12 , \"s\", {}, null]", 1);
	assert_false(jscan_object(f.js));
	assert_false(jscan_string(f.js, &text));
	assert_false(jscan_number(f.js, &text));
	assert_false(jscan_literal(f.js, &type));
	assert_true(jscan_array(f.js));
	assert_true(jscan_element(f.js));
	assert_false(jscan_array(f.js));
	assert_false(jscan_string(f.js, &text));
	assert_false(jscan_literal(f.js, &type));
	assert_true(jscan_number(f.js, &text));
	assert_true(span_eq(text, SPAN("12")));
	assert_true(jscan_element(f.js));
	assert_false(jscan_number(f.js, &text));
	assert_true(jscan_string(f.js, &text));
	assert_true(span_eq(text, SPAN("s")));
	assert_true(jscan_element(f.js));
	assert_false(jscan_array(f.js));
	assert_true(jscan_object(f.js));
	assert_false(jscan_key(f.js, &text));
	assert_true(jscan_element(f.js));
	assert_true(jscan_literal(f.js, &type));
	assert_int_equal(type, JSCAN_NULL);
	assert_int_equal(jscan_byte(f.js), 20);
	assert_false(jscan_element(f.js));
	assert_true(jscan_end(f.js));
	assert_int_equal(jscan_status(f.js), ST_OK);
	assert_null(diag_first_error(&f.log));
	end(&f);
}

/* After an error every loop of a reader ends, and the first error stays. */
static void errors_are_sticky(void **state)
{
	struct fixture f;
	struct span key, text;
	enum jscan_type type;
	(void)state;
	begin(&f, "{\"a\":[1,2,3],\"b\":4}", 3);
	assert_true(jscan_object(f.js));
	assert_true(jscan_key(f.js, &key));
	assert_true(jscan_array(f.js));
	assert_true(jscan_element(f.js));
	assert_false(jscan_fail(f.js, 6, "%s is not wanted", "1"));
	assert_false(jscan_fail(f.js, 7, "later"));
	assert_string_equal(diag_first_error(&f.log), "doc: byte 6: 1 is not wanted");
	assert_null(f.log.first->next);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(jscan_peek(f.js), JSCAN_END);
		assert_false(jscan_object(f.js));
		assert_false(jscan_array(f.js));
		assert_false(jscan_string(f.js, &text));
		assert_false(jscan_number(f.js, &text));
		assert_false(jscan_literal(f.js, &type));
		jscan_skip(f.js);
		assert_false(jscan_element(f.js));
		assert_false(jscan_key(f.js, &key));
		assert_false(jscan_end(f.js));
	}
	assert_int_equal(jscan_status(f.js), ST_INPUT);
	assert_false(jscan_cut(f.js));
	assert_null(f.log.first->next);
	end(&f);
}

/* An error of the source ends the scan with the source's message. */
static void source_errors_pass(void **state)
{
	struct diag_log log;
	struct source_options so = { .max_bytes = 5 };
	(void)state;
	diag_init(&log);
	struct source *src = source_memory("doc", "[1,2,3]", 7, &so);
	struct jscan *js = jscan_new(src, NULL, &log);
	jscan_skip(js);
	assert_int_equal(jscan_status(js), ST_INPUT);
	assert_false(jscan_cut(js));
	assert_non_null(strstr(diag_first_error(&log), "limit of 5 expanded bytes"));
	assert_null(log.first->next);
	jscan_free(js);
	source_close(src);
	diag_release(&log);
	jscan_free(NULL);
}

/* jscan_keep() copies the whole text of a value and no text beside it, wherever windows end. */
static void text_is_kept(void **state)
{
	static const char text[] = "[1,  {\"key\": [1.5, \"a\\nb\", {}], \"k\": true } , 2]";
	(void)state;
	for (size_t window = 0; window <= 64; window++)
		for (size_t s = 0; s < ROWS(sizes); s++) {
			struct diag_log log;
			struct strbuf kept = STRBUF_INIT;
			diag_init(&log);
			struct source_options so = { .block = sizes[s], .window = window };
			struct source *src = source_memory("doc", text, strlen(text), &so);
			struct jscan *js = jscan_new(src, NULL, &log);
			assert_true(jscan_array(js));
			for (int i = 0; jscan_element(js); i++) {
				if (i == 1)
					jscan_keep(js, &kept);
				jscan_skip(js);
				if (i == 1)
					jscan_keep_end(js);
			}
			assert_true(jscan_end(js));
			assert_string_equal(strbuf_str(&kept), "{\"key\": [1.5, \"a\\nb\", {}], \"k\": true }");
			strbuf_release(&kept);
			jscan_free(js);
			source_close(src);
			diag_release(&log);
		}
}

static void only_white_space_may_follow(void **state)
{
	static const struct {
		const char *text;
		bool ok;
	} rows[] = {
		{ "1", true }, { "1 \n\t\r ", true }, { "1 x", false }, { "1\v", false }, { "1 1", false }
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t s = 0; s < ROWS(sizes); s++) {
			struct fixture f;
			begin(&f, rows[i].text, sizes[s]);
			jscan_skip(f.js);
			assert_int_equal(jscan_end(f.js), rows[i].ok);
			assert_int_equal(jscan_end(f.js), rows[i].ok);
			end(&f);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting),
		cmocka_unit_test(nesting_limit_of_the_caller),
		cmocka_unit_test(longer_than_the_window),
		cmocka_unit_test(token_limit),
		cmocka_unit_test(peek_tells_the_type),
		cmocka_unit_test(wrong_type_consumes_nothing),
		cmocka_unit_test(errors_are_sticky),
		cmocka_unit_test(source_errors_pass),
		cmocka_unit_test(text_is_kept),
		cmocka_unit_test(only_white_space_may_follow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

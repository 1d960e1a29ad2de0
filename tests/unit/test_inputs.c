#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "results/result_file.h"

/* Reads a text in blocks of `block` bytes; `out` gets the figures as one line, or the error. */
static enum status read_text(struct span text, size_t block, bool *other, struct strbuf *out)
{
	struct diag_log log;
	struct digest *d = digest_new();
	struct source *src =
	    source_memory("m", text.p, text.n, &(struct source_options){ .block = block });
	diag_init(&log);
	enum status st = inputs_read(src, d, other, &log);
	if (st != ST_OK)
		strbuf_adds(out, diag_first_error(&log));
	for (size_t i = 0; st == ST_OK && i < d->inputs.nr; i++)
		strbuf_addf(out, "%s%s=%llde%lld", i ? " " : "", d->inputs.v[i].name,
		            (long long)d->inputs.v[i].value, -(long long)d->inputs.v[i].digits);
	if (d->trust.json_faults)
		strbuf_addf(out, " | %lld faults from %lld on", (long long)d->trust.json_faults,
		            (long long)d->trust.fault_byte);
	diag_release(&log);
	source_close(src);
	digest_free(d);
	return st;
}

/* A warning says the value that was not measured, and nothing that follows it in the file. */
static void test_unmeasured(void **state)
{
	(void)state;
	static const char text[] = "{\"latency_ms\": -1, \"tokens_per_s\": 5}";
	struct digest *d = digest_new();
	struct diag_log log;
	bool other;
	diag_init(&log);
	struct source *src = source_memory("m", text, sizeof text - 1, NULL);
	assert_int_equal(inputs_read(src, d, &other, &log), ST_OK);
	assert_non_null(log.first);
	assert_non_null(strstr(log.first->text, "'latency_ms' is -1, not measured"));
	diag_release(&log);
	source_close(src);
	digest_free(d);
}

static const struct row {
	const char *text;
	const char *figures; ///< expected figures, or, if `refused`, the error without the file's name
	bool refused, other;
} rows[] = {
	{ "{\"tokens_per_s\": 123.4}", "tokens_per_s=1234e-1", false, false },
	{ "{\"b\":-2.5e-1,\"a\":70, \"val/p-9.9_A\" :0}", "a=7e1 b=-25e-2 val/p-9.9_A=0e0", false,
	  false },
	/* no digit is lost */
	{ "{\"a\":0.7612345,\"b\":-0.0000005,\"c\":2.2e-07}", "a=7612345e-7 b=-5e-7 c=22e-8", false,
	  false },
	{ "{\"a\":999999999999.999999,\"b\":1e29}", "a=999999999999999999e-6 b=1e29", false, false },
	{ "{}", "", false, false },
	{ "{\"a\":9223372036854.775807}", "a=9223372036854775807e-6", false, false },
	{ "{\"a\":9223372036854.775808}", "byte 5: 'a' has more than 18 significant digits", true,
	  false },
	{ "{\"a\": 1e999}", "byte 6: 'a' has more than 18 significant digits", true, false },
	{ "{\"a\": NaN, \"b\x01x\": 1}", "b_x=1e0 | 1 faults from 13 on", false, false },
	/* what was not measured is left out */
	{ "{\"a\": NaN}", "'a' is NaN, not measured, and nothing else is", true, false },
	{ "{\"a\": -Infinity}", "'a' is NaN, not measured", true, false },
	{ "{\"a\": null}", "'a' is null, not measured", true, false },
	{ "{\"a\": \"N/A\"}", "'a' is 'N/A', not measured", true, false },
	{ "{\"a_ms\": -1, \"b\": 2}", "b=2e0", false, false },
	{ "{\"delta_ms\": -1, \"a\": null}", "delta_ms=-1e0", false, false },
	/* a number is the whole text, with a unit */
	{ "{\"a\": \"1\"}", "a=1e0", false, false },
	{ "{\"a\": \"1,234.5 us\", \"b\": \"+1,234,567\", \"c\": \".5\"}",
	  "a=12345e-1 b=1234567e0 c=5e-1", false, false },
	{ "{\"a\": \"1,900\"}", "byte 6: 'a' is a text", true, true },
	{ "{\"a\": \"12.4 (failed)\"}", "byte 6: 'a' is a text", true, true },
	{ "{\"a\": \"12.4 x\"}", "byte 6: 'a' is a text", true, true },
	{ "{\"a\": \"2026-01-01\"}", "byte 6: 'a' is a text", true, true },
	{ "{\"a\": \"1.2.3\"}", "byte 6: 'a' is a text", true, true },
	{ "{\"a\": 1, \"b\": true}", "byte 14: 'b' is not a number: write 1 or 0", true, true },
	{ "{\"a\": \"fast\"}", "byte 6: 'a' is a text: a metrics file holds only numbers", true, true },
	{ "{\"batch_size\": \"none\"}", "byte 15: 'batch_size' is a text", true, true },
	{ "{\"p\": {\"q\": 1}}", "byte 6: 'p' is an object: write its numbers flat", true, true },
	{ "{\"p\": [1]}", "byte 6: 'p' is a list: write a number of it", true, true },
	{ "{\"a\": 1, \"a\": 1}", "byte 14: 'a' is there twice: keep one of them", true, false },
	{ "{\"a b\": 1, \"c (ms)\": 2, \"d*\": 3, \"\xc3\xa4\": 4, \"e [x]\": 5, \"f\\u0000\": 6}",
	  "__=4e0 a_b=1e0 c=2e0 d_=3e0 e__x_=5e0 f_=6e0", false, false },
	{ "{\"a b\": 1, \"a_b\": 2}", "byte 18: 'a_b' is there twice: keep one of them", true, false },
	{ "{\"\": 1}", "byte 5: '' is not a name of a figure", true, true },
	{ "[1]", "byte 0: not an object of figures", true, false },
	{ "{\"a\": 1} x", "byte 9: extra data", true, false },
	{ "{\"a\": 01}", "byte 7: unexpected", true, false },
	{ "{\"a\": 1,}", "byte 8: unexpected", true, false },
};

static void test_rows(void **state)
{
	(void)state;
	static const size_t blocks[] = { 0, 1, 2, 3, 7 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
			struct strbuf b = STRBUF_INIT;
			bool other;
			enum status st = read_text(span_of(rows[i].text), blocks[k], &other, &b);
			bool same = rows[i].refused ? strstr(strbuf_str(&b), rows[i].figures) != NULL
			                            : strcmp(strbuf_str(&b), rows[i].figures) == 0;
			if (st != (rows[i].refused ? ST_INPUT : ST_OK) || !same || other != rows[i].other)
				fail_msg("%s: %s", rows[i].text, strbuf_str(&b));
			strbuf_release(&b);
		}
}

/* All that is read of a file: units, directions, work in brackets, and the warning. */
static const struct {
	const char *text, *figures;
} wholes[] = {
	{ "{\"batch_size\": 8, \"tp\": 1.5, \"num_gpus\": \"2\", \"p50_ms\": 3, \"x\": \"4 tok/s\"}",
	  "batch_size=8e0 num_gpus=2e0 p50_ms=3e0 ms lower [batch_size=8] [num_gpus=2] "
	  "tp=15e-1 x=4e0 tok/s higher [batch_size=8] [num_gpus=2]" },
	{ "{\"calls\": 8, \"tp\": 1, \"total_time_s\": 5, \"rate_hz\": 3, \"runs\": 2.5}",
	  "calls=8e0 [tp=1] rate_hz=3e0 Hz [tp=1] runs=25e-1 [tp=1] total_time_s=5e0 s lower "
	  "[calls+8] [tp=1] tp=1e0" },
	{ "{\"Pass (GB/s)\": 8, \"Slow (ms/batch)\": 1, \"Odd (x)\": 2, \"Of (ms)\": \"3 s\"}",
	  "Odd__x_=2e0 Of=3e0 s lower Pass=8e0 GB/s higher Slow=1e0 lower" },
	{ "{\"calls\": 8, \"total_time_s\": 5}", "calls=8e0 total_time_s=5e0 s lower [calls+8]" },
	{ "{\"a\": null, \"b\": NaN, \"c\": \"N/A\", \"d\": 1}",
	  "'a' is null, 'b' is NaN, 'c' is 'N/A', not measured | d=1e0" },
	{ "{\"a\": null, \"b\": NaN, \"c\": \"N/A\", \"e\": \"\", \"f_ms\": -2, \"d\": 1}",
	  "'a' is null, 'b' is NaN, 'c' is 'N/A', not measured; so are 2 more values | d=1e0" },
	/* a setting may be null; an empty one was not measured */
	{ "{\"batch_size\": null, \"a\": 1}", "a=1e0 [batch_size=none]" },
	{ "{\"a\": null, \"batch_size\": 8, \"b\": 1}",
	  "'a' is null, not measured | b=1e0 [batch_size=8] batch_size=8e0" },
	{ "{\"batch_size\": \"\", \"a\": 1}", "'batch_size' is '', not measured | a=1e0" },
	{ "{\"a\": 1, \"status\": \"failed\"}",
	  "byte 19: the run is not valid: 'status' is 'failed'; run it again, or leave that out if it "
	  "means something else" },
};

static void test_wholes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		struct span text = span_of(wholes[i].text);
		struct strbuf b = STRBUF_INIT;
		struct diag_log log;
		struct digest *d = digest_new();
		struct source *src = source_memory("m", text.p, text.n, NULL);
		bool other;
		diag_init(&log);
		enum status st = inputs_read(src, d, &other, &log);
		if (log.first)
			strbuf_addf(&b, "%s%s", log.first->text + strlen("m: "), st == ST_OK ? " | " : "");
		for (size_t k = 0; k < d->inputs.nr && st == ST_OK; k++) {
			const struct input_stat *s = &d->inputs.v[k];
			strbuf_addf(&b, "%s%s=%llde%lld", k ? " " : "", s->name, (long long)s->value,
			            -(long long)s->digits);
			if (strcmp(s->unit, UNIT_BARE) != 0)
				strbuf_addf(&b, " %s", s->unit);
			if (s->better)
				strbuf_addf(&b, " %s", s->better);
			for (const char *c = s->work; c && *c; c += strcspn(c, "\n"), c += *c == '\n')
				strbuf_addf(&b, " [%.*s]", (int)strcspn(c, "\n"), c);
		}
		assert_string_equal(strbuf_str(&b), wholes[i].figures);
		diag_release(&log);
		source_close(src);
		digest_free(d);
		strbuf_release(&b);
	}
}

/* A file cut anywhere is refused, and never taken for another kind of file. */
static void test_truncated(void **state)
{
	(void)state;
	const struct span text = SPAN("{\"tokens_per_s\": 123.4, \"loss\": -2.5e-1}");
	for (size_t n = 0; n < text.n; n++) {
		struct strbuf b = STRBUF_INIT;
		bool other;
		assert_int_equal(read_text((struct span){ text.p, n }, 0, &other, &b), ST_INPUT);
		assert_non_null(strstr(strbuf_str(&b), "m: byte "));
		assert_false(other);
		strbuf_release(&b);
	}
}

/* With any byte changed to any other value, the file is read, or refused with one line. */
static void test_mutated(void **state)
{
	(void)state;
	const char text[] = "{\"a\": 12.5, \"b/c\": -3e2}";
	for (size_t i = 0; i + 1 < sizeof text; i++)
		for (int c = 0; c < 256; c++) {
			char bad[sizeof text];
			struct strbuf b = STRBUF_INIT;
			bool other;
			memcpy(bad, text, sizeof text);
			bad[i] = (char)c;
			enum status st = read_text((struct span){ bad, sizeof text - 1 }, 0, &other, &b);
			assert_true(st == ST_OK || st == ST_INPUT);
			assert_null(strchr(strbuf_str(&b), '\n'));
			assert_true(b.n > 0);
			strbuf_release(&b);
		}
}

static enum status read_many(int nr, int name_bytes)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	bool other;
	for (int i = 0; i < nr; i++)
		strbuf_addf(&text, "%s\"%0*d\": %d", i ? ", " : "{", name_bytes, i, i);
	strbuf_addch(&text, '}');
	enum status st = read_text(strbuf_span(&text), 0, &other, &out);
	strbuf_release(&text);
	strbuf_release(&out);
	return st;
}

static void test_limits(void **state)
{
	(void)state;
	assert_int_equal(read_many(INPUTS_MAX, 8), ST_OK);
	assert_int_equal(read_many(INPUTS_MAX + 1, 8), ST_INPUT);
	assert_int_equal(read_many(1, INPUT_NAME_MAX), ST_OK);
	assert_int_equal(read_many(1, INPUT_NAME_MAX + 1), ST_INPUT);
}

static void test_metrics(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	const struct metric *row = &metric_table[METRIC_INPUT];
	const struct metric *one = metric_named(SPAN("input.val/acc"), &a);
	const struct metric *some = metric_named(SPAN("input.val/*"), &a);
	assert_ptr_equal(metric_named(SPAN("input.*"), &a), row);
	assert_ptr_equal(metric_named(SPAN("step.time"), &a), &metric_table[METRIC_STEP_TIME]);
	assert_null(metric_named(SPAN("input."), &a));
	assert_null(metric_named(SPAN("input.a:b"), &a));
	assert_null(metric_named(SPAN("inputs.a"), &a));
	assert_int_equal(one->id, METRIC_INPUT);
	assert_int_equal(one->label, LABEL_NONE);
	assert_int_equal(some->label, LABEL_INPUT);
	assert_string_equal(metric_of_input(SPAN("val/acc"), &a)->name, one->name);
	assert_true(metric_has_input(one, SPAN("val/acc")));
	assert_false(metric_has_input(one, SPAN("val/accuracy")));
	assert_true(metric_has_input(some, SPAN("val/accuracy")));
	assert_true(metric_has_input(row, SPAN("x")));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_unmeasured),
		cmocka_unit_test(test_wholes),  cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_mutated), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_metrics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

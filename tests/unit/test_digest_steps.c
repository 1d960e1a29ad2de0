#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/columns.h"
#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "text_rig.h"

#define SAMPLES(d, name) (d)->samples[METRIC_STEP_##name]

/* ---- a digest with random values of its steps ---- */

static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % below;
}

/* The largest values are near INT64_MAX, so that sums of a few values overflow. */
static int64_t random_value(bool may_lack, uint64_t kind)
{
	static const int64_t extremes[] = { 0, 1, INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 };
	if (may_lack && random_number(9) == 0)
		return NO_SAMPLE;
	return kind == 0   ? 7
	       : kind == 1 ? (int64_t)(1000000 + random_number(5000))
	       : kind == 2 ? (int64_t)random_number(3)
	                   : extremes[random_number(5)];
}

/* A digest with columns of all kinds, some of them missing. */
static struct digest *random_digest(size_t steps, bool extreme)
{
	struct digest *d = digest_new();
	digest_set_steps(d, steps);
	for (size_t c = 0; c < NR_COLUMNS && steps; c++) {
		bool may_lack = step_column_is_metric(c) && step_column_is_optional(c);
		uint64_t kind = random_number(extreme ? 4 : 3);
		if (step_column_is_optional(c) && random_number(4) == 0) {
			*step_column_place(d, c) = NULL;
			continue;
		}
		/* a phase without its first column is not recorded */
		size_t k = c >= PHASE_COLUMN ? (c - PHASE_COLUMN) % NR_PHASE_COLUMNS : 0;
		if (k && !step_column(d, c - k))
			continue;
		if (step_column_is_optional(c))
			*step_column_place(d, c) = arena_alloc(&d->arena, steps, sizeof(int64_t));
		for (size_t i = 0; i < steps; i++)
			step_column(d, c)[i] =
			    c == STEP_PHASE_COLUMN
			        ? (int64_t)random_number((uint64_t)step_phase_code(NR_PHASES - 1))
			        : random_value(may_lack, kind);
	}
	return d;
}

/* ---- columns of steps written as JSON and read back ---- */

static char *written(const void *const *digests, size_t nr)
{
	struct sink *s = sink_open_memory();
	steps_write(digests, nr, s);
	return taken(s, NULL);
}

static enum status parse(const char *text, void *const *digests, size_t nr, struct diag_log *log)
{
	struct source *src = source_memory("s.json", text, strlen(text), &(struct source_options){ 0 });
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .max_depth = 32 }, log);
	struct arena scratch = ARENA_INIT;
	struct row_reader r = { .js = js, .arena = &scratch, .minor = STORE_MINOR, .sampled = true };
	row_enter(&r, "steps", 0);
	steps_read(&r, digests, nr);
	if (jscan_status(js) == ST_OK)
		jscan_end(js);
	enum status st = jscan_status(js);
	jscan_free(js);
	strbuf_release(&r.path);
	arena_release(&scratch);
	source_close(src);
	return st;
}

static bool is_same(const struct digest *a, const struct digest *b, size_t column)
{
	const int64_t *x = step_column(a, column), *y = step_column(b, column);
	for (size_t i = 0; i < a->nr_steps; i++) {
		/* columns of a phase that are all 0 are not stored */
		bool zero = column >= PHASE_COLUMN && (!x || !y);
		if (zero ? (x   ? x
		            : y ? y
		                : &(int64_t){ 0 })[x || y ? i : 0] != 0
		         : !x != !y || (x && x[i] != y[i]))
			return false;
	}
	return true;
}

/* Expects that the steps are read as they were written. */
static void assert_kept(struct digest *const *digests, size_t nr)
{
	struct diag_log log;
	void *again[4] = { NULL };
	char *text = written((const void *const *)digests, nr);
	diag_init(&log);
	for (size_t k = 0; k < nr; k++)
		again[k] = digest_new();
	if (parse(text, again, nr, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	for (size_t k = 0; k < nr; k++) {
		assert_int_equal(digests[k]->nr_steps, ((struct digest *)again[k])->nr_steps);
		for (size_t c = 0; c < NR_COLUMNS; c++)
			if (!is_same(digests[k], again[k], c))
				fail_msg("%s of digest %zu of %zu differs", step_column_key(c), k, nr);
	}
	char *second = written((const void *const *)again, nr);
	assert_string_equal(text, second);
	for (size_t k = 0; k < nr; k++)
		digest_free(again[k]);
	free(second);
	free(text);
	diag_release(&log);
}

/* ---- values are the same after reading, sums are exact, damaged columns are refused ---- */

static void test_steps_are_kept(void **state)
{
	(void)state;
	random_state = 1;
	for (int round = 0; round < 100; round++) {
		struct digest *d[4];
		size_t nr = 1 + random_number(4);
		for (size_t k = 0; k < nr; k++)
			d[k] = random_digest(random_number(5) ? 200 + random_number(200) : random_number(3),
			                     round % 4 == 0);
		assert_kept(d, nr);
		for (size_t k = 0; k < nr; k++)
			digest_free(d[k]);
	}
}

/* A digest in which step i takes i * i ns; the latency of each step is equal to its time. */
static struct digest *plain_digest(size_t steps)
{
	struct digest *d = digest_new();
	digest_set_steps(d, steps);
	for (size_t c = METRIC_COLUMN; c < STEP_PHASE_COLUMN; c++)
		if (step_column_is_optional(c))
			*step_column_place(d, c) = NULL;
	SAMPLES(d, LATENCY) = SAMPLES(d, TIME);
	for (size_t i = 0; i < steps; i++) {
		d->step_numbers[i] = (int64_t)i + 5;
		SAMPLES(d, TIME)[i] = (int64_t)(i * i);
	}
	return d;
}

/* Writes the column `key`, which has the values `v`, as version 0.2 may have: as `rest`. */
static char *as_rest(const char *text, const char *key, const int64_t *v, const char *bases,
                     const int64_t *rest)
{
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;
	strbuf_addf(&old, "\"%s\": [", key);
	strbuf_addf(&new, "\"%s\": {%s\"rest\":[", key, bases);
	for (size_t i = 0; i < 4; i++) {
		strbuf_addf(&old, "%s%" PRId64, i ? "," : "", v[i]);
		strbuf_addf(&new, "%s%" PRId64, i ? "," : "", rest[i]);
	}
	strbuf_adds(&old, "]");
	strbuf_adds(&new, "]}");
	char *out = edited(text, strbuf_str(&old), strbuf_str(&new));
	strbuf_release(&old);
	strbuf_release(&new);
	return out;
}

/* A column of version 0.2, from which bases were subtracted, is read as its values, whatever the
   bases are; a value that is negative is refused. */
static void test_old_columns(void **state)
{
	static const struct {
		const char *text;
		int time, own; /* how often the bases add the step's time, and the step before */
	} bases[] = {
		{ "", 0, 0 },
		{ "\"plus\":[\"step.time\"],", 1, 0 },
		{ "\"minus\":[\"step.time\"],", -1, 0 },
		{ "\"plus\":[\"step.span\"],", 0, 1 },
		{ "\"plus\":[\"step.span\",\"step.time\"],", 1, 1 },
		{ "\"plus\":[\"step.time\"],\"minus\":[\"step.span\"],", 1, -1 },
		{ "\"plus\":[\"step.time\",\"step.time\"],\"minus\":[\"step.span\"],", 2, -1 },
	};
	static const int64_t values[] = { -5, 0, 9, 1000, INT64_MAX - 1, INT64_MAX };
	size_t fine = 0, negative = 0;
	(void)state;
	random_state = 2;
	for (int round = 0; round < 2000; round++) {
		size_t b = random_number(sizeof bases / sizeof *bases);
		struct digest *d = plain_digest(4), *again = digest_new();
		int64_t *span = SAMPLES(d, SPAN), *time = SAMPLES(d, TIME), rest[4];
		bool fits = true, below = false;
		for (size_t i = 0; i < 4; i++) {
			time[i] = values[1 + random_number(5)];
			span[i] = values[random_number(12) ? 1 + random_number(5) : 0];
			below = below || span[i] < 0;
			__int128 left = (__int128)span[i] - (__int128)bases[b].time * time[i] -
			                (__int128)bases[b].own * (i ? span[i - 1] : 0);
			fits = fits && left > INT64_MIN && left <= INT64_MAX;
			rest[i] = (int64_t)left;
		}
		struct diag_log log;
		diag_init(&log);
		if (fits) {
			char *text = written((const void *[]){ d }, 1);
			char *old = as_rest(text, "step.span", span, bases[b].text, rest);
			assert_int_equal(parse(old, (void *[]){ again }, 1, &log), below ? ST_INPUT : ST_OK);
			if (!below)
				assert_memory_equal(SAMPLES(again, SPAN), span, 4 * sizeof *span);
			free(old);
			free(text);
		}
		fine += fits && !below;
		negative += fits && below;
		digest_free(d);
		digest_free(again);
		diag_release(&log);
	}
	assert_true(fine > 100 && negative > 100);
}

/* A base that a step lacks counts as 0; a rest of null is a step without a value. */
static void test_absent(void **state)
{
	struct digest *d = plain_digest(4), *again = digest_new();
	struct diag_log log;
	(void)state;
	diag_init(&log);
	SAMPLES(d, PERIOD) = arena_alloc(&d->arena, 4, sizeof(int64_t));
	SAMPLES(d, PERIOD)[0] = SAMPLES(d, PERIOD)[2] = NO_SAMPLE;
	SAMPLES(d, PERIOD)[1] = 40;
	char *text = written((const void *[]){ d }, 1);
	char *old = edited(text, "\"step.latency\": [0,1,4,9]",
	                   "\"step.latency\": {\"plus\":[\"step.period\"],\"rest\":[3,4,null,5]}");
	assert_int_equal(parse(old, (void *[]){ again }, 1, &log), ST_OK);
	const int64_t want[] = { 3, 44, NO_SAMPLE, 5 };
	assert_memory_equal(SAMPLES(again, LATENCY), want, sizeof want);
	free(old);
	free(text);
	digest_free(d);
	digest_free(again);
	diag_release(&log);
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message; ///< expected message; NULL if the text is read
	} rows[] = {
		{ "[5,1,1,", "[5,1,-1,", NULL },
		{ "\"plus\":[\"number\"],", "", NULL },
		{ "\"plus\":[\"number\"],", "\"minus\":[\"number\"],",
		  "'steps.number' has rests that give" },
		{ "[5,1,1,", "[5,1,-7,", "'steps.number' has rests that give no value from 0 to" },
		{ "[5,1,1,", "[5,1,9223372036854775807,", "'steps.number' has rests that give no value" },
		{ "[5,1,1,", "[5,1,9223372036854775808,", "'steps.number' is too large" },
		{ "[5,1,1,", "[5,1,-9223372036854775808,", "'steps.number' is too large" },
		{ "[5,1,1,", "[5,1,null,", "'steps.number' is not a number" },
		{ "[5,1,1,", "[5,1,1.5,", "'steps.number' is not a whole number" },
		{ "[5,1,1,", "[5,1,", "'steps.activities' does not have one value for each step" },
		{ "[\"number\"]", "\"number\"", "'steps.number' is not an array" },
		{ "[\"number\"]", "[1]", "'steps.number' is not a string" },
		{ "[\"number\"]", "[\"step.time\"]", "'steps.number' has a base that is not an earlier" },
		{ "[\"number\"]", "[\"count\"]", "'steps.number' has a base that is not an earlier" },
		{ "[\"number\"]", "[\"x\"]", "'steps.number' has a base that is not an earlier" },
		{ "[\"step.time\"]", "[\"step.span\"]",
		  "'steps.step.latency' has a base that is not an earlier" },
		{ "\"rest\":[5", "\"left\":[5", "'steps.number' has other keys than" },
		{ "\"plus\":[\"number\"]", "\"plus\":[],\"plus\":[]",
		  "'steps.number' has other keys than" },
		{ "\"plus\":[\"number\"]", "\"minus\":[],\"plus\":[]",
		  "'steps.number' has other keys than" },
		{ "{\"plus\":[\"number\"],\"rest\":[5", "{},\"x\":[[5", "'steps.number' has no rests" },
		{ "[\"step.time\"]",
		  "[\"number\",\"number\",\"number\",\"number\",\"number\",\"number\",\"number\","
		  "\"number\","
		  "\"number\"]",
		  "'steps.step.latency' has too many bases" },
	};
	struct digest *d = plain_digest(4);
	char *plain = written((const void *[]){ d }, 1);
	char *half = as_rest(plain, "number", d->step_numbers, "\"plus\":[\"number\"],",
	                     (int64_t[]){ 5, 1, 1, 1 });
	char *text = as_rest(half, "step.latency", SAMPLES(d, LATENCY), "\"plus\":[\"step.time\"],",
	                     (int64_t[]){ 0, 0, 0, 0 });
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diag_log log;
		struct digest *r = digest_new();
		diag_init(&log);
		char *bad = edited(text, rows[i].old, rows[i].new);
		enum status st = parse(bad, (void *[]){ r }, 1, &log);
		if (rows[i].message && (st != ST_INPUT || !strstr(diag_first_error(&log), rows[i].message)))
			fail_msg("row %zu: '%s' instead of '%s'", i, diag_first_error(&log), rows[i].message);
		if (!rows[i].message && st != ST_OK)
			fail_msg("row %zu: %s", i, diag_first_error(&log));
		digest_free(r);
		free(bad);
		diag_release(&log);
	}
	free(text);
	free(half);
	free(plain);
	digest_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_are_kept),
		cmocka_unit_test(test_old_columns),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

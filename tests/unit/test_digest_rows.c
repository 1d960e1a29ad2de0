/* A digest whose rows contradict one another is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sample_digest.h"
#include "store/digest_json.h"
#include "text_rig.h"

/* The sample digest with functions, collectives and sums of small rows added. */
static struct digest *sample(void)
{
	struct digest *d = sample_digest(0);
	const struct function_stat functions[] = {
		{ FUNCTION_COMPUTE, SPAN("gemm"), -1, 2, 90, 80, 45, -1, -1, 0 },
		{ FUNCTION_COMPUTE, SPAN(""), -1, 5, 5, 4, 0, -1, -1, 3 },
		{ FUNCTION_MEMORY, SPAN("HtoD"), -1, 1, 10, 10, 10, 1000, 7, 0 },
		{ FUNCTION_PYTHON, SPAN("main"), -1, 1, 900, 30, 900, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("f"), 3, 2, 20, 20, 10, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("g"), 3, 1, 9, 9, 9, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("h\xff"), 5, 1, 9, 9, 9, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN(""), 3, 4, 4, 4, 0, -1, -1, 2 },
	};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		vec_push(&d->functions, functions[i]);
	vec_push(&d->comms, (struct comm_stat){ .kind = COLLECTIVE_ALL_REDUCE,
	                                        .group = SPAN("0"),
	                                        .dtype = SPAN("Float"),
	                                        .group_size = 2,
	                                        .count = 2 });
	vec_push(&d->collectives, (struct collective){ 0, 0, 4096, 10, 5 });
	vec_push(&d->collectives, (struct collective){ 1, 0, -1, 20, 5 });
	d->ops.v[1].name = SPAN("");
	d->ops.v[1].names = 6;
	d->threads.v[0].names = 7;
	return d;
}

static char *text_of(const struct digest *d)
{
	struct sink *out = sink_open_memory();
	digest_write(d, out);
	return taken(out, NULL);
}

static enum status parse(const char *text, struct digest **out, struct diag_log *log)
{
	struct source *src = source_memory("d.json", text, strlen(text), NULL);
	enum status st = digest_read(src, false, out, log);
	source_close(src);
	return st;
}

static void kept(void **state)
{
	(void)state;
	struct digest *d = sample(), *r = NULL;
	struct diag_log log;
	diag_init(&log);
	char *text = text_of(d);
	if (parse(text, &r, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	char *again = text_of(r);
	assert_string_equal(text, again);
	assert_int_equal(r->functions.v[6].parent, 5);
	assert_int_equal(r->functions.v[0].parent, -1);
	assert_int_equal(r->functions.v[0].rate, -1);
	assert_int_equal(r->functions.v[2].rate_mad, 7);
	assert_int_equal(r->functions.v[7].names, 2);
	assert_int_equal(r->collectives.v[1].bytes, -1);
	assert_int_equal(r->threads.v[0].names, 7);
	free(again);
	free(text);
	digest_free(r);
	digest_free(d);
	diag_release(&log);
}

/* A path with the largest number of frames is read, one with one frame more is refused. */
static void depth(void **state)
{
	(void)state;
	for (int64_t nr = FUNCTION_DEPTH; nr <= FUNCTION_DEPTH + 1; nr++) {
		struct digest *d = sample_digest(0), *r = NULL;
		struct diag_log log;
		diag_init(&log);
		for (int64_t i = 0; i < nr; i++)
			vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_PYTHON,
			                                                .name = SPAN("f"),
			                                                .parent = i - 1,
			                                                .rate = -1,
			                                                .rate_mad = -1 });
		char *text = text_of(d);
		bool fits = nr == FUNCTION_DEPTH;
		assert_int_equal(parse(text, &r, &log), fits ? ST_OK : ST_INPUT);
		if (!fits)
			assert_non_null(
			    strstr(diag_first_error(&log), "'functions[128]' has more callers than are kept"));
		digest_free(r);
		free(text);
		digest_free(d);
		diag_release(&log);
	}
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} rows[] = {
		{ "\"name\":\"f\",\"parent\":3", "\"name\":\"f\",\"parent\":4",
		  "'functions[4]' does not come after its caller" },
		{ "\"name\":\"f\",\"parent\":3", "\"name\":\"f\",\"parent\":7",
		  "'functions[4]' does not come after its caller" },
		{ "\"name\":\"f\",\"parent\":3", "\"name\":\"f\",\"parent\":9223372036854775807",
		  "'functions[4]' does not come after its caller" },
		{ "\"name\":\"f\",\"parent\":3", "\"name\":\"f\",\"parent\":2",
		  "'functions[4]' has a caller that cannot be one" },
		{ "\"name\":\"HtoD\"", "\"name\":\"HtoD\",\"parent\":0",
		  "'functions[2]' has a caller that cannot be one" },
		{ "\"name\":\"g\",\"parent\":3", "\"name\":\"f\",\"parent\":3",
		  "'functions[5]' does not come after the callee before it" },
		{ "\"name\":\"g\",\"parent\":3", "\"name\":\"a\",\"parent\":3",
		  "'functions[5]' does not come after the callee before it" },
		{ "\"cls\":\"memory\"", "\"cls\":\"compute\"",
		  "'functions[2]' does not come after the callee before it" },
		{ "\"exclusive_ns\":80", "\"exclusive_ns\":91",
		  "'functions[0]' runs by itself for longer than it runs" },
		{ "\"median_ns\":0,\"names\":3", "\"median_ns\":0,\"names\":-3",
		  "'functions[1]' has a negative number of names" },
		{ "\"comm\":0", "\"comm\":1", "'collectives[0]' is of a kind that is not there" },
		{ "\"step\":1", "\"step\":2", "'collectives[1]' is of a step that is not there" },
		{ "\"rank\": 0", "\"rank\": 2147483648", "'rank' is beyond 2147483647" },
		{ "\"names\":6", "\"names\":-6", "'ops[1]' does not come after" },
		{ "\"names\":7", "\"names\":-7", "'names' of a row is not a number" },
		{ "\"step_bytes\":64", "\"step_bytes\":64,\"names\":1",
		  "'names' of a row is not a number" },
	};
	struct digest *d = sample();
	char *text = text_of(d);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *bad = edited(text, rows[i].old, rows[i].new);
		struct digest *r = NULL;
		struct diag_log log;
		diag_init(&log);
		if (parse(bad, &r, &log) != ST_INPUT)
			fail_msg("'%s' is read", rows[i].new);
		assert_null(r);
		if (!strstr(diag_first_error(&log), rows[i].message))
			fail_msg("'%s' instead of '%s'", diag_first_error(&log), rows[i].message);
		diag_release(&log);
		free(bad);
	}
	free(text);
	digest_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kept), cmocka_unit_test(depth),
		                                cmocka_unit_test(errors) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

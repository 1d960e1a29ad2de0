/* The sites file: what is read, errors and their places, and the validity of the built-in file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rules/rules_file.h"

#define ROW "{category: a, class: compute, match: [b]}"

static void test_read(void **state)
{
	(void)state;
	struct site_rules r;
	struct diag_log log;
	diag_init(&log);
	assert_int_equal(
	    sites_read("f",
	               &SPAN("skip: [/torch/, \"x y\"]\nplumbing: [c10]\nregions: [" ROW "]\n"
	                     "operations: [" ROW ", {category: c, class: other, match: [d, e f]}]\n"
	                     "helpers: [{category: a, class: communication, match: [g h]}]\n"),
	               &r, &log),
	    ST_OK);
	assert_int_equal(r.skip.nr, 2);
	assert_true(span_eq(r.skip.v[1], SPAN("x y")));
	assert_int_equal(r.plumbing.nr, 1);
	assert_int_equal(r.tiers[TIER_REGION].rows.nr, 1);
	assert_int_equal(r.tiers[TIER_OPERATION].rows.nr, 2);
	assert_string_equal(r.tiers[TIER_OPERATION].rows.v[1].name, "c");
	assert_true(span_eq(r.tiers[TIER_OPERATION].rows.v[1].match.v[1], SPAN("e f")));
	assert_int_equal(r.tiers[TIER_HELPER].rows.v[0].cls, CLASS_COMMUNICATION);
	site_rules_release(&r);
	assert_int_equal(sites_read("f", &SPAN("operations: [" ROW "]\n"), &r, &log), ST_OK);
	assert_int_equal(r.skip.nr, 0);
	site_rules_release(&r);
	diag_release(&log);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "[]\n", "f:1:1: the sites file is a map of keys" },
		{ "skip: [a]\n", "f:1:1: the sites file lacks 'operations'" },
		{ "operations: []\n", "f:1:13: 'operations' is empty" },
		{ "skip: a\noperations: [" ROW "]\n", "f:1:7: 'skip' must be a list, not one value" },
		{ "skip: [\"\"]\noperations: [" ROW "]\n", "f:1:8: 'skip' has no value" },
		{ "skips: [a]\noperations: [" ROW "]\n",
		  "f:1:1: unknown key 'skips' in the sites file: did you mean 'skip'?" },
		{ "operations: [" ROW "]\noperations: [" ROW "]\n",
		  "f:2:1: 'operations' is written twice, first in line 1" },
		{ "operations: [" ROW ", " ROW "]\n", "f:1:68: two categories are called 'a'" },
		{ "operations: [" ROW ", {category: c, class: compute, match: [aBc]}]\n",
		  "f:1:95: 'aBc' never matches: 'b' of 'a' comes first" },
		{ "operations: [{category: other, class: compute, match: [b]}]\n",
		  "f:1:25: 'other' is what no category matches: choose another name" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct site_rules r;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(sites_read("f", (struct span[]){ span_of(rows[i].text) }, &r, &log),
		                 ST_USAGE);
		assert_string_equal(diag_first_error(&log) ? diag_first_error(&log) : "", rows[i].error);
		site_rules_release(&r);
		diag_release(&log);
	}
}

static void test_built_in(void **state)
{
	(void)state;
	struct site_rules r;
	struct diag_log log;
	diag_init(&log);
	assert_int_equal(sites_read(NULL, NULL, &r, &log), ST_OK);
	assert_true(r.skip.nr > 20 && r.plumbing.nr > 5);
	for (size_t i = 0; i < NR_SITE_TIERS; i++)
		assert_true(r.tiers[i].rows.nr > 0);
	site_rules_release(&r);
	assert_int_equal(sites_read("/nonexistent/sites.yaml", NULL, &r, &log), ST_USAGE);
	site_rules_release(&r);
	diag_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_built_in),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables of a report on one run: the sums below the rows that are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/run_report.h"

/* Adds a table of three rows: a name, a figure that adds up, and a figure that does not. */
static void add_table(struct run_report *r, const char *id, int64_t rest, size_t more)
{
	static const struct report_cell cells[] = {
		{ CELL_TEXT, "a", 100 }, { CELL_FIGURE, "1", 1 },   { CELL_FIGURE, "2", 2 },
		{ CELL_TEXT, "b", 100 }, { CELL_FIGURE, "10", 10 }, { CELL_FIGURE, "20", 20 },
		{ CELL_TEXT, "c", 100 }, { CELL_ABSENT, "–", 500 }, { CELL_FIGURE, "200", 200 },
	};
	struct report_table *t = vec_push_zero(&r->tables);
	t->id = id;
	t->more = more;
	vec_push(&t->columns, (struct report_column){ .name = "name", .is_text = true });
	vec_push(&t->columns, (struct report_column){ .name = "sum", .adds = rest >= 0, .rest = rest });
	vec_push(&t->columns, (struct report_column){ .name = "mean" });
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		vec_push(&t->cells, cells[i]);
}

static void test_rest(void **state)
{
	(void)state;
	struct run_report r = { 0 };
	add_table(&r, "kernels", 4000, 0);
	add_table(&r, "ops", -1, 2);
	add_table(&r, "calls", 0, 2);
	assert_null(run_report_table(&r, "none"));
	const struct report_table *t = run_report_table(&r, "kernels");
	assert_string_equal(t->id, "kernels");
	assert_int_equal(report_table_rows(t), 3);
	assert_int_equal(report_table_rest(t, 0, 1), 4011);
	assert_int_equal(report_table_rest(t, 1, 1), 4010);
	assert_int_equal(report_table_rest(t, 2, 1), 4000);
	assert_int_equal(report_table_rest(t, 1, 2), 220);
	assert_int_equal(report_table_rest(t, 3, 2), 0);
	assert_true(report_table_has_rest(t, 2));
	assert_false(report_table_has_rest(t, 3));
	/* no column of "ops" adds up: the table has no row for the rest */
	assert_false(report_table_has_rest(run_report_table(&r, "ops"), 1));
	assert_true(report_table_has_rest(run_report_table(&r, "calls"), 3));
	for (size_t i = 0; i < r.tables.nr; i++) {
		vec_push(&r.series, (struct series){ .id = "line" });
		vec_push(&r.series.v[i].points, (struct series_point){ 1, 2 });
		vec_push(&r.ranks, (struct series){ .id = "rank" });
		vec_push(&r.ranks.v[i].points, (struct series_point){ 1, 2 });
	}
	run_report_release(&r); /* release everything: the sanitizer reports what is left */
	run_report_release(NULL);
	assert_int_equal(report_table_rows(&(struct report_table){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rest) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "model/run_report.h"

#include "base/number.h"

const struct report_table *run_report_table(const struct run_report *r, const char *id)
{
	return r ? FIND(i, r->tables.v, r->tables.nr, strcmp(r->tables.v[i].id, id) == 0) : NULL;
}

size_t report_table_rows(const struct report_table *t)
{
	return t->columns.nr ? t->cells.nr / t->columns.nr : 0;
}

int64_t report_table_rest(const struct report_table *t, size_t shown, size_t column)
{
	int64_t sum = t->columns.v[column].rest;
	for (size_t i = shown * t->columns.nr + column; i < t->cells.nr; i += t->columns.nr)
		if (t->cells.v[i].kind == CELL_FIGURE)
			sum = number_add(sum, t->cells.v[i].value);
	return sum;
}

bool report_table_has_rest(const struct report_table *t, size_t shown)
{
	return ANY(i, t->columns.nr, t->columns.v[i].adds) &&
	       report_table_rows(t) - shown + t->more > 0;
}

void run_report_release(struct run_report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->tables.nr; i++) {
		vec_release(&r->tables.v[i].columns);
		vec_release(&r->tables.v[i].cells);
	}
	for (size_t i = 0; i < r->series.nr; i++)
		vec_release(&r->series.v[i].points);
	for (size_t i = 0; i < r->ranks.nr; i++)
		vec_release(&r->ranks.v[i].points);
	vec_release(&r->ranks);
	vec_release(&r->facts);
	vec_release(&r->tables);
	vec_release(&r->series);
	vec_release(&r->classification.evidence);
	vec_release(&r->classification.missing);
	vec_release(&r->recommendations);
}

#include "model/run_report.h"

const struct report_table *run_report_table(const struct run_report *r, const char *id)
{
	for (size_t i = 0; i < r->tables.nr; i++)
		if (strcmp(r->tables.v[i].id, id) == 0)
			return &r->tables.v[i];
	return NULL;
}

size_t report_table_rows(const struct report_table *t)
{
	return t->columns.nr ? t->cells.nr / t->columns.nr : 0;
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
	vec_release(&r->facts);
	vec_release(&r->tables);
	vec_release(&r->series);
	vec_release(&r->classification.evidence);
	vec_release(&r->classification.missing);
	vec_release(&r->recommendations);
}

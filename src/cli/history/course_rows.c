/* The course of figures as JSON. */
#include "history/course.h"

#include "store/row.h"

#define AT(type_, member) .key = #member, .offset = offsetof(struct type_, member)

static const struct field run_fields[] = {
	{ AT(course_run, place), .type = FIELD_COUNT },
	{ AT(course_run, commit), .type = FIELD_TEXT },
	{ AT(course_run, time), .type = FIELD_TEXT },
	{ AT(course_run, who), .type = FIELD_TEXT },
	{ AT(course_run, reason), .type = FIELD_TEXT },
	{ AT(course_run, verdict), .type = FIELD_TEXT },
	{ AT(course_run, approved), .type = FIELD_BOOL },
};

static const struct field figure_fields[] = {
	{ AT(course_figure, place), .type = FIELD_COUNT },
	{ AT(course_figure, query), .type = FIELD_TEXT },
	{ AT(course_figure, metric), .type = FIELD_TEXT },
	{ AT(course_figure, label), .type = FIELD_OPTIONAL_NAME },
	{ AT(course_figure, rank), .type = FIELD_OPTIONAL_COUNT, .absent = -1 },
	{ .key = "unit", .offset = offsetof(struct course_figure, unit_word), .type = FIELD_TEXT },
	{ AT(course_figure, digits), .type = FIELD_NUMBER },
	{ AT(course_figure, newest), .type = FIELD_NUMBER },
	{ AT(course_figure, level), .type = FIELD_NUMBER },
	{ AT(course_figure, spread), .type = FIELD_NUMBER },
};

static const struct field point_fields[] = {
	{ AT(course_point, figure), .type = FIELD_COUNT },
	{ AT(course_point, last), .type = FIELD_COUNT },
	{ AT(course_point, first), .type = FIELD_COUNT },
	{ AT(course_point, before), .type = FIELD_NUMBER },
	{ AT(course_point, after), .type = FIELD_NUMBER },
	{ AT(course_point, change_pct), .type = FIELD_OPTIONAL_NUMBER, .absent = INT64_MIN },
	{ AT(course_point, p), .type = FIELD_COUNT },
	{ AT(course_point, is_worse), .type = FIELD_BOOL },
	{ AT(course_point, is_better), .type = FIELD_BOOL },
	{ AT(course_point, approved), .type = FIELD_BOOL },
};

static const struct field part_fields[] = {
	{ AT(course_part, figure), .type = FIELD_COUNT },
	{ AT(course_part, first), .type = FIELD_COUNT },
	{ AT(course_part, place), .type = FIELD_COUNT },
	{ AT(course_part, metric), .type = FIELD_TEXT },
	{ AT(course_part, label), .type = FIELD_OPTIONAL_NAME },
	{ AT(course_part, rank), .type = FIELD_OPTIONAL_COUNT, .absent = -1 },
	{ AT(course_part, before), .type = FIELD_NUMBER },
	{ AT(course_part, after), .type = FIELD_NUMBER },
};

#define ROW(name)                                                                    \
	{                                                                                \
		.fields = name##_fields, .nr = sizeof name##_fields / sizeof *name##_fields, \
		.size = sizeof(struct course_##name), .listed = true,                        \
	}
static const struct schema run_schema = ROW(run);
static const struct schema figure_schema = ROW(figure);
static const struct schema point_schema = ROW(point);
static const struct schema part_schema = ROW(part);

static const struct field course_fields[] = {
	{ AT(course, workload), .type = FIELD_TEXT },
	{ AT(course, headline), .type = FIELD_TEXT },
	{ AT(course, runs), .type = FIELD_ROWS, .sub = &run_schema },
	{ AT(course, figures), .type = FIELD_ROWS, .sub = &figure_schema },
	{ AT(course, points), .type = FIELD_ROWS, .sub = &point_schema },
	{ AT(course, parts), .type = FIELD_ROWS, .sub = &part_schema },
};

static const struct schema course_schema = {
	.id = TREND_SCHEMA,
	.fields = course_fields,
	.nr = sizeof course_fields / sizeof *course_fields,
	.size = sizeof(struct course),
};

void course_write(const struct course *t, struct sink *out)
{
	row_write(&course_schema, t, out);
	sink_puts(out, "\n");
}

void course_schema_write(struct sink *out)
{
	row_schema_write(&course_schema,
	                 "gpugate history: figures over the runs of a baseline's history", out);
}

/* The course of figures as JSON. */
#include "history/course.h"

#include "store/row.h"

static const struct field run_fields[] = {
	MEMBER(course_run, place, COUNT),   MEMBER(course_run, commit, TEXT),
	MEMBER(course_run, time, TEXT),     MEMBER(course_run, who, TEXT),
	MEMBER(course_run, reason, TEXT),   MEMBER(course_run, verdict, TEXT),
	MEMBER(course_run, approved, BOOL),
};

static const struct field figure_fields[] = {
	MEMBER(course_figure, place, COUNT),
	MEMBER(course_figure, query, TEXT),
	MEMBER(course_figure, metric, TEXT),
	MEMBER(course_figure, label, OPTIONAL_NAME),
	MEMBER(course_figure, rank, OPTIONAL_COUNT, .absent = -1),
	MEMBER_AT("unit", course_figure, unit_word, TEXT),
	MEMBER(course_figure, digits, NUMBER),
	MEMBER(course_figure, newest, NUMBER),
	MEMBER(course_figure, level, NUMBER),
	MEMBER(course_figure, spread, NUMBER),
};

static const struct field point_fields[] = {
	MEMBER(course_point, figure, COUNT),
	MEMBER(course_point, last, COUNT),
	MEMBER(course_point, first, COUNT),
	MEMBER(course_point, before, NUMBER),
	MEMBER(course_point, after, NUMBER),
	MEMBER(course_point, change_pct, OPTIONAL_NUMBER, .absent = INT64_MIN),
	MEMBER(course_point, p, COUNT),
	MEMBER(course_point, is_worse, BOOL),
	MEMBER(course_point, is_better, BOOL),
	MEMBER(course_point, approved, BOOL),
};

static const struct field part_fields[] = {
	MEMBER(course_part, figure, COUNT),
	MEMBER(course_part, first, COUNT),
	MEMBER(course_part, place, COUNT),
	MEMBER(course_part, metric, TEXT),
	MEMBER(course_part, label, OPTIONAL_NAME),
	MEMBER(course_part, rank, OPTIONAL_COUNT, .absent = -1),
	MEMBER(course_part, before, NUMBER),
	MEMBER(course_part, after, NUMBER),
};

#define ROW(name) SCHEMA_OF(course_##name, name##_fields, .listed = true)
static const struct schema run_schema = ROW(run);
static const struct schema figure_schema = ROW(figure);
static const struct schema point_schema = ROW(point);
static const struct schema part_schema = ROW(part);

static const struct field course_fields[] = {
	MEMBER(course, workload, TEXT),
	MEMBER(course, headline, TEXT),
	MEMBER(course, runs, ROWS, .sub = &run_schema),
	MEMBER(course, figures, ROWS, .sub = &figure_schema),
	MEMBER(course, points, ROWS, .sub = &point_schema),
	MEMBER(course, parts, ROWS, .sub = &part_schema),
};

const struct schema course_schema =
    SCHEMA_OF(course, course_fields, .id = TREND_SCHEMA,
              .title = "gpugate history: figures over the runs of a baseline's history");

void course_write(const struct course *t, struct sink *out)
{
	row_write(&course_schema, t, out);
	sink_puts(out, "\n");
}

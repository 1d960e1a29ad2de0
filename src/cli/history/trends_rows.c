/* Trends of figures as JSON. */
#include "history/trends.h"

#include "store/row.h"

static const struct field run_fields[] = {
	MEMBER(trend_run, place, COUNT),   MEMBER(trend_run, commit, TEXT),
	MEMBER(trend_run, time, TEXT),     MEMBER(trend_run, who, TEXT),
	MEMBER(trend_run, reason, TEXT),   MEMBER(trend_run, verdict, TEXT),
	MEMBER(trend_run, approved, BOOL),
};

static const struct field figure_fields[] = {
	MEMBER(trend_figure, place, COUNT),
	MEMBER(trend_figure, query, TEXT),
	MEMBER(trend_figure, metric, TEXT),
	MEMBER(trend_figure, label, OPTIONAL_NAME),
	MEMBER(trend_figure, rank, OPTIONAL_COUNT, .absent = -1),
	MEMBER_AT("unit", trend_figure, unit_word, TEXT),
	MEMBER(trend_figure, digits, NUMBER),
	MEMBER(trend_figure, newest, NUMBER),
	MEMBER(trend_figure, level, NUMBER),
	MEMBER(trend_figure, spread, NUMBER),
};

static const struct field change_fields[] = {
	MEMBER(trend_change, figure, COUNT),
	MEMBER(trend_change, last, COUNT),
	MEMBER(trend_change, first, COUNT),
	MEMBER(trend_change, before, NUMBER),
	MEMBER(trend_change, after, NUMBER),
	MEMBER(trend_change, change_pct, OPTIONAL_NUMBER, .absent = INT64_MIN),
	MEMBER(trend_change, p, COUNT),
	MEMBER(trend_change, is_worse, BOOL),
	MEMBER(trend_change, is_better, BOOL),
	MEMBER(trend_change, approved, BOOL),
};

static const struct field part_fields[] = {
	MEMBER(trend_part, figure, COUNT),
	MEMBER(trend_part, first, COUNT),
	MEMBER(trend_part, place, COUNT),
	MEMBER(trend_part, metric, TEXT),
	MEMBER(trend_part, label, OPTIONAL_NAME),
	MEMBER(trend_part, rank, OPTIONAL_COUNT, .absent = -1),
	MEMBER(trend_part, before, NUMBER),
	MEMBER(trend_part, after, NUMBER),
};

#define ROW(name) SCHEMA_OF(trend_##name, name##_fields, .listed = true)
static const struct schema run_schema = ROW(run);
static const struct schema figure_schema = ROW(figure);
static const struct schema change_schema = ROW(change);
static const struct schema part_schema = ROW(part);

static const struct field trends_fields[] = {
	MEMBER(trends, workload, TEXT),
	MEMBER(trends, headline, TEXT),
	MEMBER(trends, runs, ROWS, .sub = &run_schema),
	MEMBER(trends, figures, ROWS, .sub = &figure_schema),
	MEMBER(trends, points, ROWS, .sub = &change_schema),
	MEMBER(trends, parts, ROWS, .sub = &part_schema),
};

const struct schema trends_schema =
    SCHEMA_OF(trends, trends_fields, .id = TREND_SCHEMA,
              .title = "gpugate history: figures over the runs of a baseline's history");

void trends_write(const struct trends *t, struct sink *out)
{
	row_write(&trends_schema, t, out);
	sink_puts(out, "\n");
}

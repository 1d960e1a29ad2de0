/* A trend as JSON. */
#include "history/trend.h"

#include "store/row_schema.h"

#define AT(type_, member) .key = #member, .offset = offsetof(struct type_, member)

static const struct field run_fields[] = {
	{ AT(trend_run, place), .type = FIELD_COUNT },   { AT(trend_run, commit), .type = FIELD_TEXT },
	{ AT(trend_run, time), .type = FIELD_TEXT },     { AT(trend_run, who), .type = FIELD_TEXT },
	{ AT(trend_run, reason), .type = FIELD_TEXT },   { AT(trend_run, verdict), .type = FIELD_TEXT },
	{ AT(trend_run, approved), .type = FIELD_BOOL },
};

static const struct field figure_fields[] = {
	{ AT(trend_figure, place), .type = FIELD_COUNT },
	{ AT(trend_figure, query), .type = FIELD_TEXT },
	{ AT(trend_figure, metric), .type = FIELD_TEXT },
	{ AT(trend_figure, label), .type = FIELD_OPTIONAL_NAME },
	{ AT(trend_figure, rank), .type = FIELD_OPTIONAL_COUNT, .absent = -1 },
	{ .key = "unit", .offset = offsetof(struct trend_figure, unit_word), .type = FIELD_TEXT },
	{ AT(trend_figure, digits), .type = FIELD_NUMBER },
	{ AT(trend_figure, newest), .type = FIELD_NUMBER },
	{ AT(trend_figure, level), .type = FIELD_NUMBER },
	{ AT(trend_figure, noise), .type = FIELD_NUMBER },
};

static const struct field point_fields[] = {
	{ AT(trend_point, figure), .type = FIELD_COUNT },
	{ AT(trend_point, last), .type = FIELD_COUNT },
	{ AT(trend_point, first), .type = FIELD_COUNT },
	{ AT(trend_point, before), .type = FIELD_NUMBER },
	{ AT(trend_point, after), .type = FIELD_NUMBER },
	{ AT(trend_point, change_pct), .type = FIELD_OPTIONAL_NUMBER, .absent = INT64_MIN },
	{ AT(trend_point, p), .type = FIELD_COUNT },
	{ AT(trend_point, is_worse), .type = FIELD_BOOL },
	{ AT(trend_point, is_better), .type = FIELD_BOOL },
	{ AT(trend_point, approved), .type = FIELD_BOOL },
};

static const struct field part_fields[] = {
	{ AT(trend_part, figure), .type = FIELD_COUNT },
	{ AT(trend_part, first), .type = FIELD_COUNT },
	{ AT(trend_part, place), .type = FIELD_COUNT },
	{ AT(trend_part, metric), .type = FIELD_TEXT },
	{ AT(trend_part, label), .type = FIELD_OPTIONAL_NAME },
	{ AT(trend_part, rank), .type = FIELD_OPTIONAL_COUNT, .absent = -1 },
	{ AT(trend_part, before), .type = FIELD_NUMBER },
	{ AT(trend_part, after), .type = FIELD_NUMBER },
};

#define ROW(name)                                                                    \
	{                                                                                \
		.fields = name##_fields, .nr = sizeof name##_fields / sizeof *name##_fields, \
		.size = sizeof(struct trend_##name), .listed = true,                         \
	}
static const struct schema run_schema = ROW(run);
static const struct schema figure_schema = ROW(figure);
static const struct schema point_schema = ROW(point);
static const struct schema part_schema = ROW(part);

static const struct field trend_fields[] = {
	{ AT(trend, workload), .type = FIELD_TEXT },
	{ AT(trend, headline), .type = FIELD_TEXT },
	{ AT(trend, runs), .type = FIELD_ROWS, .sub = &run_schema },
	{ AT(trend, figures), .type = FIELD_ROWS, .sub = &figure_schema },
	{ AT(trend, points), .type = FIELD_ROWS, .sub = &point_schema },
	{ AT(trend, parts), .type = FIELD_ROWS, .sub = &part_schema },
};

static const struct schema trend_schema = {
	.id = TREND_SCHEMA,
	.fields = trend_fields,
	.nr = sizeof trend_fields / sizeof *trend_fields,
	.size = sizeof(struct trend),
};

void trend_write(const struct trend *t, struct sink *out)
{
	row_write(&trend_schema, t, out);
	sink_puts(out, "\n");
}

void trend_schema_write(struct sink *out)
{
	row_schema_write(&trend_schema,
	                 "gpugate history: figures over the runs of a baseline's history", out);
}

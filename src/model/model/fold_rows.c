#include "model/fold.h"
#include "model/rows_internal.h"

#define ROW fold_deed
static const struct field fold_deed_fields[] = {
	/* KEY(ORDER: rows are sorted by the member, name of the member, stored form, minor version that
	   added the member) */
	KEY(ORDER, op, NAME, 0),
	KEY(ORDER, activity, NAME, 0),
	KEY(ORDER, waits_in, NAME, 0),
	KEY(ORDER, fewer_in, OPTIONAL_NAME, 0),
	KEY(ORDER, throttled, OPTIONAL_NAME, 1),
	KEY(ORDER, reasons, OPTIONAL_NAME, 1),
	KEY(ORDER, shared, OPTIONAL_NAME, 1),
};
ROW_TYPE(fold_deed, LISTED);
#undef ROW

#define ROW fold_figure
static const struct field fold_figure_fields[] = {
	KEY(ORDER, metric, ENUM(metric_names), 0, NAMES_ROW),
	KEY(ORDER, stat, ENUM(stat_names), 0),
	KEY(ORDER, within, ENUM(reduce_names), 0),
	KEY(ORDER, label, NAME, 0),
	KEY(ORDER, cls, ENUM(class_names), 0),
	KEY(ORDER, category, NAME, 0),
	FIELD_AT(tally.count, "count", OPTIONAL_COUNT(0), KEEP, KEEP, 0),
	FIELD_AT(tally.high, "sum_high", OPTIONAL_NUMBER(0), KEEP, KEEP, 0),
	FIELD_AT(tally.low, "sum_low", OPTIONAL_COUNT(0), KEEP, KEEP, 0),
	FIELD_AT(tally.min, "min", OPTIONAL_NUMBER(0), KEEP, KEEP, 0),
	FIELD_AT(tally.second, "second", OPTIONAL_NUMBER(0), KEEP, KEEP, 0),
	FIELD_AT(tally.max, "max", OPTIONAL_NUMBER(0), KEEP, KEEP, 0),
	FIELD_AT(tally.median, "median", OPTIONAL_NUMBER(TALLY_UNKNOWN), KEEP, KEEP, 0),
	FIELD_AT(tally.min_rank, "min_rank", OPTIONAL_COUNT(0), KEEP, KEEP, 0),
	FIELD_AT(tally.max_rank, "max_rank", OPTIONAL_COUNT(0), KEEP, KEEP, 0),
};
ROW_TYPE(fold_figure, LISTED);
#undef ROW

#define ROW fold_series
static const struct field fold_series_fields[] = {
	KEY(ORDER, kind, ENUM(collective_names), 0),
	KEY(ORDER, group_size, OPTIONAL_COUNT(-1), 0),
	KEY(ORDER, group, NAME, 0),
};
ROW_TYPE(fold_series, LISTED);
#undef ROW

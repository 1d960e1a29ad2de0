#include "store/columns.h"

_Static_assert(NR_ALL_COLUMNS <= 64, "a set of columns has a bit for each");

static const char *const phase_keys[NR_INNER_PHASES - 1][NR_PHASE_COLUMNS] = {
#define KEYS(phase)                                                                              \
	{                                                                                            \
		phase ".compute_time", phase ".memcpy_time", phase ".memset_time", phase ".kernel_count" \
	}
	KEYS("forward"),    KEYS("backward"),      KEYS("optimizer"),
	KEYS("dataloader"), KEYS("communication"), KEYS("recompute"),
#undef KEYS
};

bool step_column_is_metric(size_t column)
{
	return column >= METRIC_COLUMN && column < STEP_PHASE_COLUMN;
}

int step_column_since(size_t column)
{
	return step_column_is_metric(column) ? metric_table[column - METRIC_COLUMN].since : 0;
}

bool step_column_is_optional(size_t column)
{
	return step_column_since(column) > 0 || (column >= STEP_PHASE_COLUMN && column < NR_COLUMNS);
}

bool step_column_may_be_zero(size_t column)
{
	return column >= PHASE_COLUMN && column < NR_COLUMNS &&
	       (column - PHASE_COLUMN) % NR_PHASE_COLUMNS;
}

const char *step_column_key(size_t column)
{
	if (column == COUNT_COLUMN)
		return "count";
	if (column == STEP_PHASE_COLUMN)
		return "phase";
	if (column >= PHASE_COLUMN)
		return phase_keys[(column - PHASE_COLUMN) / NR_PHASE_COLUMNS]
		                 [(column - PHASE_COLUMN) % NR_PHASE_COLUMNS];
	return column == NUMBER_COLUMN       ? "number"
	       : column == ACTIVITIES_COLUMN ? "activities"
	                                     : metric_table[column - METRIC_COLUMN].name;
}

int64_t **step_column_place(struct digest *d, size_t column)
{
	size_t k = column - PHASE_COLUMN;
	if (step_column_is_metric(column))
		return &d->samples[column - METRIC_COLUMN];
	return column == NUMBER_COLUMN       ? &d->step_numbers
	       : column == ACTIVITIES_COLUMN ? &d->step_activities
	       : column == STEP_PHASE_COLUMN
	           ? &d->step_phases
	           : &d->phases[PHASE_FORWARD + k / NR_PHASE_COLUMNS][k % NR_PHASE_COLUMNS];
}

int64_t *step_column(const struct digest *d, size_t column)
{
	return *step_column_place((struct digest *)(uintptr_t)d, column);
}

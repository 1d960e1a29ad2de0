/// What is said of one run by itself: facts, tables, series, what it is bound by and what to
/// do about it. Texts beside raw numbers; writers arrange and escape.
#ifndef GG_MODEL_RUN_REPORT_H
#define GG_MODEL_RUN_REPORT_H

#include "model/diagnosis.h"

/// A line of the summary.
struct fact {
	const char *id; ///< a metric's name, or "steps", "gpu", …
	const char *label; ///< "CUDA time per step"
	const char *text; ///< figure with unit; untrusted text is valid UTF-8, fit for a line
	bool has_value;
	int64_t value; ///< in `unit`
	enum unit unit;
	const char *note; ///< "rank 3: 12.20 ms"; "" none
};

enum cell_kind { CELL_ABSENT, CELL_TEXT, CELL_FIGURE };

/// A cell of a table: a figure in the column's unit, or a text of a stranger.
struct report_cell {
	enum cell_kind kind;
	const char *text; ///< "–" absent; valid UTF-8, fit for a line, not cut
	int64_t value; ///< CELL_FIGURE: raw; sort by it
};

struct report_column {
	const char *name;
	enum unit unit; ///< of figures
	bool is_text; ///< names, to the left
	bool adds; ///< a sum over rows says something
	int64_t rest; ///< where it does: that of what was left out
};

/// A list of things with figures, already in its order.
struct report_table {
	const char *id, *title;
	const char *note; ///< a sentence on how to read it; "" none
	VEC(struct report_column) columns; ///< each says something of some row
	VEC(struct report_cell) cells; ///< row by row, columns.nr each
	size_t more; ///< things that were left out, those too small for a digest to keep among them
};

struct series_point {
	int64_t x, y;
};

/// A line of a chart.
struct series {
	const char *id; ///< a metric's name, or "memory.allocated", "memory.reserved": levels
	const char *title;
	const char *label; ///< "rank 3", "memory 0 of rank 3"
	int64_t rank;
	enum unit
	    x_unit; ///< UNIT_COUNT: number of the step, or of the allocator's action; UNIT_NS: time
	enum unit unit; ///< of y
	VEC(struct series_point) points; ///< by x; none where they are not kept
	const int64_t *summary; ///< in their place, by enum statistic; else NULL
};

struct run_report {
	bool candidate; ///< side of a check or diff
	bool window; ///< no steps: figures per step are of the whole window
	const char *phase; ///< --phase: kernels and operators are only of it; NULL all
	VEC(struct fact) facts;
	VEC(struct report_table) tables;
	VEC(struct series) series;
	VEC(struct series) ranks; ///< of several: compute time of the steps of each
	struct classification classification;
	VEC(struct recommendation) recommendations; ///< most to save first
};

/// The table `id`, or NULL.
const struct report_table *run_report_table(const struct run_report *r, const char *id);

/// Number of rows.
size_t report_table_rows(const struct report_table *t);

/// What the rows from `shown` on and what was left out come to in a column that adds up.
int64_t report_table_rest(const struct report_table *t, size_t shown, size_t column);

/// True where a row for all that is not shown, below the first `shown`, says something.
bool report_table_has_rest(const struct report_table *t, size_t shown);

/// Release the lists, not the texts; NULL is fine.
void run_report_release(struct run_report *r);

#endif

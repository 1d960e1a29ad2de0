/// Report on one run by itself: facts, tables, series, what limits the run, and advice. The report
/// has both texts and raw numbers; writers only arrange and escape.
#ifndef GG_MODEL_RUN_REPORT_H
#define GG_MODEL_RUN_REPORT_H

#include "model/diagnosis.h"

/// A line of a run's summary.
struct fact {
	const char *id; ///< name of a metric, or "steps", "gpu", …
	const char *label; ///< label for people, such as "CUDA time per step"
	const char *text; ///< figure with unit, or a text of the recording, as valid UTF-8 that
	                  ///< fits on one line
	bool has_value;
	int64_t value; ///< raw value in `unit`
	enum unit unit;
	const char *note; ///< further figure, such as "rank 3: 12.20 ms"; "" if there is none
};

/// The kind of content of a cell; CELL_ABSENT: the cell is empty.
enum cell_kind { CELL_ABSENT, CELL_TEXT, CELL_FIGURE };

/// A cell of a table: a figure in the column's unit, or a text of the recording.
struct report_cell {
	enum cell_kind kind;
	const char *text; ///< text as valid UTF-8 that fits on one line, not cut; "–" if absent
	int64_t value; ///< raw value of a CELL_FIGURE, to sort by
};

/// A column of a report_table.
struct report_column {
	const char *name;
	enum unit unit; ///< unit of the column's figures
	bool is_text; ///< true if the column has names, aligned to the left, rather than figures
	bool adds; ///< true if the sum over the rows is meaningful
	bool detail; ///< true if a terminal shows the column only when every figure is to be shown
	int64_t rest; ///< sum over the rows that were left out, if the column adds up
};

/// An array of columns, and their number.
#define COLUMNS(c) (c), NR_OF(c)

/// A table of items and their figures, in the order in which it is shown.
struct report_table {
	const char *id, *title;
	const char *note; ///< a sentence on how to read the table; "" if there is none
	VEC(struct report_column) columns; ///< columns, without those that are empty in every row
	VEC(struct report_cell) cells; ///< cells row by row, columns.nr for each row
	size_t more; ///< number of items left out, including those that a digest does not keep
	bool detail; ///< true if reports show the table only when every figure is to be shown
};

/// A point of a line, in the units of the series of the line.
struct series_point {
	int64_t x, y;
};

/// A line of a chart: one figure over steps or time.
struct series {
	const char *id; ///< name of a metric, or "memory.allocated", "memory.reserved" for levels
	const char *title;
	const char *label; ///< label of the line, such as "rank 3" or "memory 0 of rank 3"
	int64_t rank;
	/// Unit of the x values. UNIT_COUNT: the number of a step, or of an action of the allocator;
	/// UNIT_NS: a time in ns.
	enum unit x_unit;
	enum unit unit; ///< unit of the y values
	VEC(struct series_point) points; ///< points sorted by x; empty if samples are not kept
	const int64_t *summary; ///< statistics, indexed by enum statistic, instead of samples; or NULL
};

/// The report on a run. Texts are owned by the arena that is passed to the diagnose_*() functions.
struct run_report {
	const struct run_view *view; ///< view of the run if every figure is to be shown; else NULL
	bool candidate; ///< true if the run is the candidate of a check or diff
	bool window; ///< true if there are no steps: figures per step are of the whole window
	const char *phase; ///< phase to which kernels and operators are restricted, or NULL
	VEC(struct fact) facts;
	VEC(struct report_table) tables;
	VEC(struct series) series;
	VEC(struct series) ranks; ///< each rank's compute time of its steps; empty if there is one rank
	struct classification classification;
	VEC(struct recommendation) recommendations; ///< advice, sorted by the time that it saves
};

/// The table with this id, or NULL.
const struct report_table *run_report_table(const struct run_report *r, const char *id);

/// Number of rows of a table.
size_t report_table_rows(const struct report_table *t);

/// Sum of a column over the rows from number `shown` on and over the items that were left out; only
/// for columns that add up.
int64_t report_table_rest(const struct report_table *t, size_t shown, size_t column);

/// True if the table needs a row of sums: not all items are shown, and some column adds up.
bool report_table_has_rest(const struct report_table *t, size_t shown);

/// Releases the lists, but not the texts; NULL is fine.
void run_report_release(struct run_report *r);

#endif

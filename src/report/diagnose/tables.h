/// Internal to diagnose/: building the tables of a run.
#ifndef GG_DIAGNOSE_TABLES_H
#define GG_DIAGNOSE_TABLES_H

#include "model/run_report.h"

/// Largest number of rows in a table.
enum { TABLE_ROWS = 20 };

/// Builder of tables, to which cells are added row by row.
struct tabler {
	const struct run_view *v;
	struct arena *a; ///< arena that owns the texts of cells
	struct run_report *out;
};

/// Begin a table; the returned pointer is valid until the next call.
struct report_table *table_begin(struct tabler *t, const char *id, const char *title,
                                 const char *note);

/// Append a column for figures with the unit `unit`.
void table_column(struct report_table *t, const char *name, enum unit unit);

/// Append a column for names.
void table_names(struct report_table *t, const char *name);

/// Append a cell with a figure in the column's unit; without one for MEMORY_UNKNOWN.
void cell_figure(struct tabler *t, struct report_table *table, int64_t value);

/// Append a cell with a name, which may contain any bytes.
void cell_name(struct tabler *t, struct report_table *table, struct span name);

/// End the table. Columns without any value are removed, and so is a table without rows.
void table_end(struct tabler *t);

/// Set the member `rest` of each column to the sum of its metric over those items that digests do
/// not list singly; `ids` are the metrics of the columns. Returns the number of these items.
size_t table_folded(struct tabler *t, struct report_table *table, const enum metric_id *ids,
                    size_t nr_ids);

/// Append tables of the allocator's actions, of memory at its peak, and of segments.
void tables_of_memory(struct tabler *t);

/// Append tables of kernels that fill memory, of recomputed activations, and of operators'
/// floating-point operations.
void tables_of_work(struct tabler *t);

#endif

/// Internal to diagnose/: how tables of a run are made.
#ifndef GG_DIAGNOSE_TABLES_H
#define GG_DIAGNOSE_TABLES_H

#include "model/run_report.h"

/// Rows of a table at most.
enum { TABLE_ROWS = 20 };

/// A table whose cells are added row by row.
struct tabler {
	const struct run_view *v;
	struct arena *a; ///< owns the texts
	struct run_report *out;
};

/// Begin a table; valid until the next one.
struct report_table *table_begin(struct tabler *t, const char *id, const char *title,
                                 const char *note);

/// Its next column, of figures.
void table_column(struct report_table *t, const char *name, enum unit unit);

/// Its next column, of names.
void table_names(struct report_table *t, const char *name);

/// The next cell: a figure in the column's unit.
void cell_figure(struct tabler *t, struct report_table *table, int64_t value);

/// The next cell: a name, of any bytes.
void cell_name(struct tabler *t, struct report_table *table, struct span name);

/// The next cell, of which nothing is known.
void cell_absent(struct report_table *table);

/// End it: columns that say nothing are taken out, and so is a table without rows.
void table_end(struct tabler *t);

/// Put into `rest` of the columns, which are of `ids`, what digests keep as a sum; how many things
/// that is of.
size_t table_folded(struct tabler *t, struct report_table *table, const enum metric_id *ids,
                    size_t nr_ids);

/// Tables of what the allocator did, of memory at its peak and of segments.
void tables_of_memory(struct tabler *t);

/// Tables of fills, recomputation and operations of operators.
void tables_of_work(struct tabler *t);

#endif

/// Of diagnose: how tables of a run are made.
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

/// Its columns, of figures or of names.
void table_column(struct report_table *t, const char *name, enum unit unit);
void table_names(struct report_table *t, const char *name);

/// The next cell: a figure in the column's unit, a name (raw bytes), or nothing.
void cell_figure(struct tabler *t, struct report_table *table, int64_t value);
void cell_name(struct tabler *t, struct report_table *table, struct span name);
void cell_absent(struct report_table *table);

/// End it: columns that say nothing are taken out, and so is a table without rows.
void table_end(struct tabler *t);

/// True for figures of which a sum over things is one of them together.
bool metric_adds_up(enum metric_id id);

/// Put into `rest` of the columns, which are of `ids`, what digests keep as a sum; how many things
/// that is of.
size_t table_folded(struct tabler *t, struct report_table *table, const enum metric_id *ids,
                    size_t nr_ids);

/// Tables of a rank's digest: of memories, fills, recomputation.
void tables_of_memory(struct tabler *t);
void tables_of_work(struct tabler *t);

#endif

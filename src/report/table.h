/// What the writers for people share: aligned tables, choices.
#ifndef GG_REPORT_TABLE_H
#define GG_REPORT_TABLE_H

#include "io/sink.h"
#include "model/report.h"

struct table_row {
	const char **cells;
	const char *color; ///< escape sequence for the first cell; NULL none
};

/// Rows of equally many cells, written in aligned columns.
struct table {
	const char *align; ///< one letter a column: 'l' or 'r'
	VEC(struct table_row) rows;
	struct arena arena; ///< owns the cells
};

/// A row of as many strings as `t` has columns; they are borrowed.
void table_add(struct table *t, const char *color, const char *const *cells);

/// Write all rows, indented by two blanks, and give the memory back.
void table_write(struct table *t, struct sink *out);

/// Append `text` fit for one line of a CI log, at most `max_chars`; no logging
/// command of a CI (`##[`, `##vso[`, `##teamcity[`) survives, wherever it stands.
void table_add_text(struct strbuf *out, struct span text, size_t max_chars);

/// The same as a string owned by `a`; NULL is "".
const char *table_text(struct arena *a, const char *text, size_t max_chars);

struct breakdown_list {
	VEC(const struct breakdown *) list;
};

/// Breakdowns worth showing, each once: of failed step figures, which hold what
/// failed in them; else of other failed checks; else of step figures that warn;
/// of memory, failed or else warned; of the diff.
void breakdowns_of(const struct report *r, struct breakdown_list *out);

/// True for what a reader has to see: fail, inconclusive, missing, warn.
bool check_matters(const struct check *c);

/// True where the figures do not say why a check is undecided, nor does a trust
/// finding, which stands in the report itself.
bool check_needs_reason(const struct report *r, const struct check *c);

/// "+12.3 ms (+12.29 %)"; owned by `a`.
const char *change_of(struct arena *a, const char *change, const char *pct);

/// "3 ranks, 10 steps" of a side; owned by `a`.
const char *extent_of(struct arena *a, const struct side *s);

/// `s`, or "" for NULL.
static inline const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

#endif

/// What the builders of documents share: tables of strings, choices.
#ifndef GG_REPORT_TABLE_H
#define GG_REPORT_TABLE_H

#include "document/document.h"
#include "model/report.h"

/// Rows of equally many strings, for a table of a document.
struct table {
	const char *align; ///< one letter a column: 'l' names and words, 'r' figures
	VEC(const char **) rows;
	struct arena arena; ///< owns the rows
};

/// A row of as many strings as `t` has columns; they are borrowed.
void table_add(struct table *t, const char *const *cells);

/// The rows as a table of `d` called `title`, the first of them its headings if `head`, and
/// `more` that were left out; nothing if there are none. The strings are copied, and the memory
/// of `t` given back.
void table_put(struct table *t, bool head, const char *title, size_t more, struct document *d);

/// Text fit for one line of a CI log (text_add_log), owned by `a`; NULL is "".
const char *table_span(struct arena *a, struct span text, size_t max_chars);
const char *table_text(struct arena *a, const char *text, size_t max_chars);

struct breakdown_list {
	VEC(const struct breakdown *) list;
};

/// Breakdowns worth showing, each once: of failed step figures, which hold what
/// failed in them, else of failed kernels, operators, …; of other failed figures of a run
/// or its devices; where there are none of step figures that warn; of memory, failed or
/// else warned; of the diff.
void breakdowns_of(const struct report *r, struct breakdown_list *out);

/// True for what a reader has to see: fail, inconclusive, missing, warn.
bool check_matters(const struct check *c);

/// True for what is not passed, and has to be accepted: fail, undecided, inconclusive, missing.
bool check_is_open(const struct check *c);

/// True where the figures do not say why a check is undecided, nor does a trust
/// finding, which stands in the report itself.
bool check_needs_reason(const struct check *c);

/// The headline of a check without its verdict: "3 of 60 checks beyond their limits".
const char *report_counts(const struct report *r);

/// True if the noise is worth a figure: wide noise that is rather assumed than measured, as few
/// runs are stored, says only that it is not known.
static inline bool noise_is_known(const struct evidence *e, int64_t baseline)
{
	enum { MEASURED_RUNS = 5, WIDE = 10 };
	return e->has_noise && (e->past_runs >= MEASURED_RUNS || e->noise < baseline / WIDE);
}

/// "3 % and 2ms" of the limit "increase 3% and 2ms"; owned by `a`.
const char *limit_text(struct arena *a, const char *limit);

/// The tone of a change of a figure.
static inline enum doc_tone tone_of_change(enum worse worse, int64_t change)
{
	return doc_tone_of(worse == WORSE_UP, worse == WORSE_DOWN, change);
}

/// "+12.3 ms (+12.29 %)"; owned by `a`.
const char *change_of(struct arena *a, const char *change, const char *pct);

/// "runs of the candidate: 13.2 ms, 13.3 ms"; "" where it has one. Owned by `a`.
const char *runs_of(struct arena *a, const struct check *c);

/// "5 runs, 3 ranks, 10 steps; pinned 12 days ago" of a side; owned by `a`.
const char *extent_of(struct arena *a, const struct side *s);

/// `s`, or "" for NULL.
static inline const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

#endif

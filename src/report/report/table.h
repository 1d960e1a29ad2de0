/// Helpers for building documents: texts and choices that several builders share.
#ifndef GG_REPORT_TABLE_H
#define GG_REPORT_TABLE_H

#include "document/document.h"
#include "model/report.h"

/// Returns `text` on one line of at most `max_chars`, without commands to a CI system; owned by
/// `a`.
const char *table_span(struct arena *a, struct span text, size_t max_chars);

/// Like table_span(), for a string; NULL gives "".
const char *table_text(struct arena *a, const char *text, size_t max_chars);

/// Breakdowns (changes of figures, split into parts), borrowed from a report.
struct breakdown_list {
	VEC(const struct breakdown *) list;
};

/// Lists the breakdowns to show, each once, in this order:
/// 1. those of failed figures per step; if there are none, those of failed kernels, operators, …
/// 2. those of other failed figures of a run or of its devices
/// 3. if the list is still empty, those of undecided figures per step; if there are none, those of
/// figures per step that warn
/// 4. those of failed memory figures; if there are none, those of memory figures that warn
/// 5. those of a diff
/// The caller releases `out->list`.
void breakdowns_of(const struct report *r, struct breakdown_list *out);

/// Orders checks on figures of result files. Checks that need attention come first, sorted by
/// verdict, then by how much worse the figure became. Further checks are sorted by the order of
/// figures in their file format (metric.place).
int check_worst_first(const struct check *x, const struct check *y);

/// The beginning that the case names (metric.case_name) of all `nr` figures share, in whole words,
/// such as "sglang.random.in1024."; "" if a figure has no case.
struct span common_case(const struct metric *const *v, size_t nr);

/// The title of a table of figures whose case names begin with `of`; owned by `a`.
const char *figures_of_case(struct arena *a, struct span of);

/// True for verdicts that need attention: fail, undecided, inconclusive, missing and warn.
bool check_matters(const struct check *c);

/// True for verdicts that block until someone accepts: fail, undecided, inconclusive, missing.
bool check_is_open(const struct check *c);

/// True if nothing was judged because there is no baseline yet.
bool report_is_first(const struct report *r);

/// True for a report of `check` in which something was judged without a baseline, by limits that
/// need none.
bool report_is_alone(const struct report *r);

/// True if the noise is worth showing: it is below 10 % of the baseline, or at least KNOWN_RUNS
/// stored runs show that it is real. Other wide noise is mostly assumed, because few runs are
/// known.
bool noise_is_known(const struct check *c);

/// The amount "3 % and 2 ms" from the limit "increase 3% and 2ms"; owned by `a`.
const char *limit_text(struct arena *a, const char *limit);

/// Tone in which a change of a figure is shown.
static inline enum doc_tone tone_of_change(enum worse worse, int64_t change)
{
	return doc_tone_of(worse == WORSE_UP, worse == WORSE_DOWN, change);
}

/// Tone of a check's change: plain unless the verdict is `fail` or `improved`.
enum doc_tone tone_of_check(const struct check *c);

/// A change such as "+12.3 ms (+12.29 %)"; owned by `a`, or `change` itself if `pct` is "".
const char *change_of(struct arena *a, const char *change, const char *pct);

/// Text such as "runs of the candidate: 13.2 ms, 13.3 ms"; "" for a single run. Owned by `a`.
const char *runs_of(struct arena *a, const struct check *c);

/// Size of a side, such as "5 runs, 3 ranks, 10 steps; approved 12 days ago"; owned by `a`.
const char *extent_of(struct arena *a, const struct side *s);

#endif

/// The figures that people know a run by, and the check that a verdict is said by.
#ifndef GG_REPORT_KEY_FIGURES_H
#define GG_REPORT_KEY_FIGURES_H

#include "document/document.h"
#include "model/report.h"

struct key_figure {
	const struct metric *metric;
	const char *before, *after; ///< `before` is NULL where there is no baseline
	int64_t baseline, candidate, noise; ///< noise < 0: not said
	ptrdiff_t check; ///< its number; < 0 none
	enum doc_tone tone; ///< of the change: colored if a check failed or improved, or in a diff
	bool wide; ///< too few runs are stored to know the noise
};

struct key_figures {
	VEC(struct key_figure) list;
};

/// GPU compute per step, wall time per step, peak memory and the first input that is judged, as
/// far as they are known; if the verdict is about none of them, the figure of the main finding.
/// Caller releases `out->list`.
void key_figures_of(const struct report *r, struct key_figures *out);

/// The first finding of the verdict; NULL: there is none.
const struct finding *report_main_finding(const struct report *r);

/// The check that says most of the verdict: of a key figure with this verdict; else the first of
/// report_main_finding(); else any. NULL if no figure has a change.
const struct check *report_worst_check(const struct report *r);

/// The label of a metric; a recording without steps counts as one, which is called its window.
const char *figure_label(struct arena *a, const struct report *r, const struct metric *m);

/// The fact of a run with a value and this id; NULL: it has none, or there is no run.
const struct fact *run_fact(const struct run_report *run, const char *id);

/// True if it is about a key figure.
bool check_is_key(const struct check *c);

/// True if `change` of `baseline` is too small to be told.
static inline bool change_is_nothing(int64_t change, int64_t baseline)
{
	enum { LEAST = 10000 }; /* of the baseline */
	__int128 size = change < 0 ? -(__int128)change : change;
	return !change || size * LEAST < baseline;
}

#endif

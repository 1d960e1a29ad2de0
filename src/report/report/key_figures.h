/// The key figures of a run (compute time, wall time, memory, a figure of a result file), and the
/// check that explains a verdict.
#ifndef GG_REPORT_KEY_FIGURES_H
#define GG_REPORT_KEY_FIGURES_H

#include "document/document.h"
#include "model/report.h"

/// A figure on both sides; texts are borrowed from the report.
struct key_figure {
	const struct metric *metric;
	enum statistic stat; ///< statistic over the steps
	const char *kind; ///< kind of steps that the figure is of, such as "decode"; NULL: of all steps
	/// Texts of the figure on both sides; `before` is NULL without a baseline.
	const char *before, *after;
	/// Values and noise in the metric's unit; noise is -1 if it is not shown.
	int64_t baseline, candidate, noise;
	ptrdiff_t check; ///< index of the check on the figure; -1 if there is none
	enum doc_tone tone; ///< how the change is shown: better, worse, caution, or plain if it is not
	                    ///< judged
	/// evidence of a check that did not pass, if too few runs are stored to know the noise; else
	/// NULL
	const struct evidence *assumed;
	/// evidence of a check that passed although its noise is 10 % or more of the baseline, so that
	/// smaller changes are not detected; else NULL
	const struct evidence *dull;
	/// limit such as "increase 10%" that the figure exceeds (if the check only warns) or may exceed
	/// (if it is undecided because too few runs are known); without a baseline, the limit of the
	/// figure; else NULL
	const char *limit;
};

/// The key figures, in the order in which they are shown.
struct key_figures {
	VEC(struct key_figure) list;
};

/// Collect the key figures, as far as they are known: GPU compute per step, wall time per step,
/// peak memory, and one figure of a result file: the one that became worst or, if no check needs
/// attention, the first one. If the check on a figure is on one kind of steps, the figures of the
/// other kinds that have checks follow it. If the verdict is not about any of these, add the figure
/// of the main finding, if it is one of the whole run, of a device or of a memory. Without a
/// baseline, collect instead the figures with limits that need no baseline. The caller releases
/// `out->list`.
void key_figures_of(const struct report *r, struct key_figures *out);

/// The first finding with the verdict of the report, or NULL.
const struct finding *report_main_finding(const struct report *r);

/// The check that explains the verdict of the report best. Only checks with this verdict are
/// considered, in this order: those of key figures, those of the main finding, all others. NULL if
/// none of them has a change, or a limit that needs no baseline, in a figure that can be believed.
const struct check *report_worst_check(const struct report *r);

/// The label of a metric in this report, of all steps or, if `kind` is not NULL, of steps of one
/// kind ("decode"). The label names the statistic over the steps, unless it is the median. Without
/// steps, the recording counts as one step, which the label calls the window.
const char *figure_label(struct arena *a, const struct report *r, const struct metric *m,
                         const char *kind, enum statistic stat);

/// Line `id` of the summary of a run (run_report.facts). NULL if there is no such line or no run.
const struct fact *run_fact(const struct run_report *run, const char *id);

/// The row of a diff for a metric of the whole candidate (not of a single rank, GPU or phase).
/// Returns NULL if the diff has no such row.
const struct figure_row *figure_row_find(const struct report *r, enum metric_id id);

/// The kind of steps that the check is on, such as "decode"; NULL if it is on all steps, or not on
/// a figure of steps.
const char *check_kind(const struct check *c);

/// True if the check is about a key figure.
bool check_is_key(const struct check *c);

#endif

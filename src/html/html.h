/// The sections of the HTML report; each is left out where there is nothing to say.
#ifndef GG_HTML_HTML_H
#define GG_HTML_HTML_H

#include "html/html_page.h"

/// What changed: the checks of the gate.
void html_checks(struct html *h);

/// Figures of a diff.
void html_figures(struct html *h);

/// Parts that a change is made of.
void html_change(struct html *h);

/// Kernels that changed.
void html_kernels(struct html *h);

/// Categories of kernels.
void html_categories(struct html *h);

/// What is different in the environment.
void html_environment(struct html *h);

/// Of each run: facts, and what it is bound by.
void html_summary(struct html *h);

/// What to do.
void html_recommendations(struct html *h);

/// The lists of each run.
void html_tables(struct html *h);

/// Its ranks.
void html_ranks(struct html *h);

/// Chart: times of steps.
void html_steps(struct html *h);

/// Charts: memory over time and at its peak.
void html_memory(struct html *h);

/// Within it, what each memory of a run holds at its peak; whether that is known. NULL: no.
void html_peaks(struct html *h, const struct run_report *run);
bool html_has_peaks(const struct run_report *run);

/// Charts of one kind at most; the line that says how many of `nr` were left out.
enum { HTML_CHARTS = 32 };
void html_more_charts(struct html *h, size_t nr);

/// Some rows of a list, and how their names are written.
struct html_filter {
	const char *memory; ///< passed to `wants`
	bool (*wants)(const struct report_table *t, size_t row, const char *memory);
	void (*key)(struct html *h, const struct report_table *t, size_t row, const char *name);
};

/// A list as a table, names first. With a filter: the rows that it wants, without the last
/// column, which is what it goes by; `key` NULL: names as they are.
void html_list(struct html *h, const char *caption, const struct report_table *t,
               const struct html_filter *filter);

/// "baseline" or "candidate"; "run" where there is no other.
const char *html_side(const struct html *h, bool candidate);

/// "worse", "better" or "" of a check that changed.
const char *html_direction(const struct check *c);

#endif

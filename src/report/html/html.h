/// The charts of the HTML report. Each is left out if it has no data.
#ifndef GG_HTML_HTML_H
#define GG_HTML_HTML_H

#include "document/document.h"
#include "html/html_page.h"
#include "html/svg.h"

/// A part of a bar; `size` is in the unit of the bar's `whole`.
struct bar_part {
	int color;
	int64_t size;
	const char *text, *name; ///< figure and name of the part; the name may hold any text of the
	                         ///< input and is escaped
};

/// A bar made of parts; `whole` is the length of the bar.
struct bar {
	const char *title;
	int64_t whole;
	VEC(struct bar_part) parts;
};

/// Draw a bar in the class `class` of the style sheet and, if `legend` is true, a legend below it.
void html_bar(struct html *h, const struct bar *bar, const char *class, bool legend);

/// Draw a bar for each run that shows what the wall time of its steps was spent on.
void html_parts(struct html *h);

/// Draw the parts of the change that finding `i` explains.
void html_finding(struct html *h, size_t i);

/// Draw GPU time by place in the code.
void html_flame(struct html *h);

/// Draw a heat map of the steps of the candidate's ranks, of which at most 64 are shown.
void html_heat(struct html *h);

/// Draw a small chart of the figure of check `i` in all runs.
void html_spark(struct html *h, size_t i);

/// Draw a small chart of column `i` of the table of ranks, with a dot for each rank.
void html_spark_ranks(struct html *h, size_t i);

/// Draw large charts of the most important figures that have a history.
void html_history(struct html *h);

/// Draw step times over the steps of each run.
void html_steps(struct html *h);

/// Draw memory over time and at its peak.
void html_memory(struct html *h);

/// Draw what each memory of a run holds at its peak.
void html_peaks(struct html *h, const struct run_report *run);

/// Largest number of charts of one kind, except those of the history.
enum { HTML_CHARTS = 32 };

/// If `nr`, the number of charts, is above HTML_CHARTS, write how many charts were left out.
void html_more_charts(struct html *h, size_t nr);

/// Write the tables of the document `d` here, between the charts, and release `d`.
void html_tables(struct html *h, struct document *d);

/// Write the document `d`, which has the numbers of a chart, as a collapsed block, and release `d`.
void html_numbers(struct html *h, struct document *d);

/// The name `whole` as the document shows it, perhaps shortened.
const char *html_display(const struct html *h, const char *whole);

/// The word for a side: "baseline" or "candidate", or "run" in a report on one run.
const char *html_side(const struct html *h, bool candidate);

#endif

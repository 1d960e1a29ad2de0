/// Trends (figures over the runs of main, with change points) as a document for people.
#ifndef GG_HISTORY_TRENDS_DOCUMENT_H
#define GG_HISTORY_TRENDS_DOCUMENT_H

#include "cli/options.h"
#include "history/trends.h"
#include "html/html_page.h"
#include "names/short.h"

/// The document about trends, with the data that the document borrows.
struct trends_page {
	const struct trends *t;
	struct short_names names; ///< short names of kernels
	struct document d;
	struct page_frame frame;
};

/// Build the document. It borrows from the trends `t`, and from the page `p`, which must not move.
/// The caller ends with trends_page_release().
void trends_page_init(struct trends_page *p, const struct trends *t);

/// Releases the document and its texts.
void trends_page_release(struct trends_page *p);

/// The values of the figure in all runs as a line of bars; owned by the document.
const char *trend_sparkline(struct document *d, const struct trend_figure *f);

/// Write a change point: its figure and levels, the runs before and after it, and what else changed
/// there. The text goes to the present item of a list and to items below it.
void trends_put_event(struct document *d, const struct trends *t, const struct trend_change *p);

/// Write cells with the newest value of a figure, its level and its spread.
void trends_put_figure(struct document *d, const struct trend_figure *f);

/// Draws the values of one figure over all runs, and appends the chart to `out`, which becomes part
/// of an HTML page.
void trends_draw(const struct trends *t, const struct trend_figure *f, struct document *d,
                 struct strbuf *out);

/// Name of a figure, such as "time of kernel gemm, rank 2". A figure of a result file may be of a
/// case, such as one batch size; if the case's name begins with `known`, this part is left out.
/// Owned by the arena of `d`.
const char *trend_name(struct document *d, const struct trend_figure *f, struct span known);

/// Read what the options of `history` ask for. Returns ST_USAGE, with an error, if an option is
/// wrong.
GG_MUST_CHECK enum status trend_options_read(const struct options *o, struct trend_options *out,
                                             struct diag_log *log);

/// Run `history --suite`: show all stored baselines whose paths the entries of the suite file can
/// produce. The results of the cases need not exist.
GG_MUST_CHECK enum status index_trends(const struct options *o, struct diag_log *log);

#endif

/// Trends (figures over the runs of main, with change points) as a document for people.
#ifndef GG_HISTORY_TRENDS_DOCUMENT_H
#define GG_HISTORY_TRENDS_DOCUMENT_H

#include "cli/options.h"
#include "history/trends.h"
#include "html/html_page.h"
#include "names/short.h"

/// The document about trends, together with the data that it borrows.
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

/// Add the names of the kernels in `t`, so that they can be shortened as in other reports. The
/// texts belong to `d`, which must show `names` (doc_show_names()) before it gets any text about
/// `t`.
void trends_add_names(const struct trends *t, struct short_names *names, struct document *d);

/// The values of the figure in all runs as a line of bars; owned by the document.
const char *trend_sparkline(struct document *d, const struct trend_figure *f);

/// Write a change point: its figure and levels, the runs before and after it, and other changes at
/// these runs. The text goes into the present item of a list and into items below it.
void trends_put_event(struct document *d, const struct trends *t, const struct trend_change *p);

/// Write cells with the newest value of a figure, its level and its spread.
void trends_put_figure(struct document *d, const struct trend_figure *f);

/// Draw the values of one figure over all runs, and append the chart to `out`, as a part of an HTML
/// page.
void trends_draw(const struct trends *t, const struct trend_figure *f, struct document *d,
                 struct strbuf *out);

/// Name of a figure, such as "time of kernel gemm, rank 2". A figure of a result file may belong to
/// a case, such as a batch size. If the name of the case begins with `known`, that part is left
/// out. Owned by the arena of `d`.
const char *trend_name(struct document *d, const struct trend_figure *f, struct span known);

/// Read the options of `history` into `out`. Returns ST_USAGE, with an error, if an option is
/// wrong.
GG_MUST_CHECK enum status trend_options_read(const struct options *o, struct trend_options *out,
                                             struct diag_log *log);

/// Run `history --suite`: show all stored baselines whose paths the entries of the suite file can
/// produce. The runs of the cases need not exist.
GG_MUST_CHECK enum status index_trends(const struct options *o, struct diag_log *log);

#endif

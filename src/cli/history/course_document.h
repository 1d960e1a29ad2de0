/// A course (figures over the runs of main, with change points) as a document for people.
#ifndef GG_HISTORY_COURSE_DOCUMENT_H
#define GG_HISTORY_COURSE_DOCUMENT_H

#include "cli/options.h"
#include "history/course.h"
#include "html/html_page.h"
#include "names/short.h"

/// The document about a course, with the data that the document borrows.
struct course_page {
	const struct course *t;
	struct short_names names; ///< short names of kernels
	struct document d;
	struct page_frame frame;
};

/// Build the document. It borrows from the course `t`, and from the page `p`, which must not move.
/// The caller ends with course_page_release().
void course_page_init(struct course_page *p, const struct course *t);

/// Releases the document and its texts.
void course_page_release(struct course_page *p);

/// The values of the figure in all runs as a line of bars; owned by the document.
const char *course_sparkline(struct document *d, const struct course_figure *f);

/// Write a change point: its figure and levels, the runs before and after it, and what else changed
/// there. The text goes to the present item of a list and to items below it.
void course_put_event(struct document *d, const struct course *t, const struct course_point *p);

/// Write cells with the newest value of a figure, its level and its spread.
void course_put_figure(struct document *d, const struct course_figure *f);

/// Draws the values of one figure over all runs, and appends the chart to `out`, which becomes part
/// of an HTML page.
void course_draw(const struct course *t, const struct course_figure *f, struct document *d,
                 struct strbuf *out);

/// Name of a figure, such as "time of kernel gemm, rank 2". A figure of a result file may be of a
/// case, such as one batch size; if the case's name begins with `known`, this part is left out.
/// Owned by the arena of `d`.
const char *course_name(struct document *d, const struct course_figure *f, struct span known);

/// Read what the options of `history` ask for. Returns ST_USAGE, with an error, if an option is
/// wrong.
GG_MUST_CHECK enum status course_options_read(const struct options *o, struct course_options *out,
                                              struct diag_log *log);

/// Run `history --suite`: show all stored baselines whose paths the entries of the suite file can
/// produce. The results of the cases need not exist.
GG_MUST_CHECK enum status index_courses(const struct options *o, struct diag_log *log);

#endif

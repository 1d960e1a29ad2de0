/// Output of results: the requested reports, and the text on the terminal.
#ifndef GG_CLI_OUTPUT_H
#define GG_CLI_OUTPUT_H

#include "base/diag.h"
#include "cli/options.h"
#include "html/html_page.h"
#include "report/writer.h"

/// Write every report that the options name. Write the text to standard output, unless a report
/// goes there. The first warnings of the log move into the report. ST_OUTPUT if a report could not
/// be written; all files are then written again as reports of this failure, since no report may
/// claim success.
GG_MUST_CHECK enum status output_reports(const struct options *o, struct report *r,
                                         struct diag_log *log);

/// Like output_reports(), but after a failure: the reports contain the status `st` and the log's
/// first error, and the text is not written. The report `r` may contain what is known already.
GG_MUST_CHECK enum status output_failure(const struct options *o, enum status st, struct report *r,
                                         struct diag_log *log);

/// The reports of one command, which are written one after the other. If one of them cannot be
/// written, the others still are.
struct output {
	const struct options *options;
	struct diag_log *log;
	bool again; ///< true: leave out a report on standard output, which was written before
	bool to_stdout; ///< true once a report goes to standard output
	enum status status; ///< error of the first report that could not be written
};

/// Begin a report at `path`, the value of an option. NULL if `path` is NULL, if the report is left
/// out, or if it cannot be opened.
struct sink *output_begin(struct output *w, const char *path);

/// End a report.
void output_end(struct output *w, struct sink *out);

/// Write a document as Markdown and as HTML, if the options ask for them. With `text`, also write
/// the text to standard output, unless a report goes there or could not be written. Returns the
/// status of all reports so far.
GG_MUST_CHECK enum status output_document(struct output *w, const struct document *d,
                                          const struct page_frame *frame, bool text);

/// Returns ST_USAGE if an output file is also an input, another output, or a file that was already
/// read.
GG_MUST_CHECK enum status output_check(const struct options *o, struct diag_log *log);

/// A format in which reports are written, and the option that asks for it.
struct report_format {
	const char *name; ///< name such as "text", "markdown" or "junit"
	enum option option; ///< option with the file name; NR_OPTIONS: only for standard output
	const char *file; ///< name of its file in the folder of --reports
	void (*write)(const struct report *r, const struct write_options *o, struct sink *out);
};

/// All formats; the last row has no name. Static.
extern const struct report_format report_formats[];

/// The format called `name`, or NULL.
const struct report_format *report_format_find(const char *name);

#endif

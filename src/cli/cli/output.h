/// Output of results: the requested reports, and the text on the terminal.
#ifndef GG_CLI_OUTPUT_H
#define GG_CLI_OUTPUT_H

#include "base/diag.h"
#include "cli/options.h"
#include "html/html_page.h"
#include "report/writer.h"

/// Write every report that the options name, and the text to standard output unless a report goes
/// there. The first warnings of the log move into the report. ST_OUTPUT if a report could not be
/// written; all files are then written again as reports of this failure, so that none claims
/// success.
GG_MUST_CHECK enum status output_reports(const struct options *o, struct report *r,
                                         struct diag_log *log);

/// Like output_reports(), but after a failure: the reports contain the status `st` and the log's
/// first error, and the text is not written. The report `r` may already hold what is known.
GG_MUST_CHECK enum status output_failure(const struct options *o, enum status st, struct report *r,
                                         struct diag_log *log);

/// Write a document as Markdown and as HTML, if the options ask for them. `again`: write only
/// files, not to standard output. `*to_stdout` becomes true if an option names standard output.
GG_MUST_CHECK enum status output_forms(const struct options *o, const struct document *d,
                                       const struct page_frame *frame, bool again, bool *to_stdout,
                                       struct diag_log *log);

/// Like output_forms(); also writes the text to standard output, unless another report goes there.
/// `to_stdout`: true if the caller writes a report to standard output.
GG_MUST_CHECK enum status output_document(const struct options *o, const struct document *d,
                                          const struct page_frame *frame, bool to_stdout,
                                          struct diag_log *log);

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

/// All formats, with an unnamed row at the end; static.
extern const struct report_format report_formats[];

/// The format called `name`, or NULL.
const struct report_format *report_format_find(const char *name);

#endif

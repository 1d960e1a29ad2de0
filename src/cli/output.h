/// Where results go: the reports asked for, and the terminal.
#ifndef GG_CLI_OUTPUT_H
#define GG_CLI_OUTPUT_H

#include "base/diag.h"
#include "cli/options.h"
#include "html/html_page.h"
#include "report/writer.h"

/// How reports are written: what the options and the terminal say.
struct write_options output_options(const struct options *o);

/// Write every report that the options name, and the text to standard output
/// unless a report went there. ST_OUTPUT if any could not be written (the
/// others are then written again as failures).
GG_MUST_CHECK enum status output_reports(const struct options *o, struct report *r,
                                         struct diag_log *log);

/// The same after a failure: reports that hold `st` and the first error of the
/// log, nothing on standard output. `r` may hold what is known already.
GG_MUST_CHECK enum status output_failure(const struct options *o, enum status st, struct report *r,
                                         struct diag_log *log);

/// A document for people in the forms that the options name, Markdown and a page: `again` leaves
/// out what goes to standard output; `*to_stdout` is set where one does.
GG_MUST_CHECK enum status output_forms(const struct options *o, const struct document *d,
                                       const struct page_frame *frame, bool again, bool *to_stdout,
                                       struct diag_log *log);

/// The same, and as text to standard output unless `to_stdout`, or one of them, went there.
GG_MUST_CHECK enum status output_document(const struct options *o, const struct document *d,
                                          const struct page_frame *frame, bool to_stdout,
                                          struct diag_log *log);

/// No output is an input or another output; ST_USAGE otherwise.
GG_MUST_CHECK enum status output_check(const struct options *o, struct diag_log *log);

#endif

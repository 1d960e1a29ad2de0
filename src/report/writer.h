/// What the writers of reports share.
#ifndef GG_REPORT_WRITER_H
#define GG_REPORT_WRITER_H

#include "document/document.h"
#include "io/sink.h"
#include "model/report.h"
#include "model/view.h"

struct write_options {
	bool color; ///< text: ANSI colors
	bool junit_strict; ///< junit: leave out what the Jenkins schema forbids
	size_t max_bytes; ///< markdown: budget, 0 the default of 60,000
	bool verbose; ///< text: what is folded elsewhere, too
	size_t width; ///< text: columns, 0 TEXT_WIDTH
};

/// Columns where nothing says how many there are: the log of a CI.
enum { TEXT_WIDTH = 100 };

/// Any document for a terminal, and for a comment on GitHub.
typedef void document_writer(const struct document *d, const struct write_options *o,
                             struct sink *out);
document_writer document_write_text, document_write_markdown;

/// `gpugate metrics RUN --json` (schemas/gpugate-metrics-1.json). `r` holds what is
/// said of the run, as the candidate: trust, insights, ranks; NULL nothing.
void metrics_write_json(const struct run_view *v, const struct report *r, struct sink *out);

/// `gpugate metrics RUN` for people: a table for each group, put into `d`.
void metrics_document(const struct run_view *v, const struct report *r, struct document *d);

/// `gpugate metrics`: the table of metrics with units and meanings.
void metric_table_document(struct document *d);

#endif

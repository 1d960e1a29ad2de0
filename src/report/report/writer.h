/// Declarations that the writers of reports share.
#ifndef GG_REPORT_WRITER_H
#define GG_REPORT_WRITER_H

#include "document/document.h"
#include "io/sink.h"
#include "model/report.h"
#include "model/view.h"

/// Options of the writers; a zeroed struct has the defaults.
struct write_options {
	bool color; ///< in text: use ANSI colors
	size_t max_bytes; ///< for Markdown: size limit in bytes; 0: the default of 60,000
	bool verbose; ///< in text: also show sections that are collapsed in other formats
	size_t width; ///< in text: number of columns; 0: TEXT_WIDTH
	struct short_names *names; ///< display names of kernels, which the first of several writers
	                           ///< fills for the others; or NULL
};

/// Number of columns that is used if the real one is unknown, as in the log of a CI system.
enum { TEXT_WIDTH = 100 };

/// Write a document for a terminal, or as a comment on GitHub.
typedef void document_writer(const struct document *d, const struct write_options *o,
                             struct sink *out);
document_writer document_write_text, document_write_markdown;

/// Write every figure of a run (schemas/gpugate-metrics-1.json), as the old command `metrics` does.
/// If `r` is not NULL, it is a report on this run, whose trust findings, insights and ranks are
/// written, too.
void metrics_write_json(const struct run_view *v, const struct report *r, struct sink *out);

/// Build the document of `gpugate explain`: the table of metrics with units and meanings.
void metric_table_document(struct document *d);

/// Write for a terminal or a CI log, without details unless `o->verbose`.
void text_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write a comment for GitHub of at most `o->max_bytes`.
void markdown_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write JUnit XML: a suite for each group of rules, a case for each check and each trust finding.
void junit_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write gpugate-result-1 for `check`, gpugate-diff-1 for `diff`, gpugate-report-1 for `report`.
void json_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write gpugate-plan-1: which further runs would decide the undecided checks, or confirm the
/// failures.
void plan_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write OpenMetrics 1.0, for Prometheus and GitLab: verdict, checks and figures as series.
void openmetrics_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write a JSON array of those findings that have a line of code, for GitLab's code quality widget.
void codequality_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif

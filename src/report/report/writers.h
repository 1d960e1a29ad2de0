/// The writers of reports, one for each row of cli/output.c.
#ifndef GG_REPORT_WRITERS_H
#define GG_REPORT_WRITERS_H

#include "report/writer.h"

/// Write for a terminal or a CI log: failures only, unless `o->verbose`.
void text_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write a comment for GitHub of at most `o->max_bytes`.
void markdown_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write JUnit XML: a suite for each group of rules, a case for each check.
void junit_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write gpugate-result-1 for `check`, gpugate-diff-1 for `diff`.
void json_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write gpugate-plan-1: which further runs would decide the undecided checks.
void plan_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write OpenMetrics 1.0, for Prometheus and GitLab: verdict, checks and figures as series.
void openmetrics_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Write an array of the findings with a line of code, for GitLab's code quality widget.
void codequality_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif

/// The writers of reports: rows of cli/formats.c.
#ifndef GG_REPORT_WRITERS_H
#define GG_REPORT_WRITERS_H

#include "report/writer.h"

/// For a terminal or a CI log: failures only, unless `o->verbose`.
void text_write(const struct report *r, const struct write_options *o, struct sink *out);

/// For a comment on GitHub, within `o->max_bytes`.
void markdown_write(const struct report *r, const struct write_options *o, struct sink *out);

/// JUnit XML: a suite per group of rules, a case per check.
void junit_write(const struct report *r, const struct write_options *o, struct sink *out);

/// gpugate-result-1 of `check`, gpugate-diff-1 of `diff`.
void json_write(const struct report *r, const struct write_options *o, struct sink *out);

/// gpugate-plan-1: what would decide the checks that are undecided.
void plan_write(const struct report *r, const struct write_options *o, struct sink *out);

/// OpenMetrics 1.0: verdict, checks and figures as series, for Prometheus and GitLab.
void openmetrics_write(const struct report *r, const struct write_options *o, struct sink *out);

/// Findings that have a line of code, for the code quality widget of GitLab: an array.
void codequality_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif

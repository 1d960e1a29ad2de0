/// Of the writers: what is said of one run by itself (model/run_report.h).
#ifndef GG_REPORT_DIAGNOSIS_H
#define GG_REPORT_DIAGNOSIS_H

#include "report/emit.h"
#include "report/markdown_tables.h"
#include "report/writer.h"

/// `gpugate report` as a whole, for a terminal.
void run_text_write(const struct report *r, const struct write_options *o, struct sink *out);

/// The same as JSON.
void run_json_write(const struct report *r, struct sink *out);

/// Sections of it in Markdown: context, summary and findings.
void md_run_summary(struct markdown *m);

/// Every list, folded away.
void md_run_tables(struct markdown *m);

/// The recommendations alone, under the checks of the gate; nothing where there are none.
void recommendations_write_text(const struct run_report *run, struct sink *out);

/// The same in Markdown.
void md_recommendations(struct markdown *m);

/// The same as a member of an object in JSON.
void recommendations_write_json(const struct run_report *run, struct emit *e);

#endif

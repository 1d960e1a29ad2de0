/// The tables of the Markdown report, each a section of its own; without rows there is none.
#ifndef GG_REPORT_MARKDOWN_TABLES_H
#define GG_REPORT_MARKDOWN_TABLES_H

#include "model/report.h"
#include "report/markdown_doc.h"
#include "report/trust_lines.h"

struct markdown {
	const struct report *r;
	struct trust_lines trust;
	struct md_document doc;
	struct arena arena;
};

/// Failures and warnings; figures of a diff.
void md_failures(struct markdown *m);
void md_figures(struct markdown *m);

/// Folded away: checks of a group (NR_GROUPS: all) under `summary`.
void md_checks(struct markdown *m, const char *summary, enum check_group group);

/// Folded away, too.
void md_kernels(struct markdown *m);
void md_scaling(struct markdown *m);
void md_ranks(struct markdown *m);
void md_environment(struct markdown *m);

#endif

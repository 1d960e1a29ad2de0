/// Reports as documents: what is said of a check, a diff or a run, and in which order. The only
/// place that chooses it; document/ renders.
#ifndef GG_REPORT_DOCUMENT_H
#define GG_REPORT_DOCUMENT_H

#include "document/document.h"
#include "model/report.h"
#include "names/short.h"
#include "report/trust_lines.h"

#define COLUMNS(c) (c), sizeof(c) / sizeof *(c)

/// The whole of `r`. Texts are borrowed from it, and from `names`, which is filled: both are
/// kept as long as the document, which the caller releases, and the names too.
void report_document(const struct report *r, struct short_names *names, struct document *d);

/// Kernels are shown in `d` by these names, which are kept as long as it.
void doc_show_names(struct document *d, const struct short_names *names);

/// A sentence of ours in the paragraph, item or cell under way, in which the names of kernels are
/// told by their display names; the same as a string owned by `d`.
void doc_sentence(struct document *d, const char *text);
const char *doc_sentence_text(struct document *d, const char *text);

/* The parts of it. Each opens a section, and nothing is shown of an empty one. */

/// Findings, and checks beyond their limits that none explains; what findings rest on; what is
/// worth naming of ranks; what else there is to know.
void doc_findings(struct document *d, const struct report *r, const struct trust_lines *trust);
void doc_reasons(struct document *d, const struct report *r);
void doc_insights(struct document *d, const struct report *r);
void doc_remarks(struct document *d, const struct report *r, struct trust_lines *trust);

/// The word of a verdict in the paragraph, item or cell under way.
void doc_put_verdict(struct document *d, enum verdict v);

/// The verdict with its figure; key figures of both sides.
void doc_verdict(struct document *d, const struct report *r);
void doc_key_figures(struct document *d, const struct report *r);

/// All checks; what stands behind their values.
void doc_checks(struct document *d, const struct report *r);
void doc_evidence(struct document *d, const struct report *r);

/// Parts of the change; kernels of both sides; categories of both; figures of a diff; largest
/// tensors; the environment.
void doc_breakdowns(struct document *d, const struct report *r);
void doc_kernels(struct document *d, const struct report *r);
void doc_categories(struct document *d, const struct report *r);
void doc_code(struct document *d, const struct report *r);
void doc_figures(struct document *d, const struct report *r);
void doc_scaling(struct document *d, const struct report *r);
void doc_environment(struct document *d, const struct report *r);

/// What a run is bound by, and what that was not told from; what to do, with the command that
/// accepts the candidate; what would make the run faster; facts; lists; ranks side by side.
void doc_bound(struct document *d, const struct report *r);
void doc_unknown(struct document *d, const struct report *r);
void doc_advice(struct document *d, const struct report *r);

/// The command that accepts the change, where there is one.
void doc_accept(struct document *d, const struct report *r);
void doc_recommendations(struct document *d, const struct report *r);
void doc_facts(struct document *d, const struct report *r);
void doc_lists(struct document *d, const struct report *r);
void doc_ranks(struct document *d, const struct report *r, bool candidate, const char *title);

/// What a page draws: the history of figures, what the wall time of a step goes to, GPU time by
/// where in the code, steps of all ranks.
void doc_history(struct document *d, const struct report *r);
void doc_step(struct document *d, const struct report *r);
void doc_flame(struct document *d, const struct report *r);
void doc_steps_of_ranks(struct document *d, const struct report *r);

#endif

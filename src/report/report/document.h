/// Reports as documents: what is shown of a check, a diff or a run, and in which order. The folder
/// document/ only renders what is chosen here.
#ifndef GG_REPORT_DOCUMENT_H
#define GG_REPORT_DOCUMENT_H

#include "document/document.h"
#include "model/report.h"
#include "names/short.h"
#include "report/trust_lines.h"

/// Build the whole document of `r`. Fills `names` as report_names() does. Texts are borrowed from
/// `r` and from `names`; both must live as long as the document, which the caller releases.
void report_document(const struct report *r, struct short_names *names, struct document *d);

/// Make `d` show kernels by these names, which must live as long as `d`.
void doc_show_names(struct document *d, const struct short_names *names);

/// Add a sentence of the program to the current paragraph, item or cell, with kernels replaced by
/// their display names.
void doc_sentence(struct document *d, const char *text);

/// The sentence `text` with kernels replaced by their display names, as a string owned by `a`.
const char *report_sentence(const struct short_names *names, const char *text, struct arena *a);

/// Fill `names`, unless it is filled, with the display names of all kernels that the report names.
void report_names(const struct report *r, struct short_names *names);

/// Like doc_table(), for a table that compares with a single stored run. If this is not the
/// approved run, the column "baseline" is named after the run's commit: "main at 1a2b3c4d5e", or
/// "main" if the commit is unknown.
struct doc_table *doc_run_table(struct document *d, const struct report *r, const char *title,
                                const struct doc_column *columns, size_t nr);

/* The sections of a report. Each function adds one section; a section that stays empty is dropped.
 */

/// Add the section of findings, and of checks that need attention (check_matters()) and that no
/// finding explains.
void doc_findings(struct document *d, const struct report *r, const struct trust_lines *trust);

/// Add the section on why the report has its findings: their costs, evidence and checks.
void doc_reasons(struct document *d, const struct report *r);

/// Add what is notable about a run or its ranks (insights). In a report on one run, it is added to
/// the section that is open.
void doc_insights(struct document *d, const struct report *r);

/// Add warnings, trust findings, and the checks that are waived or could not be judged. In a report
/// on one run, they are added to the section that is open.
void doc_remarks(struct document *d, const struct report *r, struct trust_lines *trust);

/// The word of a verdict for people: "not judged" for both `inconclusive` and `missing`.
const char *verdict_word(enum verdict v);

/// Add the word of a verdict to the current paragraph, item or cell.
void doc_put_verdict(struct document *d, enum verdict v);

/// Add the verdict of the whole report, in the tone of a failure if and only if the job `fails`.
void doc_put_result(struct document *d, enum verdict v, bool fails);

/// Add the first paragraph of a report: the verdict with its main figure.
void doc_verdict(struct document *d, const struct report *r);

/// True if the finding is about figures that were not judged, and the heading of the report says
/// all that the finding says.
bool doc_heading_tells(const struct report *r, const struct finding *f);

/// Add the key figures of both sides, and why the wall time hardly changes if compute takes longer.
void doc_key_figures(struct document *d, const struct report *r);

/// Add the figures of result files that changed, worst first. There is no section for a single
/// figure, nor if no figure needs attention (check_matters()) or improved.
void doc_inputs(struct document *d, const struct report *r);

/// Add the table of all checks.
void doc_checks(struct document *d, const struct report *r);

/// Add the share of false alarms, and the evidence behind the values of checks that do not pass.
void doc_evidence(struct document *d, const struct report *r);

/// Columns of the table of findings, and of the table of changes in a diff.
extern const struct doc_column doc_change_columns[3];

/// Add changes of figures, each split into its parts. breakdowns_of() chooses the changes.
void doc_breakdowns(struct document *d, const struct report *r);

/// Add what changed most, and where.
void doc_changes(struct document *d, const struct report *r);

/// Add the kernels of both sides, the largest change first.
void doc_kernels(struct document *d, const struct report *r);

/// Add GPU time of both sides by category of kernels.
void doc_categories(struct document *d, const struct report *r);

/// Add GPU time of both sides by operator, module and line of code.
void doc_code(struct document *d, const struct report *r);

/// Add the figures of both sides of a diff, with their changes.
void doc_figures(struct document *d, const struct report *r);

/// Add the size of the largest tensor of each category, on both sides.
void doc_scaling(struct document *d, const struct report *r);

/// Add the environment of both sides.
void doc_environment(struct document *d, const struct report *r);

/// Add what limits the speed of a run (its bound), and the evidence for it.
void doc_summary(struct document *d, const struct report *r);

/// Add what was not recorded.
void doc_unknown(struct document *d, const struct report *r);

/// Add what to do: actions, and commands that decide or accept the change.
void doc_advice(struct document *d, const struct report *r);

/// Add how to decide an undecided check: the recordings that are needed, and the command.
void doc_decide(struct document *d, const struct report *r);

/// Add a list of a run as a table whose first columns are those with names. If `memory` is not
/// NULL, only the rows of this memory are added, and the last column, which names the memory, is
/// left out. Unless `all_columns`, columns for details are only on the HTML page.
struct doc_table *doc_list(struct document *d, const struct report_table *t, const char *title,
                           const char *memory, bool all_columns);

/// Add every figure of a run, computed from run_report.view. Adds nothing if this is NULL.
void doc_metrics(struct document *d, const struct report *r);

/// Add to the current section the observations that the recommendations for one run rest on.
void doc_observations(struct document *d, const struct report *r);

/// Add what could be better in a run.
void doc_recommendations(struct document *d, const struct report *r);

/// Add the summary of each run (run_report.facts): GPU, ranks, steps, main figures.
void doc_facts(struct document *d, const struct report *r);

/// Add lists of what takes the time and the memory of a run.
void doc_lists(struct document *d, const struct report *r);

/// Add the table of ranks of the candidate or, if `candidate` is false, of the baseline.
void doc_ranks(struct document *d, const struct report *r, bool candidate, const char *title);

/// The places of a finding as text or, if none can be named, a remark such as "no line of code
/// recorded"; "" if there is nothing to say. The text is owned by `d`, to which it is also added as
/// a paragraph.
const char *doc_where_text(struct document *d, const struct finding *f);

/// Weight of a check's chart in the history of figures; charts with a larger weight come first. 2:
/// the report did not pass, and the check has the report's verdict. 1: another check, on the
/// compute time or the wall time of a step. 0: the check gets no chart: it is neither of these, its
/// metric is exact, it has no change, or its trend has fewer than three runs or only one value.
int doc_history_weight(const struct report *r, const struct check *c);

/// Add a picture to the HTML page: the history of figures, if there is a chart.
void doc_history(struct document *d, const struct report *r);

/// Add a picture to the HTML page: the parts of the wall time.
void doc_step(struct document *d, const struct report *r);

/// Add a picture and a table to the HTML page: GPU time by code.
void doc_flame(struct document *d, const struct report *r);

/// Add a picture to the HTML page: the steps of all ranks.
void doc_steps_of_ranks(struct document *d, const struct report *r);

/// Add pictures to the HTML page: steps and memory over time.
void doc_series(struct document *d, const struct report *r);

/// True if a run has series whose ids begin with `prefix`; false for NULL.
bool run_has_series(const struct run_report *run, const char *prefix);

/// True if a run has a table of what its memory holds at the peak; false for NULL.
bool run_has_peaks(const struct run_report *run);

#endif

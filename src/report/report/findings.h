/// JSON that several reports share: the analysis of one run (model/run_report.h), trust findings,
/// insights and ranks. "Insights" are remarks on a run or on one of its ranks. If an argument
/// `sides` is true, both sides of a report (baseline and candidate) are written; else only the
/// candidate, and the side is not named. The ranks that documents show are chosen here, too.
#ifndef GG_REPORT_FINDINGS_H
#define GG_REPORT_FINDINGS_H

#include "model/report.h"
#include "report/emit.h"

/// A selection of rows of the table of ranks.
struct rank_choice {
	VEC(const struct rank_row *) rows; ///< rows in the order of the report's table of ranks
	size_t more; ///< number of rows left out
};

/// Select at most `max` ranks of the candidate or of the baseline. If there are more, ranks that an
/// insight names are preferred. The caller releases with vec_release(&out->rows).
void ranks_choose(const struct report *r, bool candidate, size_t max, struct rank_choice *out);

/// Write the member "trust".
void trust_write_json(const struct report *r, bool sides, struct emit *e);

/// Write two members: the table of ranks as `key`, an object of columns and rows; and "insights".
void ranks_write_json(const struct report *r, const char *key, bool sides, struct emit *e);

/// Write the JSON of `gpugate report`.
void run_json_write(const struct report *r, struct sink *out);

/// Write every figure of a run as members of the current object.
void figures_write_json(const struct run_view *v, struct emit *e);

/// Write the recommendations as a member of the current object.
void recommendations_write_json(const struct run_report *run, struct emit *e);

#endif

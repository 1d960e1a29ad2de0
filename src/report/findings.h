/// What is said of runs and ranks beside the figures, as writers share it: trust findings,
/// insights, ranks side by side. With `sides` of both sides of a report; else only of
/// the candidate, without naming it.
#ifndef GG_REPORT_FINDINGS_H
#define GG_REPORT_FINDINGS_H

#include "model/report.h"
#include "report/emit.h"
#include "report/trust_lines.h"

/// Some rows of the table of ranks.
struct rank_choice {
	VEC(const struct rank_row *) rows; ///< in their order
	size_t more; ///< how many were left out
};

/// At most `max` rows of one side: where there are more, those that an insight names come
/// before others. Caller releases with vec_release(&out->rows).
void ranks_choose(const struct report *r, bool candidate, size_t max, struct rank_choice *out);

/// Cell `i` of a row, "–" where it has none.
const char *rank_cell(const struct rank_row *row, size_t i);

/// The member "trust".
void trust_write_json(const struct report *r, bool sides, struct emit *e);

/// The members `key` (an object of columns and rows) and "insights".
void ranks_write_json(const struct report *r, const char *key, bool sides, struct emit *e);

#endif

/// Trust findings as people read them: what is said of many ranks stands on one line, and so
/// do the checks that it leaves undecided.
#ifndef GG_REPORT_TRUST_LINES_H
#define GG_REPORT_TRUST_LINES_H

#include "model/report.h"

#define TRUST_OTHERS " (the others alike)"

struct trust_line {
	const struct trust_finding *first; ///< whose message is shown for all
	const char *whose; ///< " candidate ranks 0 and 2 to 7", " rank 3", ""
	bool others; ///< the other findings say the same in other words: TRUST_OTHERS
	size_t checks; ///< that cannot be decided because of its findings
};

struct trust_lines {
	const struct report *r;
	VEC(struct trust_line) list; ///< in the order of the findings
	VEC(size_t) line_of; ///< by index in r->trust
	struct arena arena; ///< owns the text
};

/// Lines of the findings of `r`: of both sides, or, without `sides`, only of the
/// candidate, which is then not named. Caller releases.
void trust_lines_init(struct trust_lines *l, const struct report *r, bool sides);
void trust_lines_release(struct trust_lines *l);

/// True for a check that stands in a line's sum: one finding leaves more undecided than
/// are worth a row each.
bool trust_lines_sum_up(const struct trust_lines *l, const struct check *c);

/// "30 checks cannot be judged: absent-rank of candidate rank 4"; "" where the line sums up
/// none. Owned by `l`.
const char *trust_line_sum(struct trust_lines *l, const struct trust_line *line);

#endif

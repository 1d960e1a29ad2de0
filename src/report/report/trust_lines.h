/// Trust findings as lines of text for people. Equal findings on many ranks share one line, which
/// may also count the checks that cannot be judged because of them.
#ifndef GG_REPORT_TRUST_LINES_H
#define GG_REPORT_TRUST_LINES_H

#include "model/report.h"

#define TRUST_OTHERS " (the others alike)"

/// A line for one trust finding, or for several of the same kind.
struct trust_line {
	const struct trust_finding *first; ///< the finding whose message the line shows
	const char *whose; ///< text such as " candidate ranks 0 and 2 to 7", " rank 3" or ""
	bool others; ///< true: findings after `first` have other messages; see TRUST_OTHERS
	size_t checks; ///< number of checks that cannot be judged because of these findings
};

/// The lines of a report, which is borrowed.
struct trust_lines {
	const struct report *r;
	VEC(struct trust_line) list; ///< lines of text, in the order of their findings
	VEC(size_t) line_of; ///< index in `list` of the line of each finding of r->trust
	struct arena arena; ///< arena that owns the texts
};

/// Make the lines for the trust findings of the report `r`: those of both sides or, without
/// `sides`, only of the candidate, which is not named then. The caller releases them.
void trust_lines_init(struct trust_lines *l, const struct report *r, bool sides);

/// Release the lines and their texts.
void trust_lines_release(struct trust_lines *l);

/// True for a check that is only counted in a line and not shown, because too many checks cannot be
/// judged for the same reason.
bool trust_lines_sum_up(const struct trust_lines *l, const struct check *c);

/// True for a line that counts its checks, which are too many to be shown one by one.
bool trust_line_sums_up(const struct trust_line *line);

#endif

/// What several cases of a suite have in common: findings of one kind that name the same, and a
/// machine that changed.
#ifndef GG_SUITE_SUITE_SHARED_H
#define GG_SUITE_SUITE_SHARED_H

#include "suite/suite.h"

/// Fill `shared` and `sharing` of a suite whose other lists are sorted, and mark the findings that
/// a shared cause tells. Verdicts do not depend on it.
void suite_share(struct suite *s);

/// The first shared cause that has all cases with this verdict, of which there are several; NULL if
/// none has.
const struct suite_shared *suite_shared_by(const struct suite *s, unsigned verdict);

/// Index in `cases` of the case with index `place` of the suite.
size_t suite_case_at(const struct suite *s, int64_t place);

#endif

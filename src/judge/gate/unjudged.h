/// Figures of files that no rule judges, since their better direction is not known.
#ifndef GG_GATE_UNJUDGED_H
#define GG_GATE_UNJUDGED_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// Say which figures of files a rule selects but no check is about: in a warning those that may
/// have a better direction, with the rule that would say it; in a note of the candidate all of
/// them, also spreads and numbers of samples. All checks must be in `out`.
void unjudged_say(struct bench *b, const struct rules *rules, struct report *out);

#endif

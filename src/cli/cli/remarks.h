/// Content of reports besides checks: insights, ranks, recommendations.
#ifndef GG_CLI_REMARKS_H
#define GG_CLI_REMARKS_H

#include "model/diagnosis.h"
#include "model/report.h"
#include "model/view.h"

/// Append insights and the table of ranks of both runs (the baseline may have no ranks) to a
/// report. If checks failed or warned, append recommendations that are new since the baseline. For
/// an HTML `page`, append the complete analysis of each run. Texts are borrowed from `rules`.
void remarks_add(const struct naming *naming, const struct diagnosis_rules *rules,
                 const struct run *candidate, const struct run *baseline, bool page,
                 struct report *out);

#endif

/// What is to be said of runs beside their checks.
#ifndef GG_CLI_REMARKS_H
#define GG_CLI_REMARKS_H

#include "model/diagnosis.h"
#include "model/report.h"
#include "model/view.h"

/// Append insights and the ranks side by side of both runs (the baseline may have no ranks) to
/// a report. Where checks failed or warned, recommendations that the baseline does not have as
/// well. For a `page`, all that each run says by itself. Texts are borrowed from `rules`.
void remarks_add(const struct naming *naming, const struct diagnosis_rules *rules,
                 const struct run *candidate, const struct run *baseline, bool page,
                 struct report *out);

#endif

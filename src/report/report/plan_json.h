/// The plan: which further runs would decide the undecided checks.
#ifndef GG_REPORT_PLAN_JSON_H
#define GG_REPORT_PLAN_JSON_H

#include "model/report.h"
#include "report/emit.h"

/// Write the members of the plan: the number of further runs or pairs, in all and for each check.
void plan_write_json(const struct report *r, struct emit *e);

#endif

/// What would decide the checks that are undecided.
#ifndef GG_REPORT_PLAN_JSON_H
#define GG_REPORT_PLAN_JSON_H

#include "model/report.h"
#include "report/emit.h"

/// The members of the plan: how many runs or pairs more, and of each check what it takes.
void plan_write_json(const struct report *r, struct emit *e);

#endif

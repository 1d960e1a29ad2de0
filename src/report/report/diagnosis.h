/// The analysis of one run (model/run_report.h) as JSON.
#ifndef GG_REPORT_DIAGNOSIS_H
#define GG_REPORT_DIAGNOSIS_H

#include "model/report.h"
#include "report/emit.h"
#include "report/writer.h"

/// Write the JSON of `gpugate report`.
void run_json_write(const struct report *r, struct sink *out);

/// Write every figure of a run as members of the current object.
void figures_write_json(const struct run_view *v, struct emit *e);

/// Write the recommendations as a member of the current object.
void recommendations_write_json(const struct run_report *run, struct emit *e);

#endif

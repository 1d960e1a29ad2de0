/// What is said of one run by itself (model/run_report.h), as JSON.
#ifndef GG_REPORT_DIAGNOSIS_H
#define GG_REPORT_DIAGNOSIS_H

#include "report/emit.h"
#include "report/writer.h"

/// `gpugate report` as a whole.
void run_json_write(const struct report *r, struct sink *out);

/// The recommendations as a member of an object.
void recommendations_write_json(const struct run_report *run, struct emit *e);

#endif

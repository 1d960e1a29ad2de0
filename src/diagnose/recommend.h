/// Internal to diagnose/: recommendations as rules and code make them.
#ifndef GG_DIAGNOSE_RECOMMEND_H
#define GG_DIAGNOSE_RECOMMEND_H

#include "model/run_report.h"

/// A recommendation with its texts filled in; `saves_ns` -1 unknown, at most a step.
void recommend_add(const struct run_view *v, const struct recommendation *r, struct arena *a,
                   struct run_report *out);

/// Diagnoses that need more than figures: each appends what it finds.
typedef void diagnosis_fn(const struct run_view *v, struct arena *a, struct run_report *out);

/// Those of kernels that belong together (code_kernels.c) and of the host (code_host.c).
diagnosis_fn attention_unfused, layout_transposes, start_up, recompiles, graph_breaks,
    host_around_graphs, python_computes;

/// The table of them, ended by NULL.
extern diagnosis_fn *const diagnoses_in_code[];

#endif

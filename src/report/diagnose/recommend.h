/// Internal to diagnose/: recommendations from rules and from code.
#ifndef GG_DIAGNOSE_RECOMMEND_H
#define GG_DIAGNOSE_RECOMMEND_H

#include "model/run_report.h"

/// Append a recommendation. The time `saves_ns` is -1 if unknown, and becomes at most that of a
/// step. `ask` may be NULL.
void recommend_add(const struct run_view *v, struct arena *a, struct run_report *out,
                   struct recommendation rec);

/// Type of the functions that diagnose in code what conditions on figures cannot express. Each
/// appends its recommendations.
typedef void diagnosis_fn(const struct run_view *v, struct arena *a, struct run_report *out);

/// Diagnoses of groups of kernels (code_kernels.c) and of the host (code_host.c).
diagnosis_fn attention_unfused, layout_transposes, start_up, counts, host_around_graphs,
    python_computes, allocator_churn;

/// All diagnoses that are C functions, not rules of a file; NULL ends the list.
extern diagnosis_fn *const diagnoses_in_code[];

#endif

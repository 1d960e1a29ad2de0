/// What floating-point operations of a rank come to, and what its GPU could do.
#ifndef GG_MODEL_FLOPS_H
#define GG_MODEL_FLOPS_H

#include "model/digest.h"

/// A GPU's rate for dense products, in 1e-6 TFLOP/s.
struct flop_peak {
	int64_t micro_tflops;
	const char *source; ///< where it stands; static
};

/// The type that a trace or a person calls so: "c10::BFloat16", "bf16", …
enum flop_type flop_type_of(struct span name);

/// Type of what nearly all operations (99 %) are of, else what the run context calls the
/// precision; FLOP_OTHER where neither says.
enum flop_type flops_type(const struct digest *d);

/// Operations of a step, on average over the usable ones. False where the trace tells none,
/// or not all of them.
bool flops_per_step(const struct digest *d, int64_t *out);

/// peak_tflops of the run context, else of the GPU for flops_type(); false where neither is known.
bool flops_peak(const struct digest *d, struct flop_peak *out);

/// mfu_pct, flops.per_s or flops.peak_pct of a rank whose steps take `step_ns` > 0; false where
/// what they are made from is not known.
bool flops_figure(const struct digest *d, enum metric_id id, int64_t step_ns, int64_t *out);

/// Names of enum flop_type, ended by NULL; static.
extern const char *const flop_type_names[];

#endif

/// Figures made from floating-point operations of a rank, and the peak rate of its GPU.
#ifndef GG_MODEL_FLOPS_H
#define GG_MODEL_FLOPS_H

#include "model/digest.h"

/// A GPU's rate for dense products, in 1e-6 TFLOP/s.
struct flop_peak {
	int64_t micro_tflops;
	const char *source; ///< name of the document that states the rate; static
};

/// Peak rates of a GPU: dense products of one type, in 1e-6 TFLOP/s, and the bandwidth of its
/// memory, in GB/s; 0 if unknown.
struct gpu_roof {
	int64_t micro_tflops, gb_per_s;
};

/// The peak rates of the GPU of `d` by its data sheet, for products of the type `type`.
struct gpu_roof flops_roof(const struct digest *d, enum flop_type type);

/// The type that a trace or a person calls by this name ("c10::BFloat16", "bf16", …); else
/// FLOP_OTHER.
enum flop_type flop_type_of(struct span name);

/// Type of at least 99 % of the operations; FLOP_OTHER if no type has so many. If no operations are
/// known, the type is the precision that the run context names, else FLOP_OTHER.
enum flop_type flops_type(const struct digest *d);

/// Operations of a step, on average over the complete measured steps. False if there are none, or
/// if those of some call are unknown.
bool flops_per_step(const struct digest *d, int64_t *out);

/// Peak rate: peak_tflops of the run context, else the rate of the GPU for the type flops_type() by
/// its data sheet. False if neither is known.
bool flops_peak(const struct digest *d, struct flop_peak *out);

/// Value of mfu_pct, flops.per_s or flops.peak_pct for a rank whose steps take `step_ns` > 0; false
/// if one of the inputs is unknown.
bool flops_figure(const struct digest *d, enum metric_id id, int64_t step_ns, int64_t *out);

/// Names of enum flop_type, ended by NULL; static.
extern const char *const flop_type_names[];

#endif

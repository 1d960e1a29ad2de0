/// Functions by class: GPU time, runtime calls and Python without what a higher class covers.
#ifndef GG_REDUCE_FUNCTIONS_H
#define GG_REDUCE_FUNCTIONS_H

#include "base/intern.h"
#include "code/python.h"

struct reducer;

/// Bytes per second that an activity moved, if known.
struct gpu_rate {
	int64_t bytes_per_s;
	uint32_t name; ///< index into `gpu.names`
};

struct functions {
	VEC(struct gpu_rate) rates; ///< from function_rates() to function_classes()
	struct ids calls; ///< indices into `host.spans`, from function_calls() to function_runtime()
	struct higher higher; ///< from function_classes() on
};

void functions_release(struct functions *f);

/// Bytes per second of activities, which are still in file order.
void function_rates(struct reducer *r);

/// Rows of GPU functions, from the activities by start.
void function_classes(struct reducer *r, struct digest *d);

/// Runtime calls by start into `calls`.
void function_calls(struct reducer *r);

/// Rows of runtime functions, behind the GPU's; releases `calls`.
void function_runtime(struct reducer *r, struct digest *d);

/// Rows of Python functions behind these, all folded to the size of a digest.
void function_figures(struct reducer *r, struct digest *d);

#endif

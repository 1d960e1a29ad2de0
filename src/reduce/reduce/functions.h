/// Functions by class: GPU, runtime and Python, each without the time that a higher class covers.
#ifndef GG_REDUCE_FUNCTIONS_H
#define GG_REDUCE_FUNCTIONS_H

#include "base/intern.h"
#include "code/python.h"

struct reducer;

/// Bandwidth of one copy, memory set or communication kernel.
struct gpu_rate {
	int64_t bytes_per_s;
	uint32_t name; ///< index of the activity's name in `gpu.names`
};

/// Data that function_rates() and the C functions after it pass on from one class of functions of
/// the trace to the next.
struct functions {
	VEC(struct gpu_rate) rates; ///< bandwidths, kept from function_rates() to function_classes()
	struct higher higher; ///< time that higher classes cover, from function_classes() on
};

/// Releases the rates.
void functions_release(struct functions *f);

/// Computes bytes per second of activities, which must still be in file order.
void function_rates(struct reducer *r);

/// Makes rows of GPU functions from the activities, which must be sorted by start.
void function_classes(struct reducer *r, struct digest *d);

/// Makes rows of runtime functions. Call it after function_classes().
void function_runtime(struct reducer *r, struct digest *d);

/// Finds the call paths of Python functions, and computes the times of each path. Call it after
/// function_runtime().
void function_paths(struct reducer *r);

/// Makes rows of Python functions. Must be called after the functions above, since it limits the
/// number of rows of all classes.
void function_figures(struct reducer *r, struct digest *d);

#endif

/// Internal to diagnose/: recognizing kinds of work by names.
#ifndef GG_DIAGNOSE_WORK_H
#define GG_DIAGNOSE_WORK_H

#include "model/digest.h"

/// True for a memory set, and for a kernel that writes one value everywhere.
/// **Source:** FillFunctor, torch aten/native/cuda/FillKernel.cu.
bool kernel_is_fill(const struct kernel_stat *k);

/// True for an operator in which activations of a gradient checkpoint are recomputed.
/// **Source:** CheckpointFunction, torch/utils/checkpoint.py (use_reentrant=True).
bool op_is_recomputation(const struct op_stat *o);

/// True for a Python function in which activations of a gradient checkpoint are recomputed. With
/// use_reentrant=False, only Python functions show this, no operator.
/// **Source:** recompute_fn and unpack_hook, torch/utils/checkpoint.py (use_reentrant=False).
bool function_is_recomputation(const struct function_stat *f);

/// True for the call path of a background thread that waits for work. False for waits of the main
/// thread, since they show what the program waits for.
/// **Source:** Thread._bootstrap_inner, CPython Lib/threading.py.
bool label_is_idle_thread(struct span label);

/// Share of the window (the recorded time), in 1e-6 %, that the ranks spend in runtime calls that
/// copy memory beyond the time that enqueuing a copy takes (20 µs a call): a copy blocks the host
/// unless it is really asynchronous.
int64_t blocking_copies_share(const struct run *run);

/// What limits a kernel by only its name.
enum nature {
	NATURE_UNKNOWN,
	NATURE_MEMORY, ///< it does little with each element: elementwise, a reduction, a copy, …
	NATURE_DECODING, ///< attention over pages of a KV cache, or a product with few rows
};

/// What the kernels of `category` called `name` are limited by.
enum nature nature_of_kernel(const char *category, struct span name);

/// What the ranks of a run were recorded with.
struct recorded {
	bool traces, snapshots, memory, python, context;
	/// true if recorded: GPU work; FLOPs of operators; FLOPs of the model; peak rate of the GPU
	bool gpu, flops, model_flops, peak;
	bool shapes; ///< true if the inputs of an operator are known from which FLOPs follow
	bool unshaped; ///< true if there are products of matrices or convolutions, but no inputs at all
	struct span uncounted; ///< first operator with uncountable FLOPs; empty if there is none
	const struct digest *first; ///< first rank that has a trace
	int64_t ranks, world_size;
};

/// What is recorded of the run; texts are borrowed from it.
struct recorded recorded_of(const struct run *run);

/// True if most GPU activities come from replays of GPU graphs.
bool graphs_prevail(const struct run *run);

/// Share of the trace, in 1e-6 %, in which the GPU is idle and the host is in runtime calls that
/// set something up: calls of a millisecond or more each that do not wait for the GPU. `most` is
/// the function with the largest part; NULL if there is none.
int64_t set_up_share(const struct run *run, const struct function_stat **most);

#endif

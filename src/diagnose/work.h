/// Internal to diagnose/: what names say of work.
#ifndef GG_DIAGNOSE_WORK_H
#define GG_DIAGNOSE_WORK_H

#include "model/digest.h"

/// A memory set, or a kernel that writes one value.
/// **Source:** FillFunctor, torch aten/native/cuda/FillKernel.cu.
bool kernel_is_fill(const struct kernel_stat *k);

/// An operator inside of which activations of a checkpoint are computed again.
/// **Source:** CheckpointFunction, torch/utils/checkpoint.py (use_reentrant=True).
bool op_is_recomputation(const struct op_stat *o);

/// A Python function that does so without an operator of its own.
/// **Source:** recompute_fn and unpack_hook, torch/utils/checkpoint.py (use_reentrant=False).
bool function_is_recomputation(const struct function_stat *f);

/// The call path of a thread in the background that waits for something to do. The main
/// thread's waits are not such: they tell what it waits for.
/// **Source:** Thread._bootstrap_inner, CPython Lib/threading.py.
bool label_is_idle_thread(struct span label);

/// A runtime call that copies memory, which waits where it is not truly asynchronous.
bool function_is_copy_call(const struct function_stat *f);

/// Share of the window, in 1e-6 %, that the ranks spend in such calls beyond what enqueuing
/// a copy takes (20 µs a call).
int64_t blocking_copies_share(const struct run *run);

/// True if most GPU activities come out of replays of GPU graphs.
bool graphs_prevail(const struct run *run);

/// Share of the trace, 1e-6 %, in which the host is in runtime calls that take a millisecond and
/// more each without waiting for the GPU, which has nothing to do; `most` is the one with most of
/// it, NULL if there is none.
int64_t set_up_share(const struct run *run, const struct function_stat **most);

#endif

/// Calls of Python functions, and their rows by call path.
#ifndef GG_REDUCE_PYTHON_H
#define GG_REDUCE_PYTHON_H

#include "model/digest.h"
#include "reduce/threads.h"
#include "reduce/wide.h"

/// A call of a Python function, 16 bytes.
struct python_frame {
	uint32_t start; ///< ns after the base of its run
	uint32_t dur; ///< widen() it
	uint32_t name; ///< id
	uint32_t parent; ///< id that the profiler gave the caller, or NO_ID
};

/// A run of frames that start near each other and have consecutive ids, 16 bytes.
struct python_run {
	uint64_t base_ns; ///< sums with a start wrap around
	uint32_t first; ///< index of its first frame
	uint32_t id; ///< that the profiler gave the first frame; NO_ID: no frame of the run has one
};

/// The calls of one thread.
struct python_thread {
	VEC(struct python_frame) frames;
	VEC(struct python_run) runs; ///< the first begins at frame 0
};

struct python_frames {
	int64_t total_ns; ///< sum of all durations, so that every smaller sum fits
	struct wide_numbers wide; ///< of durations
	struct idmap ids; ///< (pid id, tid id) → index into `threads`
	struct thread_found found; ///< cache of one
	VEC(struct python_thread) threads;
	struct python_paths *paths; ///< from python_make_paths() on
};

/// Ready for use, and back.
void python_init(struct python_frames *p);
void python_release(struct python_frames *p);

/// Keep a call of a Python function; may set `fault`.
void python_take(struct reducer *r, const struct event *ev);

/// Join a part: its ids; whether its sums fit; its frames.
void python_join_ids(struct reducer *to, struct reducer *from);
bool python_fits(const struct reducer *to, const struct reducer *from);
void python_join(struct reducer *to, struct reducer *from);

/// Find callers and call paths of all frames.
void python_make_paths(struct reducer *r);

/// Append rows of Python functions: a tree of call paths, unordered. Each has the id of its path in
/// place of the median, until python_medians().
void python_figures(struct reducer *r, struct digest *d);

/// The medians of the rows that are left after folding.
void python_medians(struct reducer *r, struct digest *d);

#endif

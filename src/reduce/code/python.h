/// Calls of Python functions, and rows for each of their call paths.
#ifndef GG_CODE_PYTHON_H
#define GG_CODE_PYTHON_H

#include "code/higher.h"
#include "code/thread_ids.h"
#include "code/wide.h"
#include "model/digest.h"

/// A call of a Python function, in 16 bytes.
struct python_frame {
	uint32_t start; ///< start in ns after `base_ns` of the frame's python_run
	uint32_t dur; ///< duration in ns, packed by narrow()
	uint32_t name; ///< id of the function's name; after python_make_paths(), id of the frame's call
	               ///< path
	uint32_t parent; ///< id that the profiler gave to the caller; after python_order(), index of
	                 ///< the caller; NO_ID if there is no caller
};

/// A run of successive frames that start close together and have consecutive ids from the profiler,
/// in 16 bytes.
struct python_run {
	uint64_t base_ns; ///< time to which the start of each frame is added, modulo 2^64
	uint32_t first; ///< index of the first frame of this run of frames
	uint32_t id; ///< id of the first frame; NO_ID if the frames of this run have no ids
};

/// Position in the runs of a thread, in a walk over its frames.
struct run_walk {
	const struct python_run *run;
	size_t end; ///< index after the last frame of `run`, the run of frames that contains the
	            ///< present frame
};

/// The calls of one thread.
struct python_thread {
	VEC(struct python_frame) frames;
	VEC(struct python_run) runs; ///< runs of frames; the first run begins at frame 0
};

/// The time in which Python functions are measured: from the first to the last moment of the trace,
/// without the time that functions of higher classes cover.
struct python_window {
	const struct higher *higher; ///< intervals in which functions of higher classes run
	int64_t first_ns, last_ns; ///< first and last moment of the trace, in ns
};

/// The Python frames of a trace, by thread.
struct python_frames {
	int64_t total_ns; ///< sum of all durations, which fits int64
	struct wide_numbers wide; ///< durations that do not fit into 30 bits
	struct idmap ids; ///< pairs (id of the process, id of the thread in it); the id of a pair is an
	                  ///< index in `threads`
	struct thread_found found; ///< cache: thread of the call that was stored last
	VEC(struct python_thread) threads;
	struct python_paths *paths; ///< tree of call paths; NULL before python_make_paths()
};

/// Initializes an empty list of calls.
void python_init(struct python_frames *p);
/// Releases all memory of the calls.
void python_release(struct python_frames *p);

/// Stores a call of a Python function. Sets `*fault` if there are too many calls, or if the sum of
/// their durations exceeds int64.
void python_take(struct python_frames *p, struct thread_ids *threads, const struct event *ev,
                 const char **fault);

/// Finds the caller of each frame, and sorts the frames by start, callers before callees.
void python_order(struct python_frames *p);

/// Position in a walk over the calls of a thread, in order of start.
struct python_walk {
	const struct python_frames *frames;
	const struct python_thread *thread; ///< the thread's calls; NULL if there are no calls
	struct run_walk runs;
	size_t next; ///< index of the next frame
};

/// Begins a walk over the calls of a thread (thread_key()), after python_order().
struct python_walk python_walk_thread(const struct python_frames *p, int64_t thread);

/// Moves to the next call that begins at `at_ns` or before, and either ends after `at_ns` or has
/// the length 0. False if there is none.
bool python_walk_next(struct python_walk *w, int64_t at_ns, int64_t *start_ns, int64_t *dur_ns,
                      uint32_t *name);

/// Finds the call paths of all frames, and computes the times of each path. `names` has the names
/// of frames. Call it after python_order(), and after the last python_walk_next(), since it
/// replaces the names that walks return.
void python_make_paths(struct python_frames *p, const struct name_table *names,
                       const struct python_window *w);

/// Appends rows of Python functions: a tree of call paths, unordered. A path has a row of its own
/// if its exclusive time and the exclusive times of all paths below it add up to at least
/// `least_ns`; smaller paths become sums. Until python_medians(), each row has the id of its path
/// in place of the median.
void python_figures(const struct python_frames *p, int64_t least_ns, struct digest *d);

/// Computes the median duration of each row. Call it after small rows have been summed.
void python_medians(struct python_frames *p, struct digest *d);

#endif

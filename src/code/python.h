/// Calls of Python functions, and their rows by call path.
#ifndef GG_CODE_PYTHON_H
#define GG_CODE_PYTHON_H

#include "code/thread_ids.h"
#include "code/wide.h"
#include "model/digest.h"

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

/// A stretch of time that functions of higher classes cover. Its length is the next segment's
/// `before_ns` less its own.
struct segment {
	int64_t start_ns;
	int64_t before_ns; ///< prefix sum: length of all segments before it
};

/// What the classes so far cover: disjoint segments in order. One more behind the last, not counted
/// in `nr`, has the total as `before_ns`.
struct higher {
	VEC(struct segment) list;
};

/// What Python functions are measured against.
struct python_window {
	const struct higher *higher; ///< what functions of higher classes cover
	int64_t first_ns, last_ns; ///< of the trace
};

struct python_frames {
	int64_t total_ns; ///< sum of all durations, so that every smaller sum fits
	struct wide_numbers wide; ///< of durations
	struct idmap ids; ///< (pid id, tid id) → index into `threads`
	struct thread_found found; ///< cache of one
	VEC(struct python_thread) threads;
	struct python_paths *paths; ///< from python_make_paths() on
};

/// Makes it ready for use.
void python_init(struct python_frames *p);
/// Releases what it holds.
void python_release(struct python_frames *p);

/// Keep a call of a Python function; may set `*fault`.
void python_take(struct python_frames *p, struct thread_ids *threads, const struct event *ev,
                 const char **fault);

/// The first step of joining a part: its threads get ids of `to`, in `ids`.
void python_join_ids(struct python_frames *to, const struct python_frames *from,
                     struct part_ids *ids);
/// True if the times and counts of both together fit 64 bits.
bool python_fits(const struct python_frames *to, const struct python_frames *from);
/// The last step: moves the frames of `from` to the threads of `to` that `ids` says. Call it only
/// if they fit.
void python_join(struct python_frames *to, struct python_frames *from, const struct part_ids *ids);

/// Find the callers of all frames, and order them by start, callers first.
void python_order(struct python_frames *p);

/// Position of a walk over the calls of a thread, in order.
struct python_walk {
	const struct python_frames *frames;
	const struct python_thread *thread; ///< NULL: it has none
	const struct python_run *run;
	size_t next; ///< frame
};

/// Begin to walk the calls of a thread (thread_key()), after python_order().
struct python_walk python_walk_thread(const struct python_frames *p, int64_t thread);

/// The next call that begins by `at_ns`; false if there is none.
bool python_walk_next(struct python_walk *w, int64_t at_ns, int64_t *start_ns, int64_t *dur_ns,
                      uint32_t *name);

/// Find the call paths of all frames, whose names are in `names`, after python_order() and walks.
void python_make_paths(struct python_frames *p, const struct name_table *names);

/// Append rows of Python functions: a tree of call paths, unordered. Each has the id of its path in
/// place of the median, until python_medians().
void python_figures(struct python_frames *p, const struct python_window *w, struct digest *d);

/// The medians of the rows that are left after folding.
void python_medians(struct python_frames *p, struct digest *d);

#endif

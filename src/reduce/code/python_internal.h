/// Shared by the three files that sum up the time of Python functions by call path.
///
///     python_calls.c   stores calls, and finds their callers
///     python_paths.c   finds call paths, and computes their exclusive times
///     python.c         makes the digest's rows of Python functions
#ifndef GG_CODE_PYTHON_INTERNAL_H
#define GG_CODE_PYTHON_INTERNAL_H

#include "base/strbuf.h"
#include "code/python.h"

/// A call path: a function as called from another path. Path 0 is the root.
struct path {
	uint32_t caller, name; ///< id of the caller's path; id of the function's name in the table
	                       ///< python_paths.clean
	uint32_t depth, count; ///< number of functions on the path; number of calls
	int64_t total_ns, exclusive_ns;
	int64_t end_ns; ///< end of the last call; MIXED (python_paths.c) if two calls of the path run
	                ///< at the same time
	uint32_t last; ///< cache: id of the path that was last called from this path, or 0
	uint32_t next; ///< cache: id of the path that the caller called after this path on an earlier
	               ///< occasion; at first, the id of this path
};

/// The call paths of all threads, each once.
struct python_paths {
	struct python_frames *frames;
	const struct name_table *names; ///< name table of the trace
	struct name_table clean; ///< names of functions without the addresses in them
	struct strbuf text; ///< buffer in which a name of `clean` is composed
	/// Ids in the table `clean`, indexed by id of an event's name; NO_ID if not yet known.
	uint32_t *clean_of;
	struct idmap path_ids; ///< pairs (id of the caller's path, id of a name), one for each path
	                       ///< except the root: the pair with index i is path i + 1
	VEC(struct path) paths;
};

/// Index after the last frame of the run of frames `run`, which belongs to the thread `t`.
static inline size_t run_end(const struct python_thread *t, const struct python_run *run)
{
	return run + 1 < t->runs.v + t->runs.nr ? run[1].first : t->frames.nr;
}

/// A walk that is before the first frame of a thread.
static inline struct run_walk run_first(const struct python_thread *t)
{
	return (struct run_walk){ t->runs.v, run_end(t, t->runs.v) };
}

/// The run of frames that contains frame `i`. During a walk, `i` may only grow, and must not skip
/// the first frame of a run.
static inline const struct python_run *run_at(const struct python_thread *t, struct run_walk *w,
                                              size_t i)
{
	if (i == w->end)
		w->end = run_end(t, ++w->run);
	return w->run;
}

/// Duration and start of a frame, in ns. `run` is the run of frames that contains the frame.
static inline int64_t frame_dur(const struct python_frames *p, const struct python_frame *f)
{
	return widen(&p->wide, f->dur);
}
static inline int64_t frame_start(const struct python_run *run, const struct python_frame *f)
{
	return (int64_t)(run->base_ns + f->start);
}

#endif

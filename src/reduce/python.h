/// Inside of the reducer: Python functions by call path, in the order of work.
///
///     python_calls.c   intake; who calls whom
///     python.c         paths, rows
///     python_sweep.c   exclusive times
#ifndef GG_REDUCE_PYTHON_H
#define GG_REDUCE_PYTHON_H

#include "reduce/functions.h"

/// A path: a function as called from another path.
struct path {
	uint32_t caller, name; ///< NO_ID; id in `clean`
	uint32_t depth, count;
	int64_t total_ns, exclusive_ns;
	uint32_t running; ///< frames that are at work themselves
	uint32_t last; ///< the path that was called from it last, NO_ID none
	uint32_t next; ///< the path that its caller called after it when it last did; or itself
};

struct python {
	struct reducer *r;
	struct name_table clean;
	uint32_t *clean_of; ///< by id of an event's name; NO_ID not asked for yet
	struct idmap path_ids; ///< caller and name
	VEC(struct path) paths;
};

/// The run that frame `i` belongs to, which that of the frame before it does to `run`.
static inline const struct python_run *run_at(const struct python_thread *t,
                                              const struct python_run *run, size_t i)
{
	const struct python_run *end = t->runs.v + t->runs.nr;
	return run + 1 < end && run[1].first == i ? run + 1 : run;
}

/// What is kept of a frame.
static inline int64_t frame_dur(const struct reducer *r, const struct python_frame *f)
{
	return widen(r, f->dur);
}
static inline int64_t frame_start(const struct python_run *run, const struct python_frame *f)
{
	return (int64_t)(run->base_ns + f->start);
}

/// The `parent` of each frame becomes the index of its caller, NO_ID none; they are in order of
/// their starts then, callers first.
void python_callers(struct reducer *r, struct python_thread *t);

/// Exclusive times of all paths, from frames whose `name` is their path. Their `start` is lost.
void python_sweep(struct python *p);

#endif

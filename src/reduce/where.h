/// Where in the code GPU work and waiting come from: operators, annotations and frames around each
/// launch.
#ifndef GG_REDUCE_WHERE_H
#define GG_REDUCE_WHERE_H

#include "code/links.h"
#include "code/places.h"
#include "model/digest.h"
#include "reduce/host.h"

/// An annotation.
struct where_range {
	int64_t start_ns, dur_ns;
	int64_t thread; ///< thread_key()
	uint32_t name; ///< id
	uint32_t order; ///< in the file, from where_begin() on
};

/// The frames that a trace of 2021 wrote beside an operator.
struct where_call_stack {
	uint32_t span; ///< index
	uint32_t text; ///< id in `call_stacks`
};

/// What an activity itself says.
struct where_stated {
	uint32_t activity; ///< index
	uint32_t op, module; ///< ids of names; NO_ID: it says none
};

/// A launched activity of a trace in which some say where they come from.
struct where_work {
	struct where_stated own;
	uint32_t span; ///< of its launch
	uint32_t name; ///< index into `gpu.names`
	int64_t dur_ns, bytes;
};

/// From a moment on, the frames beside the innermost operator that has some.
struct where_stack_point {
	int64_t thread; ///< thread_key()
	int64_t at_ns;
	uint32_t path; ///< of frames
};

/// A call whose frames are those around a forward operator.
struct where_question {
	struct code_start start; ///< of the forward operator
	uint32_t span; ///< of the call
};

/// Bytes of a copy or memory set.
struct where_bytes {
	uint32_t span; ///< of its launch
	uint32_t name; ///< index into `gpu.names`
	int64_t bytes;
};

/// What was around a call. Its bytes are the key in the name table `moments`.
struct where_moment {
	uint32_t op, range; ///< paths
	uint32_t stack; ///< path of frames
	uint32_t phase; ///< enum phase
};

/// `of_span` of a call that launched an activity of a usable step and was not met yet.
#define WHERE_WANTED NO_ID

struct where {
	struct code_links links;
	VEC(struct where_range) ranges; ///< by thread and start from where_begin() on
	struct name_table call_stacks;
	VEC(struct where_call_stack) stacks_of; ///< by `span`
	VEC(struct where_stated) stated; ///< by `activity`
	bool nvtx; ///< annotations are the operators of what has none
	/* from where_begin() on: */
	struct code_paths names; ///< of operators and of annotations
	struct code_places places;
	struct name_table moments;
	uint32_t *of_span; ///< by span: 0, WHERE_WANTED, or 1 + id in `moments`
	uint32_t *frame_of; ///< by id of an event's name: id of the frame; NO_ID not yet known
	VEC(struct where_stack_point) points; ///< in order of the walk
	VEC(struct where_question) questions;
	VEC(struct where_bytes) bytes;
	VEC(struct where_work) work; ///< empty where no activity says anything
	struct ids syncs; ///< spans, of usable steps
	VEC(const char *) place_texts; ///< by frame, made as they are asked for
	bool has_stacks; ///< the trace has frames or call stacks
	bool has_phases;
};

/// Walk over one thread.
struct where_walk;

/// Ready for use, and back.
void where_init(struct where *w);
void where_release(struct where *w);

/// Keep an annotation; what an operator, which becomes the next span, says of itself; what an
/// activity does, which becomes the next one.
void where_take_range(struct reducer *r, const struct event *ev);
void where_take_op(struct reducer *r, const struct event *ev);
void where_take_stated(struct reducer *r, const struct event *ev);

/// Join a part; its spans and activities come after the first ones of the whole. False if a table
/// is full.
GG_MUST_CHECK bool where_join_ids(struct reducer *to, struct reducer *from);
void where_join(struct reducer *to, struct reducer *from, size_t spans, size_t activities);

/// Before all walks, while the activities are in file order: which calls are wanted.
void where_begin(struct reducer *r, const struct digest *d);

/// A walk over the operators and calls of a thread, in order. Caller: where_walk_end().
struct where_walk *where_walk_begin(struct reducer *r, uint32_t thread);
void where_walk_op(struct where_walk *w, uint32_t span, const struct wide_span *op);
void where_walk_call(struct where_walk *w, uint32_t span, const struct wide_span *call);
void where_walk_end(struct where_walk *w);

/// After all walks, while frames still have their names: answer what forward operators tell.
void where_link(struct reducer *r);

/// Id in `moments` of a launched activity, whose launch is known; NO_ID if that table is full.
uint32_t where_moment_of(struct reducer *r, const struct where_work *work);

/// Rows of the table, once launches_end() is through.
void where_figures(struct reducer *r, struct digest *d);

#endif

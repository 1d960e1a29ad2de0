/// Where in the code GPU work and waiting come from: operators, annotations and frames around each
/// launch.
#ifndef GG_REDUCE_WHERE_H
#define GG_REDUCE_WHERE_H

#include "code/links.h"
#include "code/open_spans.h"
#include "code/places.h"
#include "model/digest.h"
#include "reduce/host.h"

struct activity;

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

/// In place of the index of a name: waiting.
#define WHERE_SYNC UINT32_MAX

/// A launched activity, or waiting, of the step that is kept.
struct where_step_activity {
	struct where_work work;
	int64_t start_ns;
	uint32_t lane; ///< id
};

/// A call that launched some of them, or waited.
struct where_step_call {
	uint32_t span, thread;
	uint32_t around; ///< index + 1
	int64_t start_ns, dur_ns;
};

/// An operator around one.
struct where_step_around {
	int64_t start_ns, until_ns;
	uint32_t name; ///< id
	uint32_t outer; ///< index + 1
};

/// The step that becomes digest.step.
struct where_step {
	bool kept;
	uint32_t mark; ///< index into `steps.marks`
	struct idmap spans; ///< of launches
	VEC(struct where_step_activity) activities; ///< in file order, then waiting
	VEC(struct where_step_call) calls;
	VEC(struct where_step_around) around;
};

/// `of_span` of a call that launched an activity of a usable step and was not met yet.
#define WHERE_WANTED NO_ID

struct where {
	struct code_links links;
	VEC(struct where_range) ranges; ///< by thread and start from where_begin() on
	struct name_table call_stacks;
	VEC(struct where_call_stack) stacks_of; ///< by `span`
	VEC(struct where_stated) stated; ///< by `activity`
	bool nvtx; ///< annotations are the modules
	/* from where_begin() on: */
	struct code_paths names; ///< of operators and of annotations
	struct code_places places;
	struct name_table moments;
	uint32_t *of_span; ///< by span: 0, WHERE_WANTED, or 1 + id in `moments`
	struct ids range_stacks; ///< by path of annotations: of frames
	uint32_t *frame_of; ///< by id of an event's name: id of the frame; NO_ID not yet known
	VEC(struct where_stack_point) points; ///< in order of the walk
	VEC(struct where_question) questions;
	VEC(struct where_bytes) bytes;
	VEC(struct where_work) work; ///< empty where no activity says anything
	struct ids syncs; ///< spans, of usable steps
	VEC(const char *) place_texts; ///< by frame, made as they are asked for
	bool has_stacks; ///< the trace has frames or call stacks
	bool has_phases;
	struct where_step step;
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

/// True if what was around a call is known.
static inline bool where_is_known(const struct where *w, uint32_t span)
{
	return w->of_span[span] && w->of_span[span] != WHERE_WANTED;
}

/// A row of the table without figures: of a moment, and of the name of an activity or WHERE_SYNC.
struct code_stat where_row(struct reducer *r, struct digest *d, uint32_t moment, uint32_t name);

/// Choose the step that is kept, if options ask for one; keep an activity of it whose launch is
/// wanted; keep a call with the operators that are open.
void where_step_begin(struct reducer *r);
void where_step_take(struct reducer *r, const struct activity *a, const struct where_work *work);
void where_step_call(struct reducer *r, uint32_t span, const struct wide_span *call,
                     uint32_t thread, bool sync, struct open_spans *open);

/// digest.step, once launches_end() is through; give the memory back.
void where_step_figures(struct reducer *r, struct digest *d);
void where_step_release(struct where_step *s);

/// Rows of the table, once launches_end() is through.
void where_figures(struct reducer *r, struct digest *d);

#endif

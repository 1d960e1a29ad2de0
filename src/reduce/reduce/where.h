/// Finds where in the code GPU work and waiting come from: operators, annotations and frames around
/// each launch.
#ifndef GG_REDUCE_WHERE_H
#define GG_REDUCE_WHERE_H

#include "code/links.h"
#include "code/open_spans.h"
#include "code/places.h"
#include "model/digest.h"
#include "reduce/host.h"

struct activity;

/// An annotation, as a range on its thread.
struct where_range {
	int64_t start_ns, dur_ns;
	int64_t thread; ///< key of the annotation's thread, from thread_key()
	uint32_t name; ///< id of the name
};

/// The call stack of an operator, which only PyTorch traces of 2021 contain.
struct where_call_stack {
	uint32_t span; ///< index of the operator's span
	uint32_t text; ///< id of the frames' text in `call_stacks`
};

/// The operator and module that the event of a GPU activity names (JAX).
struct where_stated {
	uint32_t activity; ///< index of the activity in `gpu.activities`
	uint32_t op, module; ///< ids of names; NO_ID if the activity names none
};

/// A launched activity, and the data from which its place in the code is found.
struct where_work {
	struct where_stated own;
	uint32_t span; ///< index of the host span in which the launch was made
	uint32_t name; ///< index of the activity's name in `gpu.names`
	int64_t dur_ns, bytes;
	uint32_t run; ///< index of the activity in `graphs.runs`; NO_ID if no graph replay ran it
	uint32_t blocks; ///< number of blocks of the kernel; 0 if unknown (row_blocks())
};

/// Frames of the innermost running operator that has frames, from the moment `at_ns` on.
struct where_stack_point {
	int64_t thread; ///< key of the operator's thread, from thread_key()
	int64_t at_ns;
	uint32_t path; ///< id of the path of frames
};

/// A call made in a backward operator. The call gets the frames that were running at the start of
/// the forward operator.
struct where_question {
	struct code_start start; ///< start of the forward operator
	uint32_t span; ///< index of the call in `host.spans`
};

/// Bytes of a copy or memory set.
struct where_bytes {
	uint32_t span; ///< index of the launch call in `host.spans`
	uint32_t name; ///< index of the activity's name in `gpu.names`
	uint32_t bytes; ///< bytes, to be read with widen()
};

/// The code around a call; the bytes of the struct are the key in the name table `moments`.
struct where_moment {
	uint32_t op, range; ///< ids of the paths (names, outermost first) of operators and of
	                    ///< annotations
	uint32_t stack; ///< id of the path of frames
	uint32_t phase; ///< phase of the call, enum phase
};

/// Value that replaces an index in `gpu.names` in rows about waits for the GPU.
#define WHERE_SYNC UINT32_MAX

/// A launched activity, or a wait, of the step that becomes digest.step.
struct where_step_activity {
	struct where_work work;
	int64_t start_ns;
	uint32_t lane; ///< id of the lane (device and stream) of the activity
};

/// A call of the step that becomes digest.step; it launched activities or waited.
struct where_step_call {
	uint32_t span, thread;
	uint32_t around; ///< index + 1, in where_step.around, of the innermost operator around the
	                 ///< call; 0 if there is none
	int64_t start_ns, dur_ns;
};

/// An operator that was running when a call (struct where_step_call) began.
struct where_step_around {
	int64_t start_ns, until_ns;
	uint32_t name; ///< id of the operator's name
	uint32_t outer; ///< index + 1, in where_step.around, of the next operator around this operator;
	                ///< 0 if there is none
};

/// The step that becomes digest.step.
struct where_step {
	bool kept;
	uint32_t mark; ///< index of the step in `steps.marks`
	struct idmap spans; ///< indices in `host.spans` of the launches of the step
	VEC(struct where_step_activity) activities; ///< activities in file order, then waits
	VEC(struct where_step_call) calls;
	VEC(struct where_step_around) around;
};

/// Wanted spans: the calls whose code is looked up. One struct for each 32 successive spans: `bits`
/// has a bit for each span, set if it is wanted; `before` is the number of wanted spans before
/// these 32.
struct where_wanted {
	uint32_t bits, before;
};

/// The code around launches and waits.
struct where {
	struct code_links links;
	VEC(struct where_range) ranges; ///< ranges; where_begin() sorts them by thread and start
	struct name_table call_stacks;
	VEC(struct where_call_stack) stacks_of; ///< call stacks, sorted by `span`
	VEC(uint32_t) text_paths; ///< path of each text of `call_stacks`; NO_ID if not yet read
	VEC(struct where_stated) stated; ///< operators that activities name, sorted by `activity`
	VEC(uint32_t) syncs; ///< indices in `host.spans` of waits for the GPU
	bool nvtx; ///< true if annotations are NVTX ranges, which count as modules
	/* the members below are filled from where_begin() on */
	struct code_paths names; ///< paths of operators and of annotations
	struct code_places places;
	struct name_table moments;
	struct where_wanted *wanted; ///< calls that launch work of a complete measured step, wait in
	                             ///< one, or were recorded into a graph
	uint32_t *moment_of; ///< for each wanted call: 1 + id in `moments`, or 0 if not known
	VEC(uint32_t) range_stacks; ///< id of a path of frames for each path of annotations
	uint32_t *frame_of; ///< id of the frame with each name, indexed by name id; NO_ID if not yet
	                    ///< known
	/// call stacks of threads, each with the moment from which on it is valid
	VEC(struct where_stack_point) points;
	VEC(struct where_question) questions;
	VEC(struct where_bytes) bytes;
	/// activities whose launch is wanted; empty unless an activity of the trace names its operator
	/// or module, or was run by a graph replay
	VEC(struct where_work) work;
	VEC(const char *) place_texts; ///< texts of places, indexed by frame, made on demand
	bool has_stacks; ///< true if the trace has frames or call stacks
	bool has_phases;
	struct where_step step;
};

/// State of the walk over the events of one thread.
struct where_walk;

/// Initializes `w` with no places in the code. Caller releases with where_release().
void where_init(struct where *w);
void where_release(struct where *w);

/// Stores an annotation.
void where_take_range(struct reducer *r, const struct event *ev);

/// Stores the call stack of the operator that becomes the next span.
void where_take_op(struct reducer *r, const struct event *ev);

/// Stores the operator and module that the event of the next activity names.
void where_take_stated(struct reducer *r, const struct event *ev);

/// Releases the links between backward and forward operators if no figure needs them. Call it
/// before all analysis, so that the memory is free then.
void where_end_intake(struct reducer *r);

/// Marks the launches and waits whose code is looked up. Call it before all walks, with activities
/// in file order.
void where_begin(struct reducer *r, const struct digest *d);

/// Begins a walk over a thread. Caller releases with where_walk_end().
struct where_walk *where_walk_begin(struct reducer *r, uint32_t thread);

/// Enters the operator at index `span` of `host.spans`. Operators and calls must be passed to the
/// walk in one common order, by start.
void where_walk_op(struct where_walk *w, uint32_t span, const struct wide_span *op);

/// Looks up the code around the call at index `span` of `host.spans`. Operators and calls must be
/// passed to the walk in one common order, by start.
void where_walk_call(struct where_walk *w, uint32_t span, const struct wide_span *call);

/// Ends the walk and releases `w`.
void where_walk_end(struct where_walk *w);

/// Gives calls in backward operators the frames of their forward operators. Call it after all
/// walks, before python_make_paths().
void where_link(struct reducer *r);

/// Id in `moments` of the code around the launch of an activity; NO_ID if unknown.
uint32_t where_moment_of(struct reducer *r, const struct where_work *work);

/// The element of `moment_of` for a call whose code is wanted; NULL for other calls.
static inline uint32_t *where_moment(const struct where *w, uint32_t span)
{
	struct where_wanted at = w->wanted[span / 32];
	uint32_t bit = (uint32_t)1 << span % 32, before = at.bits & (bit - 1);
	return at.bits & bit ? &w->moment_of[at.before + (uint32_t)__builtin_popcount(before)] : NULL;
}

/// Id in `moments` of the code around a call; NO_ID if it is not known.
static inline uint32_t where_of_span(const struct where *w, uint32_t span)
{
	const uint32_t *moment = where_moment(w, span);
	return moment ? *moment - 1 : NO_ID; /* 0 becomes NO_ID */
}

/// A new row whose figures are all 0. `moment`: id in `moments` of the code around a call; `name`:
/// index of an activity's name in `gpu.names`, or WHERE_SYNC for waits.
struct code_stat where_row(struct reducer *r, struct digest *d, uint32_t moment, uint32_t name);

/// Chooses the step of median length as the step that becomes digest.step, if `options.keep_step`
/// is set.
void where_step_begin(struct reducer *r);
/// Stores an activity if it is of the chosen step.
void where_step_take(struct reducer *r, const struct activity *a, const struct where_work *work);
/// Stores a call with the operators around it, if it launched work of the chosen step or waits in
/// it.
void where_step_call(struct reducer *r, uint32_t span, const struct wide_span *call,
                     uint32_t thread, bool sync, struct open_spans *open);

/// Fills `d->step`. Call it after launches_end().
void where_step_figures(struct reducer *r, struct digest *d);
void where_step_release(struct where_step *s);

/// Makes the rows of the code table, after launches_end().
void where_figures(struct reducer *r, struct digest *d);

#endif

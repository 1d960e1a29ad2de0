/// Steps: from markers, from the profiler itself, or from the period of the launches.
#ifndef GG_REDUCE_STEPS_H
#define GG_REDUCE_STEPS_H

#include "base/idmap.h"
#include "model/digest.h"

struct reducer;

struct activity;

/// A step: the interval of its marker annotation.
struct mark {
	int64_t start_ns, end_ns;
	int64_t number; ///< number in the marker's name; < 0 if there is none
	enum phase phase; ///< phase of the whole step; PHASE_ALL if the name has none
	uint32_t group; ///< of a step that the profiler marked itself: id in `own.groups`
	int64_t pid; ///< ident of the process whose annotation it is
	int64_t requests; ///< step_requests_of() its name
};

/// An annotation that is not a marker, kept to propose markers.
struct annotation {
	int64_t start_ns, end_ns;
	uint32_t name; ///< index of the name in `host.names`
	int64_t group; ///< ident of the step of a GPU annotation; else IDENT_NONE
};

/// Number of annotations that are kept; a trace with more gets no marker proposed.
enum { ANNOTATIONS_KEPT = 1 << 20 };

/// A step, or a part of a step, on the timeline of one GPU or of one of its streams.
struct own_part {
	int64_t device, stream; ///< idents of GPU and stream; IDENT_NONE for any stream
	int64_t start_ns, end_ns;
	uint32_t step; ///< id in `groups`; after own_steps_order() index into `steps.marks`
};

/// Steps that the profiler marked itself.
struct own_steps {
	struct idmap groups; ///< idents of steps, each once; a step has one ident on all GPUs
	VEC(struct mark) marks; ///< steps over all GPUs, indexed by id in `groups`
	VEC(struct own_part) parts; ///< parts of steps; own_steps_order() sorts them by GPU, stream
	VEC(struct mark) numbered; ///< annotations that have the number of a step
	bool in_use; ///< true if `marks` are the steps of the trace
	bool annotated; ///< true if `marks` are annotations on the GPU, not steps derived by XProf
};

/// The part of a step's interval that no earlier step covers.
struct owned {
	int64_t start_ns, end_ns;
	uint32_t step;
};

/// The steps of a trace: marks (intervals in ns), and which of them are measured.
struct steps {
	VEC(struct mark) marks; ///< marks, which steps_make() sorts by start
	struct own_steps own;
	VEC(struct annotation) annotations;
	bool annotations_cut; ///< true if the trace has more annotations than were kept
	VEC(struct owned) owned; ///< disjoint intervals, each with its step; in order
	size_t owned_near; ///< index of the interval found last; the next search tries it first
	size_t warmup; ///< number of marks that are left out at the beginning
	size_t usable; ///< number of marks after the warm-up, without a last step that was cut short
	bool window; ///< true if the only mark is the whole trace
};

/// Begins without steps. Caller: steps_release().
void steps_init(struct steps *s);

/// Releases all memory of `s`.
void steps_release(struct steps *s);

/// Stores an annotation that is a marker or has the number of a step.
void steps_take(struct reducer *r, const struct event *ev, bool marker);

/// Sorts and numbers the steps, and makes room for them in `d`.
void steps_make(struct reducer *r, struct digest *d);

/// Assigns a step to every activity and counts those outside of steps; finds out whether the last
/// measured step is cut short.
void steps_attribute(struct reducer *r, struct digest *d);

/// Stores a step on the timeline of a GPU.
void own_steps_take(struct reducer *r, const struct event *ev);

/// Uses the steps of the profiler if no annotation is a marker and options allow it.
void own_steps_use(struct reducer *r);

/// Prepares own_steps_at(); must be called once `marks` are sorted.
void own_steps_order(struct reducer *r);

/// Index of the step that began last before an activity on its GPU, or NO_ID.
uint32_t own_steps_at(const struct reducer *r, const struct activity *a);

/// Stores an annotation that is not a marker.
void annotation_take(struct reducer *r, const struct event *ev, uint32_t name);

/// If the trace has no steps, proposes markers in `d`: annotations that would make good steps.
void markers_propose(struct reducer *r, struct digest *d);

/// Finds the period of launches in a trace without markers; on request repetitions become marks.
void unmarked_steps(struct reducer *r, struct digest *d);

/// Index of the step at an instant, or NO_ID. steps_at() tries the last hit first.
uint32_t steps_find(struct steps *s, int64_t at_ns);
static inline uint32_t steps_at(struct steps *s, int64_t at_ns)
{
	if (s->window)
		return 0;
	if (s->owned.nr) {
		const struct owned *near = &s->owned.v[s->owned_near];
		if (near->start_ns <= at_ns && at_ns < near->end_ns)
			return near->step;
	}
	return steps_find(s, at_ns);
}

/// Index of a step among the measured steps; NO_ID in the warm-up and outside of steps.
static inline uint32_t steps_measured(const struct steps *s, uint32_t step)
{
	return step == NO_ID || step < s->warmup ? NO_ID : step - (uint32_t)s->warmup;
}

/// Like steps_measured(), but NO_ID also for a last step that was cut short. (Unsigned wrap-around
/// puts warm-up and NO_ID far behind the last step.)
static inline uint32_t steps_usable(const struct steps *s, uint32_t step)
{
	size_t i = (size_t)step - s->warmup;
	return i < s->usable ? (uint32_t)i : NO_ID;
}

#endif

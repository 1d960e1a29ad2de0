/// Steps: from markers, from the profiler itself or from the period of the launches.
#ifndef GG_REDUCE_STEPS_H
#define GG_REDUCE_STEPS_H

#include "code/ids.h"
#include "model/digest.h"

struct reducer;

struct activity;

/// A step: the interval of its marker annotation.
struct mark {
	int64_t start_ns, end_ns;
	int64_t number; ///< < 0 if the name has no number
	enum phase phase; ///< of the whole step; PHASE_ALL if the name tells none
	uint32_t order; ///< in the file
};

/// An annotation that is not a marker.
struct annotation {
	int64_t start_ns, end_ns;
	uint32_t name; ///< index into `host.names`
	int64_t group; ///< of one on a GPU: an ident, the same for one step; else IDENT_NONE
};

/// So many are kept: a trace with more gets no marker proposed.
enum { ANNOTATIONS_KEPT = 1 << 20 };

/// A step, or a part of it, on the timeline of one GPU, or of one of its streams.
struct own_part {
	int64_t device, stream; ///< idents; IDENT_NONE: any stream
	int64_t start_ns, end_ns;
	uint32_t step; ///< its group; after own_steps_order() index into `steps.marks`
};

/// Steps that the profiler marked itself.
struct own_steps {
	struct idmap groups; ///< idents
	VEC(struct mark) marks; ///< by group; over all GPUs
	VEC(struct own_part) parts; ///< by device, stream and start, after own_steps_order()
	VEC(struct mark) numbered; ///< annotations with the number of a step
	bool in_use; ///< `marks` are the steps
	bool annotated; ///< they are markers on the GPU, not what XProf derives
};

/// The part of a step's interval that no earlier step covers.
struct owned {
	int64_t start_ns, end_ns;
	uint32_t step;
};

struct steps {
	VEC(struct mark) marks; ///< by start, after steps_make()
	struct own_steps own;
	VEC(struct annotation) annotations;
	bool annotations_cut; ///< there were more
	VEC(struct owned) owned; ///< disjoint, in order
	size_t owned_near; ///< index of the last hit: events mostly come in order
	size_t warmup; ///< how many of the marks are left out
	size_t usable; ///< how many follow, without a last step that was cut short
	bool window; ///< the only mark is the whole trace
};

/// Ready for use, and back.
void steps_init(struct steps *s);
void steps_release(struct steps *s);

/// Keep an annotation that is a marker or has the number of a step.
void steps_take(struct reducer *r, const struct event *ev, bool marker);

/// Join a part: false if it has steps that XProf derived, whose traces are not read in parts; its
/// marks, before its events are counted.
bool steps_fit(const struct reducer *from);
void steps_join(struct reducer *to, struct reducer *from);

/// Order and number the steps and make room for them in `d`.
void steps_make(struct reducer *r, struct digest *d);

/// Give every activity its step and count those outside of steps; find out whether the last
/// measured step is cut short.
void steps_attribute(struct reducer *r, struct digest *d);

/// Keep a step on the timeline of a GPU; join those of a part.
void own_steps_join(struct reducer *to, struct reducer *from);
void own_steps_take(struct reducer *r, const struct event *ev);

/// Use the steps of the profiler if no annotation is a marker and options allow it.
void own_steps_use(struct reducer *r);

/// Prepare own_steps_at(), once `marks` are in order.
void own_steps_order(struct reducer *r);

/// Index of the step that began last before an activity on its GPU, or NO_ID.
uint32_t own_steps_at(const struct reducer *r, const struct activity *a);

/// Keep an annotation that is not a marker, by its name in `host.names`; join those of a part.
void annotation_take(struct reducer *r, const struct event *ev, uint32_t name);
void annotations_join(struct reducer *to, struct reducer *from);

/// Say in `d` which annotations would make good steps of a trace that has none.
void markers_propose(struct reducer *r, struct digest *d);

/// Find the period of the launches of a trace without markers; make marks of it on request.
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

/// Index of a step among the measured steps, or NO_ID for warm-up and no step.
static inline uint32_t steps_measured(const struct steps *s, uint32_t step)
{
	return step == NO_ID || step < s->warmup ? NO_ID : step - (uint32_t)s->warmup;
}

/// The same, with NO_ID also for a last step that was cut short. (Unsigned wrap-around puts warm-up
/// and NO_ID far behind the last step.)
static inline uint32_t steps_usable(const struct steps *s, uint32_t step)
{
	size_t i = (size_t)step - s->warmup;
	return i < s->usable ? (uint32_t)i : NO_ID;
}

#endif

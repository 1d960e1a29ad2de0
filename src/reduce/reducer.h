/// Inside of the reducer: what it keeps of the events, and its parts in the
/// order in which reducer_finish() runs them, those of the host beside those of
/// the GPU where it may use two threads. No other room includes this.
///
///     reducer.c      intake, order of work
///     join.c         parts filled by several threads → the whole
///     steps.c        step markers → steps; GPU activities → steps
///     unmarked.c     period of the launches (period.c) → steps
///     own_steps.c    steps that the profiler marked itself
///     comm.c         collectives (collective.c: what an event says of one)
///     gpu.c          per step and per device figures, overlaps
///     parts.c        where the host interval of a step went
///     kernels.c      figures by GPU activity name
///     host.c         runtime calls, operators
///     threads.c      threads, what operators take without those in them
///     flops.c        floating-point operations of operators
///     functions.c    functions by class (python.h: Python's, by call path)
///     phases.c       what each phase of a step launched; rows of one alone
///     step_phase.c   steps that are of one phase as a whole, by their names
///     progress.c     what the rank did last
///     counters.c     sampled counters of the GPUs
///     memory.c       [memory] events
///     identity.c     environment
#ifndef GG_REDUCE_REDUCER_H
#define GG_REDUCE_REDUCER_H

#include "base/idmap.h"
#include "reduce/comm.h"
#include "reduce/reduce.h"

/// No step, no launch, no thread, …
#define NO_ID UINT32_MAX

/// Set in 31 bits that are too few for what they stand for: the rest is an index of `wide`.
#define WIDE ((uint32_t)1 << 30)

/// A GPU activity, 24 bytes.
struct activity {
	int64_t start_ns;
	uint32_t dur; ///< activity_dur()
	uint32_t correlation; ///< where it has a launch index of that, at last of its span
	uint32_t row : 31; ///< activity_name(), activity_lane()
	bool has_launch : 1; ///< from steps_launches() on
	uint32_t step; ///< index of its step, or NO_ID
};

/// A runtime call with a correlation id, 8 bytes. From steps_launches() on the earliest with an
/// id comes first of those that have it, and stands for them.
struct launch {
	uint32_t correlation : 31; ///< widen() it
	bool has_activity : 1; ///< of the first
	uint32_t span; ///< index
};

/// What an activity moved over its time, where it is known.
struct gpu_rate {
	int64_t bytes_per_s;
	uint32_t name; ///< index of its struct gpu_name
};

/// A launch shape of one name, as the bytes that stand for it in a name table.
struct gpu_shape {
	int64_t name; ///< index of its struct gpu_name
	int64_t dims[6]; ///< grid, block
};

/// All activities of one kind and name.
struct gpu_name {
	struct kernel_stat stat;
	bool communication;
	int64_t shape_count; ///< of the most frequent shape
	int64_t occupancy_ns; ///< time of the launches with a known occupancy
	__int128 occupancy_sum; ///< of occupancy × time
	struct kernel_stat phase; ///< step_* of the phase asked for
};

/// A runtime call, operator or DataLoader annotation, 8 bytes: span_get(). Of what they do not
/// hold `start` is the index in `wide_spans`, told by the last row.
struct host_span {
	uint32_t start; ///< behind the base of the block of SPAN_BLOCK spans that it is in
	uint32_t dur_row; ///< ns below SPAN_DUR_END; SPAN_DUR_END × row
};
struct wide_span {
	int64_t start_ns, dur_ns;
	uint32_t row; ///< span_name(), span_thread()
};
#define SPAN_BLOCK 1024
#define SPAN_DUR_END ((uint32_t)1 << 20)
#define SPAN_ROW_END (UINT32_MAX / SPAN_DUR_END)

/// Shapes and types of an operator's inputs, of those that have them.
struct op_inputs {
	uint32_t span; ///< index
	uint32_t dims, types; ///< ids in `inputs`
};

/// All runtime calls, operators or annotations of one name.
struct host_name {
	struct span name;
	bool op, launch, kernel_launch, sync, dataloader, marker;
	bool timed; ///< by step: one of launch, sync, dataloader
	const struct flop_rule *flops; ///< NULL none
	enum phase phase; ///< what the name says of it
	int64_t count, total_ns, self_ns; ///< operators, measured steps
	int64_t begun, begun_ns; ///< launches, synchronisation, data loader: struct call_stat
	struct op_sums {
		int64_t count, total_ns, self_ns;
	} in_phase; ///< of the phase asked for
};

/// Operations of one operator, of those with a rule.
struct op_flops {
	uint32_t span; ///< index
	enum flop_type type;
	int64_t flops; ///< -1: its inputs do not tell
};

/// An operator of a usable step whose operations count.
struct counted_op {
	int64_t start_ns, end_ns;
	uint32_t thread;
	uint32_t name; ///< index of its struct host_name
	int64_t flops; ///< -1 unknown
	enum flop_type type;
	bool launched; ///< anything
	int64_t gpu_ns; ///< what its thread launched meanwhile
};

/// What a thread is inside of, from to.
struct phase_span {
	int64_t start_ns, end_ns;
	uint32_t thread;
	enum phase phase;
};

/// Those of all threads.
struct phases {
	VEC(struct phase_span) list; ///< by thread and time, disjoint, from phases_make() on
	size_t near; ///< how many an activity was behind the last time: launches come in order mostly
	bool found[NR_PHASES];
};

/// One piece of time that some function of a higher class covers. Its length is how far the next
/// one's `before_ns` is from its own.
struct segment {
	int64_t start_ns;
	int64_t before_ns; ///< length of all segments before it
};

/// What the classes of functions so far cover: disjoint, in order, where there are any with one
/// more behind the last that has but `before_ns`.
struct higher {
	VEC(struct segment) list;
};

/// How long a thread was in calls and operators, and in operators.
struct thread_times {
	int64_t busy_ns, op_ns;
};

/// A step: one marker annotation.
struct mark {
	int64_t start_ns, end_ns;
	int64_t number; ///< < 0: the name has none
	enum phase phase; ///< of the whole step, PHASE_ALL none
	uint32_t order; ///< in the file
};

/// A step on the timeline of one GPU, or a part of it.
struct own_part {
	int64_t device; ///< ident
	int64_t start_ns, end_ns;
	uint32_t step; ///< its group; from own_steps_order() on index of its mark
};

/// Steps that the profiler marked itself.
struct own_steps {
	struct idmap groups; ///< idents
	VEC(struct mark) marks; ///< by group; over all GPUs
	VEC(struct own_part) parts; ///< by device and start from own_steps_order() on
	VEC(struct mark) numbered; ///< annotations with the number of a step
	bool serve; ///< `marks` are the steps
};

/// The part of a step's interval that belongs to no step before it.
struct owned {
	int64_t start_ns, end_ns;
	uint32_t step;
};

/// The operator or annotation, no marker, that began last; of equals the shorter.
struct last_host {
	int64_t start_ns, dur_ns;
	const struct name *name; ///< NULL none
};

/// Bytes of a copy or memory set; most activities are kernels and have none.
struct transfer {
	uint32_t activity;
	int64_t bytes;
};

/// Allocated memory from an event on.
struct level {
	int64_t start_ns, allocated;
};

struct memory_state {
	struct memory_stat stat;
	int64_t first_ns, peak_ns, end_ns; ///< when
	int64_t peak_pid, peak_tid; ///< idents
	VEC(struct level) levels; ///< in order of the file
};

/// A call of a Python function, 16 bytes.
struct python_frame {
	uint32_t start; ///< ns after the base of its run
	uint32_t dur; ///< widen() it
	uint32_t name; ///< id
	uint32_t parent; ///< id that the profiler gave the caller; NO_ID none
};

/// From this frame on starts lie near each other and ids come in turn, 16 bytes.
struct python_run {
	uint64_t base_ns; ///< the sum with a start wraps
	uint32_t first; ///< index of the frame
	uint32_t id; ///< that the profiler gave it; NO_ID: to none of the run
};

/// The calls of a thread. Another's are appended with both lists, `first` of each run moved.
struct python_thread {
	VEC(struct python_frame) frames;
	VEC(struct python_run) runs; ///< the first begins at frame 0
};

struct reducer {
	struct reduce_options options;
	struct name_table *names; ///< borrowed
	struct ids *joined; ///< of a part: its ids in the whole; else NULL
	const char *fault; ///< why no digest can be made; events are ignored from there
	uint32_t nr_events;
	int64_t first_ns, last_ns; ///< over all host and GPU events
	int64_t gpu_ns, host_ns; ///< sums of durations: every smaller sum fits
	int64_t negative_durations;

	struct row_found {
		const struct name *name;
		enum event_kind kind;
		uint32_t place; ///< lane or thread
		uint32_t row_name; ///< of `gpu_names` or `host_names`
		uint32_t row; ///< of `gpu_rows` or `host_rows`
	} row_found[512]; ///< the last of each place
	VEC(int64_t) wide; ///< durations and correlation ids that 30 bits do not hold
	int64_t last_device, last_stream; ///< idents
	uint32_t last_lane; ///< id of theirs; NO_ID: no activity yet

	VEC(struct activity) activities; ///< in order of start from figures on
	VEC(struct transfer) transfers; ///< in order of `activity`, file order
	VEC(struct gpu_rate) rates;
	struct idmap gpu_ids; ///< kind and name id
	VEC(struct gpu_name) gpu_names;
	struct idmap gpu_rows; ///< index of a struct gpu_name, and lane id
	struct name_table shapes;
	VEC(int64_t) shape_counts;
	struct idmap devices, streams; ///< idents
	struct idmap lanes; ///< device and stream id

	VEC(struct host_span) spans;
	VEC(uint64_t) span_bases; ///< of each block: times wrap around
	VEC(struct wide_span) wide_spans;
	VEC(struct launch) launches; ///< in order of correlation from steps_launches() to its end
	VEC(struct op_inputs) op_inputs; ///< in order of `span`
	struct name_table inputs;
	VEC(struct op_flops) op_flops; ///< in order of `span`
	VEC(struct counted_op) counted;
	struct idmap host_ids; ///< kind and name id
	VEC(struct host_name) host_names;
	struct idmap host_rows; ///< index of a struct host_name, and thread id; NO_ID: annotations
	struct idmap pids, tids; ///< idents
	struct idmap threads; ///< pid and tid id
	struct thread_found {
		int64_t pid, tid;
		uint32_t thread; ///< id; NO_ID: nothing found yet
	} thread_found[16]; ///< the last of each place
	struct last_host last_host;
	VEC(struct thread_times) thread_times; ///< by id

	struct comm_state comm;

	struct idmap python_ids; ///< pid and tid id
	struct thread_found python_found; ///< the last one's
	VEC(struct python_thread) python_threads;
	int64_t python_ns; ///< sum of their durations
	struct python *python; ///< from python_paths() on
	struct ids calls; ///< indices of `spans`, from function_calls() to function_runtime()
	struct higher higher; ///< from function_classes() on

	struct phases phases;

	VEC(struct mark) marks; ///< in order of start from steps_make() on
	struct own_steps own;
	VEC(struct owned) owned; ///< disjoint, in order
	size_t owned_near; ///< the last that was found: events come in order mostly
	size_t warmup; ///< of the marks
	size_t usable; ///< of the measured steps: without a last one cut short
	bool window; ///< one mark stands for the whole trace

	struct idmap memory_ids;
	VEC(struct memory_state) memories;
};

/// Where the row of a kind and name is remembered once it has been found.
static inline struct row_found *row_place(struct reducer *r, const struct event *ev)
{
	return &r->row_found[(ev->name->id * 8 + ev->kind) % 512];
}

/// A number in 31 bits; may set `fault`. And the number again.
uint32_t wide_add(struct reducer *r, int64_t v);
static inline uint32_t narrow(struct reducer *r, int64_t v)
{
	return v >= 0 && v < WIDE ? (uint32_t)v : wide_add(r, v);
}
static inline int64_t widen(const struct reducer *r, uint32_t v)
{
	return (v & WIDE) ? r->wide.v[v - WIDE] : v;
}

/// True for the earliest of those with its id, once they are in order.
static inline bool launch_is_first(const struct reducer *r, size_t i)
{
	const struct launch *l = &r->launches.v[i];
	return i == 0 || (l[-1].correlation != l->correlation &&
	                  widen(r, l[-1].correlation) != widen(r, l->correlation));
}

/// What is kept of an activity.
static inline int64_t activity_dur(const struct reducer *r, const struct activity *a)
{
	return widen(r, a->dur);
}
static inline int64_t activity_correlation(const struct reducer *r, const struct activity *a)
{
	return widen(r, a->has_launch ? r->launches.v[a->correlation].correlation : a->correlation);
}
static inline struct gpu_name *activity_name(const struct reducer *r, const struct activity *a)
{
	return &r->gpu_names.v[idmap_pair_first(r->gpu_rows.keys.v[a->row])];
}
static inline uint32_t activity_lane(const struct reducer *r, const struct activity *a)
{
	return (uint32_t)r->gpu_rows.keys.v[a->row];
}

/// The runtime call that launched it, or NULL.
static inline const struct host_span *activity_launch(const struct reducer *r,
                                                      const struct activity *a)
{
	uint32_t i = a->correlation;
	return a->has_launch ? &r->spans.v[r->launches.nr ? r->launches.v[i].span : i] : NULL;
}

/// Keep a host event as the next of `spans`.
void span_add(struct reducer *r, struct wide_span s);

/// What is kept of one of `spans`.
static inline struct wide_span span_get(const struct reducer *r, const struct host_span *s)
{
	uint32_t row = s->dur_row / SPAN_DUR_END;
	if (row == SPAN_ROW_END)
		return r->wide_spans.v[s->start];
	uint64_t base = r->span_bases.v[(size_t)(s - r->spans.v) / SPAN_BLOCK];
	return (struct wide_span){ (int64_t)(base + s->start), s->dur_row % SPAN_DUR_END, row };
}
static inline int64_t span_start(const struct reducer *r, const struct host_span *s)
{
	return span_get(r, s).start_ns;
}
static inline int64_t span_dur(const struct reducer *r, const struct host_span *s)
{
	return span_get(r, s).dur_ns;
}
static inline int64_t span_end(const struct reducer *r, const struct host_span *s)
{
	struct wide_span w = span_get(r, s);
	return w.start_ns + w.dur_ns;
}
static inline struct host_name *span_name(const struct reducer *r, const struct host_span *s)
{
	return &r->host_names.v[idmap_pair_first(r->host_rows.keys.v[span_get(r, s).row])];
}
static inline uint32_t span_thread(const struct reducer *r, const struct host_span *s)
{
	return (uint32_t)r->host_rows.keys.v[span_get(r, s).row];
}

/// Text of an ident, owned by `a`; "null" where it is absent.
const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident);

/// How events are taken by several threads.
extern const struct event_parts reducer_parts;

/// Keep a runtime call, operator or annotation; may set `fault`, as may the one that follows.
void host_take(struct reducer *r, const struct event *ev);

/// The operator or annotation that began last is `h`, unless another began later.
void last_host_take(struct reducer *r, const struct last_host *h);

/// Keep a [memory] event; may set `fault`.
void memory_take(struct reducer *r, const struct event *ev);

/// The memory of an id, empty where it is new; until the next one that is.
struct memory_state *memory_of(struct reducer *r, int64_t id);

/// Nothing has been taken, but room for levels.
void memory_clear(struct memory_state *m);

/// Events that come behind those of `to` go there, but their levels; false where they do not fit.
bool memory_add(struct memory_state *to, const struct memory_state *m);

/// Row of an activity's name and lane, with this launch added to the window figures of
/// the name; may set `fault`.
uint32_t gpu_row_add(struct reducer *r, const struct event *ev, uint32_t lane);

/// An activity name without activities.
struct gpu_name gpu_name_new(enum event_kind kind, struct span name, bool communication);

/// Add so many launches of a shape; may set `fault`.
void gpu_shape_add(struct reducer *r, const struct gpu_shape *shape, int64_t nr);

/// Find the launch of every activity; tell where those without one come from.
void steps_launches(struct reducer *r, struct trust_counts *t);

/// Give the launches back: activity_correlation() has no answer from there on.
void steps_launches_end(struct reducer *r);

/// True where activities belong to steps by their launch, not by their start.
bool steps_by_launch(const struct trust_counts *t);

/// Tell the period of the launches of a trace without markers; make marks of it where asked for.
void unmarked_steps(struct reducer *r, struct digest *d);

/// The integer that a name ends in; -1 where there is none or it is too large.
int64_t trailing_number(struct span name);

/// Keep a step on the timeline of a GPU.
void own_steps_take(struct reducer *r, const struct event *ev);

/// The marks of the profiler, if any, where no annotation matches and they may stand in.
void own_steps_serve(struct reducer *r);

/// Ready for own_steps_at(), once `marks` are in order.
void own_steps_order(struct reducer *r);

/// Index of the step of an activity: that of its GPU which began last before it, or NO_ID.
uint32_t own_steps_at(const struct reducer *r, const struct activity *a);

/// Order and number the steps and make room for them in `d`.
void steps_make(struct reducer *r, struct digest *d);

/// Give every activity its step, and count what has none; tell whether the last
/// measured step is cut short.
void steps_attribute(struct reducer *r, struct digest *d);

/// Keep a call of a Python function; may set `fault`.
void python_take(struct reducer *r, const struct event *ev);

/// What activities moved over their time; while they are in the order of the file.
void function_rates(struct reducer *r);

/// Rows of functions of the GPU, from the sorted activities.
void function_classes(struct reducer *r, struct digest *d);

/// Runtime calls in order of start into r->calls.
void function_calls(struct reducer *r);

/// Rows of their functions, behind those of the GPU; gives r->calls back.
void function_runtime(struct reducer *r, struct digest *d);

/// Call paths of Python frames into r->python, released with the reducer.
void python_paths(struct reducer *r);

/// Give them back; NULL is fine.
void python_free(struct python *p);

/// Rows of all functions, from these.
void function_figures(struct reducer *r, struct digest *d);

/// Index of the step that the instant belongs to, or NO_ID; mostly as the last time.
uint32_t steps_find(struct reducer *r, int64_t at_ns);
static inline uint32_t steps_at(struct reducer *r, int64_t at_ns)
{
	if (r->window)
		return 0;
	if (r->owned.nr) {
		const struct owned *near = &r->owned.v[r->owned_near];
		if (near->start_ns <= at_ns && at_ns < near->end_ns)
			return near->step;
	}
	return steps_find(r, at_ns);
}

/// Index of a step among the measured ones, or NO_ID for warm-up and no step.
static inline uint32_t steps_measured(const struct reducer *r, uint32_t step)
{
	return step == NO_ID || step < r->warmup ? NO_ID : step - (uint32_t)r->warmup;
}

/// The same, NO_ID also for a last step cut short. (What comes before the first, and NO_ID, are
/// far behind the last.)
static inline uint32_t steps_usable(const struct reducer *r, uint32_t step)
{
	size_t i = (size_t)step - r->warmup;
	return i < r->usable ? (uint32_t)i : NO_ID;
}

/// Per step, per device and trust figures of GPU activities; sorts them.
GG_MUST_CHECK enum status gpu_figures(struct reducer *r, struct digest *d, struct diag_log *log);

/// Parts of the steps' host intervals, from the sorted activities.
void parts_figures(const struct reducer *r, struct digest *d);

/// What the rank did last, from the sorted activities.
void progress_figures(const struct reducer *r, struct digest *d);

/// Rows of GPU activity names, from the activities with their steps.
GG_MUST_CHECK enum status kernel_figures(struct reducer *r, struct digest *d, struct diag_log *log);

/// Per step figures of the host; sums of operators and threads.
void host_walk(struct reducer *r, struct digest *d);

/// The part of it that goes by thread: all of its spans in order.
void threads_walk(struct reducer *r);

/// Rows of calls, operators and threads.
void host_figures(struct reducer *r, struct digest *d);

/// Keep the operations of the operator that becomes the next span.
void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev);

/// Count this span, which has a rule and lies in none that has.
void flops_add(struct reducer *r, const struct host_span *s);

/// Rows of operations, after host_figures().
void flops_figures(struct reducer *r, struct digest *d);

/// What the name of an annotation or operator says of the phase; PHASE_ALL nothing.
enum phase phase_of_name(struct span name);

/// Keep an annotation or operator of a phase.
void phases_take(struct reducer *r, const struct event *ev, enum phase phase, uint32_t thread);

/// Order them, before all that follow.
void phases_make(struct reducer *r);

/// Add up by phase what the activities of each measured step take, where the trace tells.
void phases_samples(struct reducer *r, struct digest *d);

/// True for an activity of the phase that is asked for.
bool phases_has_activity(struct reducer *r, const struct activity *a);

/// The same of an operator; it changes nothing, as it is asked beside the side of the GPU.
bool phases_has_op(const struct reducer *r, const struct host_span *s);

/// Rows of the phase asked for, after kernel_figures() and host_figures().
void phase_figures(const struct reducer *r, struct digest *d);

/// Keys of the environment that the trace tells.
void environment(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

/// Rows of counters, over the usable steps.
void counter_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

/// Rows of memories, from the steps too.
void memory_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

#endif

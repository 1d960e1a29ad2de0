/// Internals of the reducer: the data that it keeps of the events. No other folder of src/ includes
/// this header. Each member of `struct reducer` has a header with its functions. The files, in the
/// order in which reducer_finish() uses them:
///
///     reducer.c      intake: which member takes an event
///     finish.c       order of work
///     processes.c    whether several ranks were merged into the trace
///
///     launches.c     runtime calls with a correlation id ↔ GPU activities
///     graphs.c       calls that were captured into graphs ↔ activities of graph launches
///     lost.c         launches without an activity: nothing to run, not yet run, or lost
///     graph_nodes.c  kernels that only some launches of a graph have
///     account.c      GPU activities without a time or recorded twice; time outside of steps
///     steps.c        step markers → steps; GPU activities → steps
///     own_steps.c    steps that the profiler marked itself
///     markers.c      annotations that would make good steps
///     unmarked.c     steps of a trace without markers, from how often its launches repeat
///     phases.c       phases of training steps; rows of one phase
///
///     gpu.c          intake of GPU activities
///     kernels.c      figures by GPU activity name
///     comm.c         collectives
///     devices.c      figures per step and per device, overlaps
///     wall.c         when steps are over; what ran from one such moment to the next
///     progress.c     what the rank did last
///
///     host.c         intake of runtime calls, operators, annotations
///     calls.c        launches, synchronization, data loading per step and by name
///     threads.c      times of threads; operators without those nested in them
///     flops.c        floating-point operations of operators (flop_count.c: of one call)
///
///     where.c        what is around each launch: operators, annotations, frames
///     where_rows.c   rows of activities with the same code around their launch
///     where_step.c   one step as it happened
///
///     functions.c    functions by class, without the time that a higher class covers
///                    (code/python.h: functions of Python)
///
///     memory.c       [memory] events
///     counters.c     sampled counters of the GPUs
///     identity.c     environment
#ifndef GG_REDUCE_REDUCER_H
#define GG_REDUCE_REDUCER_H

#include "code/python.h"
#include "code/thread_ids.h"
#include "reduce/account.h"
#include "reduce/comm.h"
#include "reduce/flops.h"
#include "reduce/functions.h"
#include "reduce/gpu.h"
#include "reduce/graphs.h"
#include "reduce/host.h"
#include "reduce/launches.h"
#include "reduce/lost.h"
#include "reduce/memory.h"
#include "reduce/phases.h"
#include "reduce/reduce.h"
#include "reduce/steps.h"
#include "reduce/threads.h"
#include "reduce/where.h"

/// Cache entry: the row of all events of one kind and one name on one GPU lane or host thread.
struct row_found {
	const struct name *name;
	uint32_t place; ///< id of the GPU lane or host thread
	uint32_t row_name; ///< index into `gpu.names` or `host.names`
	uint32_t row; ///< index into `gpu.rows` or `host.rows`
};

/// The data that are kept of the events of one trace until reducer_finish().
struct reducer {
	struct reduce_options options;
	struct name_table *names; ///< name table of the reader, borrowed
	const char *fault; ///< reason why no digest can be made, or NULL; events are then ignored
	uint32_t nr_events;
	int64_t first_ns, last_ns; ///< first start and last end of host events and XProf's steps; from
	                           ///< account_untime() on, also of GPU activities
	int64_t host_first_ns, host_last_ns; ///< first_ns and last_ns without GPU activities
	int64_t negative_durations;
	struct row_found row_found[512]; ///< cache of rows; row_place() gives the entry

	struct gpu_events gpu;
	struct thread_ids threads;
	VEC(struct thread_times) thread_times; ///< times of threads, indexed by thread id
	struct host_events host;
	struct launches launches;
	struct graphs graphs;
	struct flops flops;
	struct comm_state comm;
	struct steps steps;
	struct phases phases;
	struct memories memories;
	struct python_frames python;
	struct functions functions;
	struct where where;
};

/// The cache entry for events of this kind and name.
static inline struct row_found *row_place(struct reducer *r, const struct event *ev)
{
	return &r->row_found[(ev->name->id * 8 + ev->kind) % 512];
}

/// Correlation id of an activity. Call it before launches_end().
static inline int64_t activity_correlation(const struct reducer *r, const struct activity *a)
{
	return a->has_launch ? widen(&r->launches.wide, r->launches.list.v[a->correlation].correlation)
	                     : widen(&r->gpu.wide, a->correlation);
}

/// The runtime call that launched an activity, or NULL. Call it before launches_end().
static inline const struct host_span *activity_launch(const struct reducer *r,
                                                      const struct activity *a)
{
	const struct launch *launches = r->launches.list.v;
	return a->has_launch ? &r->host.spans.v[launches[a->correlation].span] : NULL;
}

/// Fills d->progress, what the rank did last; activities must be sorted by start. If the profiler
/// did not wait for the GPU at its end (`open_end`), unfinished work is normal: such work counts as
/// pending only if the job had stopped before.
void progress_figures(const struct reducer *r, bool open_end, struct digest *d);

/// Sets GPU names, number of GPUs, world size and versions in the environment of `d`, as far as the
/// trace has them.
void environment(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

/// Makes a row of `d` for each sampled GPU counter, from its samples in complete measured steps.
void counter_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

#endif

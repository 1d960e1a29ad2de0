/// Reduces the events of one trace to the digest of its rank.
#ifndef GG_REDUCE_REDUCE_H
#define GG_REDUCE_REDUCE_H

#include "base/diag.h"
#include "base/intern.h"
#include "events/event.h"
#include "model/digest.h"

/// How a trace is reduced. All pointers are borrowed.
struct reduce_options {
	const char *marker; ///< glob that matches step annotations
	bool by_period; ///< true if repetitions of launches are the steps of a trace without markers
	bool marker_alone; ///< true if steps that the profiler marked itself are ignored
	int64_t warmup; ///< number of first steps to leave out
	const char *communication; ///< space-separated substrings of the names of communication kernels
	const struct site_rules *sites; ///< rules for frames outside of user code; NULL: no rules
	enum phase phase; ///< phase for extra rows; PHASE_ALL: no extra rows
	bool keep_step; ///< true if digest.step is wanted
	uint32_t max_events; ///< number of events beyond which ST_INPUT is returned; 0: 2^32 - 2
};

struct reducer;

/// A reducer for one trace. `names` is the table of the reader that feeds it, and must outlive it.
/// Caller releases with reducer_free().
struct reducer *reducer_new(const struct reduce_options *options, struct name_table *names);

/// The sink for the events that the reader finds.
struct event_sink reducer_sink(struct reducer *r);

/// The number of processes that did the work of the trace once all events are in: that marked
/// steps, or launched work for GPUs. If it is more than 1, the trace holds several ranks, since a
/// profiler records one process; `*text` then names them, "1000, 1001", owned by `a`.
size_t reducer_processes(const struct reducer *r, struct arena *a, const char **text);

/// True if the trace launches graphs.
bool reducer_replays(const struct reducer *r);

/// What a recording captured into graphs, apart from its reducer.
struct captured;

/// The captures of the recording, after reducer_finish(). Caller releases with captured_free().
struct captured *reducer_captured(const struct reducer *r);

/// Releases the captures; NULL is fine.
void captured_free(struct captured *c);

/// Gives replays the places of another recording's captures, which must outlive reducer_finish().
void reducer_join(struct reducer *r, const struct captured *c);

/// Fills `out` (from digest_new()) with every figure, once all events are in; `meta` gives events,
/// faults, devices and versions. Sets everything but trace, snapshot and rank. ST_INPUT if a sum
/// exceeds int64.
GG_MUST_CHECK enum status reducer_finish(struct reducer *r, const struct trace_meta *meta,
                                         struct digest *out, struct diag_log *log);

/// Releases the reducer; NULL is fine.
void reducer_free(struct reducer *r);

#endif

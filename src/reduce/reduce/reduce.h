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
	bool by_period; ///< true if, in a trace without markers, each repetition of its sequence of
	                ///< launches is a step
	bool marker_alone; ///< true if steps that XProf marked are ignored, so that only annotations
	                   ///< that match `marker` are steps
	int64_t warmup; ///< number of first steps to leave out
	const char *communication; ///< space-separated substrings of the names of communication kernels
	const struct site_rules *sites; ///< rules for frames outside of user code; NULL: no rules
	enum phase phase; ///< phase whose kernels and operators get rows of their own; PHASE_ALL: none
	bool keep_step; ///< true if digest.step is wanted: one step with all its launches and waits
	uint32_t max_events; ///< number of events beyond which ST_INPUT is returned; 0: 2^32 - 2
};

struct reducer;

/// A reducer for one trace. `names` is the name table of the reader that feeds the reducer, and
/// must outlive the reducer. Caller releases with reducer_free().
struct reducer *reducer_new(const struct reduce_options *options, struct name_table *names);

/// The sink for the events that the reader finds.
struct event_sink reducer_sink(struct reducer *r);

/// Number of processes that launched GPU work or, if fewer than two did, that marked steps. A
/// profiler records one process, so a trace with several holds several ranks. `*text` lists the
/// process ids, such as "1000, 1001"; it is owned by `a`. Call it once all events are in.
size_t reducer_processes(const struct reducer *r, struct arena *a, const char **text);

/// True if the trace has launches of CUDA or HIP graphs.
bool reducer_replays(const struct reducer *r);

/// A copy of the calls that stream captures of one recording recorded into graphs, and of the code
/// around these calls. The copy outlives the reducer.
struct captured;

/// A copy of the captures of the recording, after reducer_finish(). Caller releases with
/// captured_free().
struct captured *reducer_captured(const struct reducer *r);

/// Releases the captures; NULL is fine.
void captured_free(struct captured *c);

/// Lets the graphs that this trace replays take the places in the code of their kernels from `c`,
/// the captures of another recording. `c` must outlive reducer_finish().
void reducer_join(struct reducer *r, const struct captured *c);

/// Fills `out`, which digest_new() made, with every figure. Call it once all events are in; `meta`
/// has the facts that the trace states outside of its events. Sets all members except `trace`,
/// `snapshot` and `rank`. ST_INPUT if a sum exceeds int64.
GG_MUST_CHECK enum status reducer_finish(struct reducer *r, const struct trace_meta *meta,
                                         struct digest *out, struct diag_log *log);

/// Releases the reducer; NULL is fine.
void reducer_free(struct reducer *r);

#endif

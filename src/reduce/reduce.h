/// Events of one trace → digest of its rank.
#ifndef GG_REDUCE_REDUCE_H
#define GG_REDUCE_REDUCE_H

#include "base/diag.h"
#include "base/intern.h"
#include "events/event.h"
#include "model/digest.h"

struct reduce_options {
	const char *marker; ///< glob that matches step annotations
	bool by_period; ///< without annotations, steps are the repetitions of the launches
	bool marker_alone; ///< do not use steps that the profiler marked itself
	int64_t warmup; ///< steps to leave out
	const char *communication; ///< space-separated substrings
	const struct site_rules *sites; ///< which frames are nobody's own code; NULL: none is skipped
	enum phase phase; ///< extra rows of this phase; PHASE_ALL: no extra rows
	bool keep_step; ///< digest.step is wanted
	size_t threads; ///< to work with when all events are in; 0 means 1
	uint32_t max_events; ///< more are ST_INPUT; 0 means the limit of ids, 2^32 - 2
};

struct reducer;

/// A reducer of one trace; `names` is the table of the reader that will feed it
/// and must outlive it. Caller releases with reducer_free().
struct reducer *reducer_new(const struct reduce_options *options, struct name_table *names);

/// The sink for the reader's events.
struct event_sink reducer_sink(struct reducer *r);

/// All events are in: fill `out` (from digest_new()) with every figure; `meta` gives events,
/// faults, devices and versions. Sets everything but trace, snapshot and rank. ST_INPUT if a sum
/// leaves int64.
GG_MUST_CHECK enum status reducer_finish(struct reducer *r, const struct trace_meta *meta,
                                         struct digest *out, struct diag_log *log);

/// Release the reducer; NULL is fine.
void reducer_free(struct reducer *r);

#endif

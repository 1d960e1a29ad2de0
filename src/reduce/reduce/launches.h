/// Launches: the runtime calls that launched GPU activities, matched by correlation id.
#ifndef GG_REDUCE_LAUNCHES_H
#define GG_REDUCE_LAUNCHES_H

#include "code/wide.h"
#include "model/digest.h"

struct reducer;

/// A runtime call with a correlation id, in 8 bytes.
struct launch {
	uint32_t correlation : 31; ///< correlation id, to be read with widen()
	bool settled : 1; ///< set only in the first of the launches that share a correlation id: true
	                  ///< if an activity with this id is in the trace, or if the launch was
	                  ///< recorded into a graph and so ran nothing (launches_settle())
	uint32_t span; ///< index of the call in `host.spans`
};

/// Launches in file order; after launches_match() sorted by correlation id and start. An activity
/// then refers to the first of the launches that have its correlation id.
struct launches {
	VEC(struct launch) list;
	struct wide_numbers wide; ///< correlation ids that do not fit into 30 bits
	int64_t extra; ///< number of kernels whose own launch is unknown: kernels without a launch,
	               ///< and, for a call that launches a single kernel, all kernels with its
	               ///< correlation id after the first
	int64_t open_ns; ///< work of launches that begin at or after this time may not have ended when
	                 ///< the recording did; INT64_MAX if all work had ended
	int64_t pending_ns; ///< start of the first pending launch, whose work had not ended when the
	                    ///< recording did; INT64_MAX if there is none
	int64_t delay_ns; ///< longest time from the start of a launch to the end of its work
};

/// Releases the launches.
void launches_release(struct launches *l);

/// Stores a runtime call with a correlation id, just before its span is added; may set r->fault.
void launches_take(struct reducer *r, const struct event *ev);

/// Finds the launch of every activity, and counts the activities without a launch by cause.
/// `open_end`: the profiler did not wait for the GPU at its end, so that the last launches may be
/// pending.
void launches_match(struct reducer *r, bool open_end, struct trust_counts *t);

/// Makes activities refer to the spans of their launches, and releases the launches:
/// activity_correlation() must not be called any more.
void launches_end(struct reducer *r);

/// True if activities belong to steps by their launch rather than by their own start.
bool launches_prevail(const struct trust_counts *t);

/// True for the first launch with its correlation id, after launches_match().
static inline bool launch_is_first(const struct launches *l, size_t i)
{
	const struct launch *v = &l->list.v[i];
	return i == 0 || (v[-1].correlation != v->correlation &&
	                  widen(&l->wide, v[-1].correlation) != widen(&l->wide, v->correlation));
}

#endif

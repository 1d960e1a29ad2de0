/// Launches: the runtime calls that GPU activities come from, by correlation id.
#ifndef GG_REDUCE_LAUNCHES_H
#define GG_REDUCE_LAUNCHES_H

#include "code/wide.h"
#include "model/digest.h"

struct reducer;

/// A runtime call with a correlation id, 8 bytes.
struct launch {
	uint32_t correlation : 31; ///< widen() it
	bool has_activity : 1; ///< kept by the first launch with the id
	uint32_t span; ///< index into `host.spans`
};

/// In file order; after launches_match() by correlation id and start. Activities then refer to the
/// first launch with their id.
struct launches {
	VEC(struct launch) list;
	struct wide_numbers wide; ///< of correlation ids
};

void launches_release(struct launches *l);

/// Keep the runtime call that becomes the next span; may set `fault`.
void launches_take(struct reducer *r, const struct event *ev);

/// Join a part; its spans come after the first `spans` of the whole.
void launches_join(struct reducer *to, struct reducer *from, size_t spans);

/// Find the launch of every activity; count the activities without one by cause.
void launches_match(struct reducer *r, struct trust_counts *t);

/// Activities refer to the spans of their launches from here on. Releases the launches:
/// activity_correlation() has no answer any more.
void launches_end(struct reducer *r);

/// True if activities belong to steps by their launch, not by their start.
bool launches_prevail(const struct trust_counts *t);

/// True for the first launch with its correlation id, after launches_match().
static inline bool launch_is_first(const struct launches *l, size_t i)
{
	const struct launch *v = &l->list.v[i];
	return i == 0 || (v[-1].correlation != v->correlation &&
	                  widen(&l->wide, v[-1].correlation) != widen(&l->wide, v->correlation));
}

#endif

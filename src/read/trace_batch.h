/// Events kept for a while, in little room. Part of the trace reader alone.
#ifndef GG_READ_TRACE_BATCH_H
#define GG_READ_TRACE_BATCH_H

#include "base/vec.h"
#include "model/event.h"

/// Events one behind the other; begins zeroed, ends with vec_release(), nr = 0 empties it.
struct batch {
	char *v;
	size_t nr, cap; ///< bytes
};

/// Keep an event with its texts; its name stays where it is.
void batch_add(struct batch *b, const struct event *e);

/// The event at `*at`, at first 0, into `e`, at first EVENT_BLANK: its texts are borrowed until
/// the batch changes. False behind the last one.
bool batch_next(const struct batch *b, size_t *at, struct event *e);

#endif

/// Inside of the trace reader: how its files share one scan. No other room includes this.
///
///     trace.c        the document, what is cut or foreign
///     trace_meta.c   what a trace says of itself
///     trace_event.c  one element of traceEvents → struct event
///     trace_args.c   values and the "args" of an event
#ifndef GG_READ_TRACE_PARTS_H
#define GG_READ_TRACE_PARTS_H

#include "base/strbuf.h"
#include "io/jscan.h"
#include "model/event.h"

/// One trace being read; all borrowed.
struct trace_input {
	struct jscan *js;
	struct name_table *names;
	struct trace_meta *meta;
	uint64_t with_phase; ///< elements that have a "ph"
	unsigned foreign; ///< what the keys seen so far speak for (foreign.h)
};

/// A field of an event: what is unusable matters only where the event is
/// wanted, which is known once the whole of it has been read.
enum field_state { FIELD_ABSENT, FIELD_OK, FIELD_BAD };
struct field {
	enum field_state state;
	int64_t v;
	uint64_t byte;
};

/// Values of "args" that figures need.
struct raw_args {
	struct field device, stream, correlation, bytes, occupancy, grid[3], block[3];
	struct field device_type, device_id, allocated, reserved, size;
	struct field in_nelems, out_nelems, group_size;
	struct field python_id, python_parent;
};

/// Texts of an event, in one order so that they are emptied together.
enum raw_text {
	TEXT_NAME,
	TEXT_INPUT_DIMS, ///< this and the rest are of "args"
	TEXT_INPUT_TYPES,
	TEXT_COLLECTIVE,
	TEXT_DTYPE,
	TEXT_GROUP,
	TEXT_GROUP_ID,
	TEXT_GROUP_DESCRIPTION,
	NR_TEXTS
};

enum phase { PHASE_NONE, PHASE_COMPLETE, PHASE_OTHER };

/// One event as it is read; in JSON the last of several equal keys wins.
struct raw_event {
	enum phase phase;
	bool has_category;
	enum event_kind kind;
	struct field ts, dur, pid, tid;
	struct raw_args args;
	struct strbuf text[NR_TEXTS];
};

/// Number, or a string that holds one, × 10^digits.
void read_number(struct jscan *js, int digits, struct field *f);

/// An id: integers as themselves, other text by its name; null is IDENT_NONE.
void read_ident(struct trace_input *in, struct field *f);

/// The next value as the "args" of `ev`.
void read_args(struct trace_input *in, struct raw_event *ev);

/// The next value as an event: what is wanted of it goes to `out`, whose spans
/// are borrowed from `ev`, which later calls use anew. False where nothing is.
bool read_event(struct trace_input *in, struct raw_event *ev, struct event *out);

/// The value of a top-level key as metadata; false, with nothing consumed, where it is none.
bool read_meta(struct trace_input *in, struct span key);

#endif

/// Internal to the reader of XSpace files: fields of protobuf messages (wire.c); the names and
/// values in one plane (xplane.c). No other folder of src/ includes this. Source of the messages:
/// tsl/profiler/protobuf/xplane.proto (openxla/xla, 2026).
#ifndef GG_XSPACE_XPLANE_H
#define GG_XSPACE_XPLANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/idmap.h"
#include "base/span.h"
#include "base/vec.h"
#include "xspace/xprof_activity.h"

/// How the value of a field is encoded. The numbers are those of the wire format.
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/// A field of a message. Its bytes are borrowed from the message.
struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value; ///< bits of a number; for WIRE_BYTES the number of bytes
	struct span bytes; ///< bytes of a WIRE_BYTES field, within the message; else empty
};

/// What wire_next() found: a field, the end of the message, or bytes that are not a field.
enum wire_step { WIRE_FIELD, WIRE_END, WIRE_BAD };

/// Reads a number of up to 10 bytes off the front of `*s`; false if the number does not end within
/// `*s`.
bool wire_varint(struct span *s, uint64_t *out);

/// Reads the next field off the message `*rest`; WIRE_BAD if the message is damaged.
enum wire_step wire_next(struct span *rest, struct wire_field *out);

/// A `for` loop over the fields of the message in the span `rest`, which shrinks; `*ok` becomes
/// false if the span is not a message.
#define WIRE_EACH(rest, field, ok)                                    \
	for (enum wire_step step_; (step_ = wire_next(&(rest), &(field)), \
	                           *(ok) = *(ok) && step_ != WIRE_BAD, step_ == WIRE_FIELD);)

/// Numbers of the fields of protobuf messages.
enum {
	XSPACE_PLANE = 1,
	XSPACE_ERROR = 2,
	XSPACE_WARNING = 3,
	XPLANE_NAME = 2,
	XPLANE_LINE = 3,
	XPLANE_EVENT_METADATA = 4,
	XPLANE_STAT_METADATA = 5,
	XPLANE_STAT = 6,
	XLINE_ID = 1,
	XLINE_NAME = 2,
	XLINE_TIMESTAMP_NS = 3,
	XLINE_EVENT = 4,
	XLINE_DISPLAY_ID = 10,
	XEVENT_METADATA = 1,
	XEVENT_OFFSET_PS = 2,
	XEVENT_DURATION_PS = 3,
	XEVENT_STAT = 4,
	METADATA_STAT = 5,
};

/// Kinds of values (XStat) that are read, recognized by their names.
enum xstat {
	XSTAT_OTHER,
	XSTAT_CORRELATION,
	XSTAT_GROUP,
	XSTAT_STEP,
	XSTAT_OCCUPANCY,
	XSTAT_KERNEL,
	XSTAT_COPY,
	XSTAT_SET,
	XSTAT_RESIDENCY,
	XSTAT_OP,
	XSTAT_HLO_OP,
	XSTAT_HLO_MODULE,
	XSTAT_VENDOR,
	XSTAT_GPU_NAME,
	XSTAT_CORES,
	XSTAT_MEMORY,
	XSTAT_MAJOR,
	XSTAT_MINOR,
	NR_XSTATS
};

/// A kind of events: its name, and the bytes of its XEventMetadata message.
struct xevent_metadata {
	struct span name, body;
};

/// A kind of values (XStat): its name, and its number in enum xstat.
struct xstat_metadata {
	struct span name;
	enum xstat known;
};

/// A plane (the timeline of one device, or of the host); all spans point into its bytes.
struct xplane {
	struct span name;
	VEC(struct span) lines; ///< XLine messages
	struct idmap event_ids, stat_ids;
	VEC(struct xevent_metadata) events; ///< kinds of events, indexed by id in `event_ids`
	VEC(struct xstat_metadata) stats; ///< kinds of values, indexed by id in `stat_ids`
	VEC(struct span) own; ///< XStat messages of the plane itself, not of its events
};

/// The values of an event or a plane, indexed by enum xstat.
struct xvalues {
	bool seen[NR_XSTATS];
	int64_t number[NR_XSTATS]; ///< whole numbers, except XSTAT_OCCUPANCY, which is in 1e-6 %; -1
	                           ///< for a text that is not a number; without meaning for a text that
	                           ///< is given by reference to a name (ref_value)
	struct span text[NR_XSTATS]; ///< texts of values; empty for values that are not texts
};

/// Reads a plane; false if `bytes` is not an XPlane. The caller calls xplane_release() in any case.
bool xplane_init(struct xplane *p, struct span bytes);

/// Releases all memory of the plane, but not its bytes.
void xplane_release(struct xplane *p);

/// Adds the value in the XStat message `stat` to `v` if it is of a kind in enum xstat; false if
/// `stat` is not an XStat.
bool xplane_value(const struct xplane *p, struct span stat, struct xvalues *v);

/// Adds all values of an event or a plane to `v`: the fields with number `number` of `message`.
/// False if `message` is malformed.
bool xplane_values(const struct xplane *p, struct span message, uint32_t number, struct xvalues *v);

#endif

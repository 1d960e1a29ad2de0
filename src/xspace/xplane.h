/// Inside of the reader of XSpace files: one plane, its names and values. No other room includes
/// this.
/// Source: tsl/profiler/protobuf/xplane.proto (openxla/xla, 2026).
#ifndef GG_XSPACE_XPLANE_H
#define GG_XSPACE_XPLANE_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "xspace/wire.h"
#include "xspace/xprof_activity.h"

/// Fields of the messages.
enum {
	XSPACE_PLANE = 1,
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
	METADATA_NAME = 2, ///< of events and stats alike
	METADATA_STAT = 5,
};

/// What is known of a value by its name.
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

struct xevent_metadata {
	struct span name, body;
};

struct xstat_metadata {
	struct span name;
	enum xstat known;
};

/// A plane; all spans are within its bytes.
struct xplane {
	struct span name;
	VEC(struct span) lines;
	struct idmap event_ids, stat_ids;
	VEC(struct xevent_metadata) events; ///< by id in `event_ids`
	VEC(struct xstat_metadata) stats; ///< by id in `stat_ids`
	VEC(struct span) own; ///< values of the plane itself
};

/// Values of an event or a plane, by what is known of them.
struct xvalues {
	bool seen[NR_XSTATS];
	int64_t number[NR_XSTATS]; ///< whole; of XSTAT_OCCUPANCY in 1e-6 %
	struct span text[NR_XSTATS]; ///< of those that are text, else empty
};

/// Read names of a plane; false where `bytes` is not an XPlane.
bool xplane_init(struct xplane *p, struct span bytes);
void xplane_release(struct xplane *p);

/// Add a value (XStat); false if it is not one.
bool xplane_value(const struct xplane *p, struct span stat, struct xvalues *v);

/// Values of `stats` of them, which are fields `number` of the message; false if it is not one.
bool xplane_values(const struct xplane *p, struct span message, uint32_t number, struct xvalues *v);

#endif

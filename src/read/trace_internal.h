/// Inside of the trace reader: how its files share one scan. No other room includes this.
///
///     trace.c        the document, what is cut or foreign
///     trace_meta.c   what a trace says of itself
///     trace_event.c  one element of traceEvents → struct raw_event
///     trace_fill.c   → struct event
///     trace_args.c   values and the "args" of an event
///     trace_split.c  the elements of traceEvents by several threads
///     trace_xprof.c  events without a category, as JAX and XProf write them
#ifndef GG_READ_TRACE_INTERNAL_H
#define GG_READ_TRACE_INTERNAL_H

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"
#include "io/jscan_inline.h"
#include "read/trace.h"
#include "xspace/xprof_activity.h"

enum event_phase {
	EVENT_PHASE_NONE,
	EVENT_PHASE_COMPLETE,
	EVENT_PHASE_METADATA,
	EVENT_PHASE_FLOW_START,
	EVENT_PHASE_FLOW_END,
	EVENT_PHASE_OTHER
};

/// Beside those of enum event_kind: no category at all, and one of no interest.
enum { KIND_NONE = -1, KIND_OTHER = -2 };

/// The text with which many events begin: a phase and a category, up to a name.
enum { EVENT_LEADS = 16 };
struct event_lead {
	struct jscan_lead text; ///< up to the value of "name"
	enum event_phase phase;
	bool with_phase; ///< it counts as one that has a "ph"
	int kind; ///< enum event_kind, or KIND_…
	size_t next; ///< index of the beginning that came after it last time
	struct event_origin {
		char text[2 * 32];
		uint32_t mask[2]; ///< bit per byte of `text`
		unsigned n;
		struct seam *place; ///< of "ts"
		int64_t pid, tid;
		uint8_t pid_at, tid_at; ///< in `text`
		uint32_t misses;
	} origin; ///< text after the name: pid and tid, up to the value of "ts"
};

/// A process of XProf's.
struct xprof_process {
	enum xprof_role role;
	int64_t device; ///< number of the GPU
	bool begun; ///< events of it have come
};

/// A thread of it; of a GPU, one without a name is a stream.
struct xprof_lane {
	enum xprof_line line;
	int64_t stream; ///< number in its name, else ident of the thread
	bool begun;
};

/// What XProf's processes and threads are, by their names.
struct xprof {
	struct idmap pids, tids, lane_ids; ///< idents; a pid and a tid
	VEC(struct xprof_process) processes; ///< by id of the pid
	VEC(struct xprof_lane) lanes;
	struct idmap gpus; ///< their numbers
	VEC(uint32_t) gpu_processes; ///< the first of each
	bool gpu, tpu; ///< some process is one
	struct xprof_ops ops; ///< of the activities so far
	struct strbuf name; ///< of a kernel, put together
	uint64_t events; ///< complete events without a category of Kineto
};

/// One trace being read; all borrowed, except what xprof_release() releases.
struct trace_input {
	struct jscan *js;
	struct name_table *names;
	struct trace_meta *meta;
	struct event_sink sink;
	enum status sunk; ///< what the sink said
	struct event_lead leads[EVENT_LEADS];
	size_t nr_leads, last_lead;
	uint64_t with_phase; ///< elements that have a "ph"
	unsigned foreign; ///< evidence of the keys seen so far (recognise.h)
	struct xprof xprof;
	bool piece; ///< of a trace, whose beginning others read: `xprof` is empty
	bool portable; ///< without instructions that only some processors have
};

/// A field of an event that was there.
struct field {
	int64_t v;
	uint64_t byte; ///< where it was
};

/// Fields of an event that figures need, then texts.
enum raw_field {
	FIELD_PID,
	FIELD_TID,
	FIELD_TS,
	FIELD_DUR,
	FIELD_FLOW,
	FIELD_CORRELATION, ///< this and the rest are of "args"
	FIELD_DEVICE,
	FIELD_STREAM,
	FIELD_EXTERNAL_ID,
	FIELD_BYTES,
	FIELD_OCCUPANCY,
	FIELD_SIZE,
	FIELD_DEVICE_TYPE,
	FIELD_DEVICE_ID,
	FIELD_ALLOCATED,
	FIELD_RESERVED,
	FIELD_PYTHON_ID,
	FIELD_PYTHON_PARENT,
	FIELD_IN_NELEMS,
	FIELD_OUT_NELEMS,
	FIELD_GROUP_SIZE,
	FIELD_FLOPS,
	FIELD_SEQUENCE,
	FIELD_FORWARD_THREAD,
	FIELD_XPROF_CORRELATION,
	FIELD_GROUP_NUMBER,
	FIELD_STEP_NUM,
	FIELD_GRID, ///< three of them
	FIELD_BLOCK = FIELD_GRID + 3,
	NR_FIELDS = FIELD_BLOCK + 3,

	TEXT_NAME = 0,
	TEXT_INPUT_DIMS, ///< this and the rest are of "args"
	TEXT_INPUT_TYPES,
	TEXT_CONCRETE_INPUTS,
	TEXT_CALL_STACK,
	TEXT_COLLECTIVE,
	TEXT_DTYPE,
	TEXT_GROUP,
	TEXT_GROUP_ID,
	TEXT_GROUP_DESCRIPTION,
	TEXT_LABEL, ///< of a process or thread; of an activity its operator
	TEXT_KERNEL_DETAILS,
	TEXT_COPY_DETAILS,
	TEXT_SET_DETAILS,
	TEXT_RESIDENCY, ///< memory that was there meanwhile
	TEXT_HLO_OP,
	TEXT_HLO_MODULE,
	NR_TEXTS
};

/// One event as it is read; in JSON the last of several equal keys wins.
struct raw_event {
	enum event_phase phase;
	int kind; ///< enum event_kind, or KIND_…
	const struct name *name; ///< of one that seems wanted; NULL: it is in `text`
	uint64_t seen; ///< bit per field and text that was there and can be used, SEEN_…
	uint64_t bad; ///< of the others, those that were there: they matter where the event is wanted,
	              ///< which is known once the whole of it has been read
	struct field fields[NR_FIELDS]; ///< as they were before where they are in neither
	struct strbuf text[NR_TEXTS]; ///< empty where it was not there
};
_Static_assert(NR_FIELDS + NR_TEXTS <= 64, "a bit for each of them");
#define SEEN_FIELD(f) ((uint64_t)1 << (f))
#define SEEN_TEXT(t) ((uint64_t)1 << (NR_FIELDS + (t)))
#define SEEN_ARGS ~(SEEN_FIELD(FIELD_CORRELATION) - 1 + SEEN_TEXT(TEXT_NAME))

/// What the value of a key is read as.
enum member {
	MEMBER_PHASE = JSCAN_KEY_FIRST,
	MEMBER_CATEGORY, ///< this and what is before it may be in a lead
	MEMBER_NAME,
	MEMBER_ARGS,
	MEMBER_SKIP,
	MEMBER_IDENT,
	MEMBER_NANO,
	MEMBER_COUNT,
	MEMBER_MICRO,
	MEMBER_DIM3,
	MEMBER_INPUTS,
	MEMBER_TEXT
};

/// Keys of "args".
extern const struct jscan_keys arg_keys;

/// The next value as the field or text `where`; of these members the last seven.
void read_member(struct trace_input *in, struct raw_event *ev, enum member m, unsigned where);

/// Forget what `seen` has of these.
void forget_seen(struct raw_event *ev, uint64_t those);

/// Elements of the array of events, of which there may be one only, until there are `limit` of
/// them in all or the piece ends: what is wanted goes to the sink. False at the end of the array
/// and after an error, of the sink too.
bool read_elements(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// The same for any processor.
bool read_elements_any(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// The same for those with AVX2.
bool read_elements_avx2(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// An event without any members.
#define EVENT_BLANK                  \
	((struct event){ .sequence = -1, \
	                 .collective = { .in_nelems = -1, .out_nelems = -1, .group_size = -1 } })

/// The elements behind the one that has been read, by several threads, as far as these get: what
/// is left is for read_elements().
void split_events(struct trace_input *in, struct source *src, const struct trace_options *options);

/// The value of a field, `absent` where there is none that can be used.
static inline int64_t field_or(const struct raw_event *ev, enum raw_field f, int64_t absent)
{
	return (ev->seen & SEEN_FIELD(f)) ? ev->fields[f].v : absent;
}

/// Fill the members of `e` that all complete events have; its kind is set. False if it is unusable.
bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// An event of Kineto's, of any kind but memory, into `e`; false where it cannot be used.
bool fill_kineto(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// The same of one end of a flow.
bool fill_flow(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// The same of a [memory] event.
bool fill_memory(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// Ready for use.
void xprof_init(struct xprof *x);

/// Take a metadata event, which may name a process or thread of XProf's.
void xprof_label(struct trace_input *in, const struct raw_event *raw);

/// A complete event without a category of Kineto's; false where nothing is wanted of it.
bool xprof_event(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// True if XProf dropped events: it keeps the earliest up to a limit.
bool xprof_capped(const struct xprof *x);

/// Give the memory back.
void xprof_release(struct xprof *x);

/// The value of a top-level key as metadata; false, with nothing consumed, if it is not one.
bool read_meta(struct trace_input *in, struct span key);

#endif

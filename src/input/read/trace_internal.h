/// Internal to the trace reader. No other folder of src/ includes this.
///
///     trace.c        the document; traces that are cut short or foreign
///     trace_meta.c   what a trace states about itself
///     trace_event.c  one element of traceEvents → struct raw_event
///     trace_fill.c   struct raw_event → struct event
///     trace_args.c   values and the "args" of an event
///     trace_xprof.c  events without a category, as JAX and XProf write them
#ifndef GG_READ_TRACE_INTERNAL_H
#define GG_READ_TRACE_INTERNAL_H

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"
#include "io/jscan_inline.h"
#include "read/trace.h"
#include "xspace/xprof_activity.h"

/// The kind of record that the key "ph" gives; EVENT_PHASE_NONE if it is not given.
enum event_phase {
	EVENT_PHASE_NONE,
	EVENT_PHASE_COMPLETE,
	EVENT_PHASE_METADATA,
	EVENT_PHASE_FLOW_START,
	EVENT_PHASE_FLOW_END,
	EVENT_PHASE_OTHER
};

/// Kinds of events besides enum event_kind: without a category, or of a category that is not read.
enum { KIND_NONE = -1, KIND_OTHER = -2 };

/// Largest number of remembered beginnings of events, and of remembered members after each (struct
/// event_step). A beginning is the text with phase and category, up to the value of "name".
enum { EVENT_LEADS = 16, EVENT_STEPS = 10 };

/// A remembered member of an event, whose value is a number or is skipped; or the event's end.
/// `text` reaches from the end of the previous step's value to this value, and may enter or leave
/// "args". The first step's text includes process and thread.
struct event_step {
	char text[2 * 32];
	uint32_t mask[2]; ///< bit i % 32 of mask[i / 32] is set if byte i of `text` is compared
	uint8_t n, what, where; ///< length of `text`; how the value is read (enum member), or
	                        ///< JSCAN_KEY_END at the event's end; the field that gets the value
	                        ///< (enum raw_field)
	uint64_t before; ///< bits SEEN_… of the fields that have been read before this one
	struct seam *place; ///< the seam (text that the scanner remembers, jscan_internal.h) that leads
	                    ///< to the value
	struct seam *outer; ///< if the value is in "args": the seam that leads to "args"; else NULL
};

/// A remembered beginning of events, and what is expected of an event with this beginning.
struct event_lead {
	struct jscan_lead text; ///< text of the event up to the value of "name"
	enum event_phase phase;
	bool with_phase; ///< true if the text contains the key "ph"
	int kind; ///< kind of the event: enum event_kind, KIND_NONE or KIND_OTHER
	struct event_lead *next; ///< beginning of the event that last followed an event with this
	                         ///< beginning, and so is tried first; NULL if unknown
	/// The members that last came after the name, up to the first that cannot be a step.
	struct event_step steps[EVENT_STEPS + 1];
	int64_t pid, tid; ///< process and thread in the first step
	uint32_t misses; ///< number of events with this beginning that had other members than `steps`
};

/// A process in a trace of XProf.
struct xprof_process {
	enum xprof_role role;
	int64_t device; ///< number of the GPU that the process represents
	bool begun; ///< true once an event of the process has been read
};

/// A thread of a process of XProf. A thread that has no name is a stream if the process is a GPU.
struct xprof_lane {
	enum xprof_line line;
	int64_t stream; ///< number of the stream: from the thread's name, else the thread's tid
	bool begun; ///< true once an event of the thread has been read
};

/// Processes and threads of XProf, recognized by their names.
struct xprof {
	/// Ids for the pids of processes, for the tids of threads, and for pairs of an id of a pid and
	/// an id of a tid.
	struct idmap pids, tids, lane_ids;
	VEC(struct xprof_process) processes; ///< processes, indexed by id of the pid
	VEC(struct xprof_lane) lanes; ///< threads, indexed by id in `lane_ids`
	struct idmap gpus; ///< numbers of the GPUs, each once
	VEC(uint32_t) gpu_processes; ///< first process of each GPU, indexed by id in `gpus`
	bool gpu, tpu; ///< true if some process is a GPU, or a TPU
	struct xprof_ops ops; ///< operators of the activities that have been read
	struct strbuf name; ///< buffer in which the name of a kernel is composed
	uint64_t events; ///< number of complete events that have no category of Kineto
};

/// State of reading one trace; everything is borrowed, except what xprof_release() releases.
struct trace_input {
	struct jscan *js;
	struct name_table *names;
	struct trace_meta *meta;
	struct event_sink sink;
	enum status sunk; ///< status that the sink of events returned
	struct event_lead leads[EVENT_LEADS];
	size_t nr_leads;
	struct event_lead
	    *lead; ///< remembered beginning of the last event that had one; NULL if there was none
	uint64_t with_phase; ///< number of elements that have a "ph", as events do
	unsigned foreign; ///< evidence for another kind of file, as bits, from the keys so far
	                  ///< (recognize.h)
	struct xprof xprof;
	bool portable; ///< true to use no instructions that only some processors have
};

/// The values of an event that are kept: FIELD_… are numbers, TEXT_… are texts.
enum raw_field {
	FIELD_PID,
	FIELD_TID,
	FIELD_TS,
	FIELD_DUR,
	FIELD_FLOW,
	FIELD_CORRELATION, ///< first of the fields that are in "args"
	FIELD_DEVICE,
	FIELD_STREAM,
	FIELD_EXTERNAL_ID,
	FIELD_GRAPH_NODE,
	FIELD_BYTES,
	FIELD_OCCUPANCY,
	FIELD_REGISTERS,
	FIELD_SHARED_MEMORY,
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
	FIELD_GRID, ///< first of three fields, one for each dimension of the grid
	FIELD_BLOCK = FIELD_GRID + 3,
	NR_FIELDS = FIELD_BLOCK + 3,

	TEXT_NAME = 0,
	TEXT_INPUT_DIMS, ///< first of the texts that are in "args"
	TEXT_INPUT_TYPES,
	TEXT_INPUT_STRIDES,
	TEXT_CONCRETE_INPUTS,
	TEXT_CALL_STACK,
	TEXT_COLLECTIVE,
	TEXT_DTYPE,
	TEXT_KERNEL,
	TEXT_GROUP,
	TEXT_GROUP_ID,
	TEXT_GROUP_DESCRIPTION,
	TEXT_LABEL, ///< name of a process or thread in metadata; operator of an activity
	TEXT_KERNEL_DETAILS,
	TEXT_COPY_DETAILS,
	TEXT_SET_DETAILS,
	TEXT_RESIDENCY, ///< XLA's details of memory allocated, freed or resident
	TEXT_HLO_OP,
	TEXT_HLO_MODULE,
	NR_TEXTS
};

/// One event as it is read. If a JSON object has several equal keys, the last is used.
struct raw_event {
	enum event_phase phase;
	int kind; ///< kind of the event: enum event_kind, KIND_NONE or KIND_OTHER

	/// Name; NULL if the event did not seem to be wanted when the name was read, and the name is
	/// only in text[TEXT_NAME].
	const struct name *name;
	uint64_t seen; ///< set of fields and texts that were read and are usable, as bits SEEN_…
	uint64_t bad; ///< set of fields that were read but are unusable, as bits; they are an error
	              ///< only if the event is wanted, which is known at the event's end

	/// Values of the fields in `seen`, and for those in `bad` the offset of the value in the input.
	/// The last element receives numbers that are skipped.
	int64_t fields[NR_FIELDS + 1];
	struct strbuf text[NR_TEXTS]; ///< texts of the event; empty if absent
};
_Static_assert(NR_FIELDS + NR_TEXTS <= 64, "a bit for each of them");
#define SEEN_FIELD(f) ((uint64_t)1 << (f))
#define SEEN_TEXT(t) ((uint64_t)1 << (NR_FIELDS + (t)))
#define SEEN_ARGS ~(SEEN_FIELD(FIELD_CORRELATION) - 1 + SEEN_TEXT(TEXT_NAME))

/// The ways in which the values of keys are read.
enum member {
	MEMBER_PHASE = JSCAN_KEY_FIRST,
	MEMBER_CATEGORY, ///< last of the members that may be in the remembered beginning of an event
	MEMBER_NAME,
	MEMBER_ARGS,
	MEMBER_SKIP,
	MEMBER_IDENT, ///< id: an integer, or a text
	MEMBER_NANO, ///< number, times 10^3: microseconds become nanoseconds
	MEMBER_COUNT, ///< number, rounded to an integer
	MEMBER_MICRO, ///< number, times 10^6
	MEMBER_DIM3, ///< list of three integers
	MEMBER_INPUTS, ///< list of shapes or types, as one text
	MEMBER_TEXT,
	MEMBER_KERNEL ///< name of the kernel that a call launches; skipped until a CUDA graph is
	              ///< captured, for which it is needed
};

/// Keys of "args".
extern const struct jscan_keys arg_keys;

/// Reads the next value into the field or text `where`; `m` must be MEMBER_IDENT or one of the
/// members after it.
void read_member(struct trace_input *in, struct raw_event *ev, enum member m, unsigned where);

/// Removes the fields and texts `those` (bits SEEN_…) from the sets `seen` and `bad`.
static inline void forget_seen(struct raw_event *ev, uint64_t those)
{
	for (uint64_t texts = (ev->seen & those) >> NR_FIELDS; texts; texts &= texts - 1)
		strbuf_setlen(&ev->text[__builtin_ctzll(texts)], 0);
	ev->seen &= ~those;
	ev->bad &= ~those;
}

/// Reads elements of the array of events until `limit` elements have been read. Passes events that
/// are wanted to the sink. False at the end of the array and after an error, also of the sink.
bool read_elements(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// Like read_elements(), with instructions that any processor has.
bool read_elements_any(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// Like read_elements(), for processors with AVX2.
bool read_elements_avx2(struct trace_input *in, struct raw_event *ev, uint64_t limit);

/// The value of a field, or `absent` if it has no usable value.
static inline int64_t field_or(const struct raw_event *ev, enum raw_field f, int64_t absent)
{
	return (ev->seen & SEEN_FIELD(f)) ? ev->fields[f] : absent;
}

/// Fills in those members of `e` that all complete events have; the kind of `e` must be set. False
/// if the event is unusable.
bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// A fast fill_kineto() for Python frames, which are most events of a trace with stacks. False if
/// the event is not a frame, or if a member that frames have is missing or unusable: the caller
/// then calls fill_kineto().
bool fill_frame(const struct raw_event *raw, struct event *e);

/// Converts an event of Kineto of any kind except memory; false if the event is unusable.
bool fill_kineto(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// Like fill_kineto(), for a flow event: the start or the end of an arrow.
bool fill_flow(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// Like fill_kineto(), for an event of memory.
bool fill_memory(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// Initializes an empty struct xprof.
void xprof_init(struct xprof *x);

/// Takes a metadata event, which may name a process or thread of XProf.
void xprof_label(struct trace_input *in, const struct raw_event *raw);

/// Converts a complete event without a category of Kineto; false if the event is not wanted.
bool xprof_event(struct trace_input *in, const struct raw_event *raw, struct event *e);

/// True if the number of events is one of XProf's limits: XProf has then dropped later events.
bool xprof_capped(const struct xprof *x);

/// Releases all memory of `x`.
void xprof_release(struct xprof *x);

/// Reads the value of a top-level key as metadata; false, with nothing consumed, if `key` is not a
/// key of metadata.
bool read_meta(struct trace_input *in, struct span key);

#endif

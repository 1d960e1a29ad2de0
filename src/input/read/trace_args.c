/* Reads the values of an event, and its "args". */
#include <string.h>

#include "base/number.h"
#include "read/trace_internal.h"
#include "read/values.h"

/* Largest length in bytes of the text of an operator's shapes or types; longer texts are cut. */
enum { INPUT_BYTES = 256 };

enum field_state { FIELD_ABSENT, FIELD_OK, FIELD_BAD };

static void set_state(struct raw_event *ev, unsigned where, enum field_state state)
{
	ev->seen &= ~SEEN_FIELD(where);
	ev->bad &= ~SEEN_FIELD(where);
	ev->seen |= state == FIELD_OK ? SEEN_FIELD(where) : 0;
	ev->bad |= state == FIELD_BAD ? SEEN_FIELD(where) : 0;
}

/* Reads a number, or a string that holds a number. `*v` becomes the number × 10^digits, or for
 * FIELD_BAD the offset of the value in the input. */
static enum field_state read_number(struct jscan *js, int digits, int64_t *v)
{
	int64_t byte = (int64_t)jscan_value_byte(js);
	struct span text;
	enum jscan_type type;
	if (jscan_decimal(js, (unsigned)digits, v))
		return FIELD_OK;
	if (jscan_number(js, &text) || jscan_string(js, &text)) {
		if (number_parse(text, digits, v))
			return FIELD_OK;
	} else if (!jscan_literal(js, &type)) {
		jscan_skip(js);
	} else if (type == JSCAN_NULL) {
		return FIELD_ABSENT;
	}
	*v = byte;
	return FIELD_BAD;
}

/* Reads an id: an integer as itself, other text as -2 - (id of its name), null as IDENT_NONE. */
static enum field_state read_ident(struct trace_input *in, int64_t *v)
{
	struct jscan *js = in->js;
	int64_t byte = (int64_t)jscan_value_byte(js);
	struct span text;
	enum jscan_type type;
	uint64_t u;
	if (jscan_natural(js, v))
		return FIELD_OK;
	*v = IDENT_NONE;
	if (jscan_literal(js, &type)) {
		static const char *const words[] = {
			[JSCAN_TRUE] = "True", [JSCAN_FALSE] = "False", [JSCAN_NAN] = "nan"
		};
		if (type == JSCAN_NULL)
			return FIELD_OK;
		text = span_of(words[type]);
	} else if (!jscan_number(js, &text) && !jscan_string(js, &text)) {
		jscan_skip(js);
		*v = byte;
		return FIELD_BAD;
	}
	bool canonical = text.n == 1 || (text.n > 1 && text.p[0] != '0');
	if (canonical && number_parse_u64(text, &u) && u <= INT64_MAX) {
		*v = (int64_t)u;
		return FIELD_OK;
	}
	const struct name *nm = name_intern(in->names, text);
	if (nm)
		*v = -2 - (int64_t)nm->id;
	else
		jscan_fail(js, (uint64_t)byte, "too many different ids and names");
	return FIELD_OK;
}

static void read_dim3(struct jscan *js, struct raw_event *ev, unsigned where)
{
	int64_t plain[3] = { 0 };
	bool all = jscan_naturals_at(&js->at, 3, plain);
	int64_t ignored, *f = &ev->fields[where];
	for (unsigned i = 0; i < 3; i++) {
		f[i] = plain[i];
		set_state(ev, where + i, all ? FIELD_OK : FIELD_ABSENT);
	}
	if (all || !enter_array(js))
		return;
	for (unsigned i = 0; jscan_element(js); i++) {
		enum field_state state = read_number(js, 0, i < 3 ? &f[i] : &ignored);
		if (i < 3)
			set_state(ev, where + i, state);
	}
}

/* Appends `s` to the buffer `b`, up to INPUT_BYTES + 1 bytes in all; the rest is dropped. The last
 * byte shows read_inputs() that the text is too long. */
static void add_input(struct strbuf *b, struct span s)
{
	size_t room = b->n <= INPUT_BYTES ? INPUT_BYTES + 1 - b->n : 0;
	strbuf_add(b, (struct span){ s.p, s.n < room ? s.n : room });
}

/* Reads a list of shapes or types as one line: inner lists keep their brackets, and a value without
 * a text becomes "-". */
static void read_inputs(struct jscan *js, struct strbuf *b)
{
	struct span text;
	bool first = true;
	strbuf_setlen(b, 0);
	if (!enter_array(js))
		return;
	for (unsigned depth = 1; depth > 0;) {
		if (!jscan_element(js)) {
			if (--depth)
				add_input(b, SPAN("]"));
			first = false;
			continue;
		}
		add_input(b, first ? SPAN("") : SPAN(", "));
		first = jscan_array(js);
		if (first) {
			add_input(b, SPAN("["));
			depth++;
		} else if (jscan_string(js, &text) || jscan_number(js, &text)) {
			add_input(b, text.n ? text : SPAN("-"));
		} else {
			add_input(b, SPAN("-"));
			jscan_skip(js);
		}
	}
	if (b->n <= INPUT_BYTES)
		return;
	size_t end = INPUT_BYTES - SPAN("…").n;
	while (end && ((unsigned char)b->p[end] & 0xC0) == 0x80)
		end--;
	strbuf_setlen(b, end);
	strbuf_adds(b, "…");
}

static void read_text(struct jscan *js, struct strbuf *b)
{
	struct span text;
	strbuf_setlen(b, 0);
	if (jscan_string(js, &text) || jscan_number(js, &text))
		strbuf_add(b, text);
	else
		jscan_skip(js);
}

#define FIELD(key_, type_, field)                             \
	{                                                         \
		{ (key_), sizeof(key_) - 1 }, MEMBER_##type_, (field) \
	}

/* Keys of "args". Source: output_json.cpp, handleActivity of CUPTI and roctracer records
   (pytorch/kineto), profiler_kineto.cpp ([memory] events and shapes, pytorch/pytorch; "Input dims"
   in 2021), ParamCommsUtils.hpp (collectives; "Process Group ID" in torch 2.1),
   get_profiler_kwargs() of torch/_inductor/runtime/triton_heuristics.py ("kernel_flop", 2025). */
static const struct jscan_key args[] = {
	FIELD("correlation", IDENT, FIELD_CORRELATION),
	FIELD("device", IDENT, FIELD_DEVICE),
	FIELD("stream", IDENT, FIELD_STREAM),
	FIELD("External id", IDENT, FIELD_EXTERNAL_ID),
	FIELD("graph node id", COUNT, FIELD_GRAPH_NODE),
	FIELD("bytes", COUNT, FIELD_BYTES),
	FIELD("grid", DIM3, FIELD_GRID),
	FIELD("block", DIM3, FIELD_BLOCK),
	FIELD("registers per thread", COUNT, FIELD_REGISTERS),
	FIELD("shared memory", COUNT, FIELD_SHARED_MEMORY),
	FIELD("kernel", KERNEL, TEXT_KERNEL),
	FIELD("est. achieved occupancy %", MICRO, FIELD_OCCUPANCY),
	FIELD("Bytes", COUNT, FIELD_SIZE),
	FIELD("Device Type", COUNT, FIELD_DEVICE_TYPE),
	FIELD("Device Id", COUNT, FIELD_DEVICE_ID),
	FIELD("Total Allocated", COUNT, FIELD_ALLOCATED),
	FIELD("Total Reserved", COUNT, FIELD_RESERVED),
	FIELD("Python id", COUNT, FIELD_PYTHON_ID),
	FIELD("Python parent id", COUNT, FIELD_PYTHON_PARENT),
	FIELD("In msg nelems", COUNT, FIELD_IN_NELEMS),
	FIELD("Out msg nelems", COUNT, FIELD_OUT_NELEMS),
	FIELD("Group size", COUNT, FIELD_GROUP_SIZE),
	FIELD("Input Dims", INPUTS, TEXT_INPUT_DIMS),
	FIELD("Input dims", INPUTS, TEXT_INPUT_DIMS),
	FIELD("Input type", INPUTS, TEXT_INPUT_TYPES),
	FIELD("Input Strides", INPUTS, TEXT_INPUT_STRIDES),
	FIELD("Concrete Inputs", INPUTS, TEXT_CONCRETE_INPUTS),
	FIELD("kernel_flop", COUNT, FIELD_FLOPS),
	FIELD("Sequence number", COUNT, FIELD_SEQUENCE),
	FIELD("Fwd thread id", COUNT, FIELD_FORWARD_THREAD),
	FIELD("Call stack", TEXT, TEXT_CALL_STACK),
	FIELD("Collective name", TEXT, TEXT_COLLECTIVE),
	FIELD("dtype", TEXT, TEXT_DTYPE),
	FIELD("Process Group Name", TEXT, TEXT_GROUP),
	FIELD("Process Group ID", TEXT, TEXT_GROUP_ID),
	FIELD("Process Group Description", TEXT, TEXT_GROUP_DESCRIPTION),
	/* keys of XProf, which trace_xprof.c reads */
	FIELD("name", TEXT, TEXT_LABEL),
	FIELD("kernel_details", TEXT, TEXT_KERNEL_DETAILS),
	FIELD("memcpy_details", TEXT, TEXT_COPY_DETAILS),
	FIELD("Memset_details", TEXT, TEXT_SET_DETAILS),
	FIELD("MemoryResidency_details", TEXT, TEXT_RESIDENCY),
	FIELD("memalloc_details", TEXT, TEXT_RESIDENCY),
	FIELD("MemFree_details", TEXT, TEXT_RESIDENCY),
	FIELD("hlo_op", TEXT, TEXT_HLO_OP),
	FIELD("hlo_module", TEXT, TEXT_HLO_MODULE),
	FIELD("correlation_id", IDENT, FIELD_XPROF_CORRELATION),
	FIELD("group_id", COUNT, FIELD_GROUP_NUMBER),
	FIELD("step_num", COUNT, FIELD_STEP_NUM),
	FIELD("theoretical_occupancy_pct", MICRO, FIELD_OCCUPANCY),
	{ { NULL, 0 }, MEMBER_SKIP, 0 },
};
const struct jscan_keys arg_keys = { args, NR_OF(args) - 1 };

void read_member(struct trace_input *in, struct raw_event *ev, enum member m, unsigned where)
{
	if (m == MEMBER_KERNEL && !(in->sink.captures && *in->sink.captures)) {
		jscan_skip(in->js);
	} else if (m == MEMBER_DIM3) {
		read_dim3(in->js, ev, where);
	} else if (m == MEMBER_INPUTS || m == MEMBER_TEXT || m == MEMBER_KERNEL) {
		(m == MEMBER_INPUTS ? read_inputs : read_text)(in->js, &ev->text[where]);
		ev->seen |= SEEN_TEXT(where);
	} else {
		int64_t *f = &ev->fields[where];
		int digits = m == MEMBER_NANO ? 3 : m == MEMBER_MICRO ? 6 : 0;
		set_state(ev, where,
		          m == MEMBER_IDENT ? read_ident(in, f) : read_number(in->js, digits, f));
	}
}

/* Values of an event, and its "args". */
#include <string.h>

#include "base/number.h"
#include "read/trace_parts.h"

/* Longest text of the shapes or types of an operator; longer ones are cut. */
enum { INPUT_BYTES = 256 };

void read_number(struct jscan *js, int digits, struct field *f)
{
	struct span text;
	enum jscan_type type;
	f->byte = jscan_value_byte(js);
	f->state = FIELD_OK;
	if (jscan_decimal(js, (unsigned)digits, &f->v))
		return;
	f->state = FIELD_BAD;
	if (jscan_number(js, &text) || jscan_string(js, &text)) {
		if (number_parse(text, digits, &f->v))
			f->state = FIELD_OK;
	} else if (!jscan_literal(js, &type)) {
		jscan_skip(js);
	} else if (type == JSCAN_NULL) {
		f->state = FIELD_ABSENT;
	}
}

void read_ident(struct trace_input *in, struct field *f)
{
	struct jscan *js = in->js;
	struct span text;
	enum jscan_type type;
	uint64_t u;
	f->byte = jscan_value_byte(js);
	f->state = FIELD_OK;
	if (jscan_natural(js, &f->v))
		return;
	f->v = IDENT_NONE;
	if (jscan_literal(js, &type)) {
		static const char *const words[] = {
			[JSCAN_TRUE] = "True", [JSCAN_FALSE] = "False", [JSCAN_NAN] = "nan"
		};
		if (type == JSCAN_NULL)
			return;
		text = span_of(words[type]);
	} else if (!jscan_number(js, &text) && !jscan_string(js, &text)) {
		f->state = FIELD_BAD;
		jscan_skip(js);
		return;
	}
	bool canonical = text.n == 1 || (text.n > 1 && text.p[0] != '0');
	if (canonical && number_parse_u64(text, &u) && u <= INT64_MAX) {
		f->v = (int64_t)u;
		return;
	}
	const struct name *nm = name_intern(in->names, text);
	if (nm)
		f->v = -2 - (int64_t)nm->id;
	else
		jscan_fail(js, f->byte, "too many different ids and names");
}

static void read_dim3(struct jscan *js, struct field f[3])
{
	for (int i = 0; i < 3; i++)
		f[i] = (struct field){ 0 };
	if (!jscan_array(js)) {
		jscan_skip(js);
		return;
	}
	struct field ignored;
	for (size_t i = 0; jscan_element(js); i++)
		read_number_inline(js, 0, i < 3 ? &f[i] : &ignored);
}

/* Text of `b` with `s` behind it; what is beyond its limit only shows that it
   must be cut. */
static void add_input(struct strbuf *b, struct span s)
{
	size_t room = b->n <= INPUT_BYTES ? INPUT_BYTES + 1 - b->n : 0;
	strbuf_add(b, (struct span){ s.p, s.n < room ? s.n : room });
}

/* A list of shapes or types as one line: lists in it keep their brackets, what
   has no text is "-". */
static void read_inputs(struct jscan *js, struct strbuf *b)
{
	struct span text;
	bool first = true;
	strbuf_setlen(b, 0);
	if (!jscan_array(js)) {
		jscan_skip(js);
		return;
	}
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

enum arg_type { ARG_IDENT, ARG_COUNT, ARG_MICRO, ARG_DIM3, ARG_INPUTS, ARG_TEXT };

#define ARG(key_, type_, member)                                               \
	{                                                                          \
		{ (key_), sizeof(key_) - 1 }, type_, offsetof(struct raw_args, member) \
	}
#define ARG_OF_TEXT(key_, type_, text)              \
	{                                               \
		{ (key_), sizeof(key_) - 1 }, type_, (text) \
	}

/* Source: output_json.cpp, handleActivity of CUPTI and roctracer records (pytorch/kineto),
   profiler_kineto.cpp ([memory] events and shapes, pytorch/pytorch; "Input dims" in 2021),
   ParamCommsUtils.hpp (collectives; "Process Group ID" in torch 2.1), get_profiler_kwargs() of
   torch/_inductor/runtime/triton_heuristics.py ("kernel_flop", 2025). */
static const struct arg {
	struct span key;
	enum arg_type type;
	size_t at; ///< offset in struct raw_args, or index of a text
} args[] = {
	/* at most 64 */
	ARG("correlation", ARG_IDENT, correlation),
	ARG("device", ARG_IDENT, device),
	ARG("stream", ARG_IDENT, stream),
	ARG("bytes", ARG_COUNT, bytes),
	ARG("grid", ARG_DIM3, grid),
	ARG("block", ARG_DIM3, block),
	ARG("est. achieved occupancy %", ARG_MICRO, occupancy),
	ARG("Bytes", ARG_COUNT, size),
	ARG("Device Type", ARG_COUNT, device_type),
	ARG("Device Id", ARG_COUNT, device_id),
	ARG("Total Allocated", ARG_COUNT, allocated),
	ARG("Total Reserved", ARG_COUNT, reserved),
	ARG("Python id", ARG_COUNT, python_id),
	ARG("Python parent id", ARG_COUNT, python_parent),
	ARG("In msg nelems", ARG_COUNT, in_nelems),
	ARG("Out msg nelems", ARG_COUNT, out_nelems),
	ARG("Group size", ARG_COUNT, group_size),
	ARG_OF_TEXT("Input Dims", ARG_INPUTS, TEXT_INPUT_DIMS),
	ARG_OF_TEXT("Input dims", ARG_INPUTS, TEXT_INPUT_DIMS),
	ARG_OF_TEXT("Input type", ARG_INPUTS, TEXT_INPUT_TYPES),
	ARG_OF_TEXT("Concrete Inputs", ARG_INPUTS, TEXT_CONCRETE_INPUTS),
	ARG("kernel_flop", ARG_COUNT, flops),
	ARG_OF_TEXT("Collective name", ARG_TEXT, TEXT_COLLECTIVE),
	ARG_OF_TEXT("dtype", ARG_TEXT, TEXT_DTYPE),
	ARG_OF_TEXT("Process Group Name", ARG_TEXT, TEXT_GROUP),
	ARG_OF_TEXT("Process Group ID", ARG_TEXT, TEXT_GROUP_ID),
	ARG_OF_TEXT("Process Group Description", ARG_TEXT, TEXT_GROUP_DESCRIPTION),
	/* XProf's, in trace_xprof.c */
	ARG_OF_TEXT("name", ARG_TEXT, TEXT_LABEL),
	ARG_OF_TEXT("kernel_details", ARG_TEXT, TEXT_KERNEL_DETAILS),
	ARG_OF_TEXT("memcpy_details", ARG_TEXT, TEXT_COPY_DETAILS),
	ARG_OF_TEXT("Memset_details", ARG_TEXT, TEXT_SET_DETAILS),
	ARG_OF_TEXT("MemoryResidency_details", ARG_TEXT, TEXT_RESIDENCY),
	ARG_OF_TEXT("memalloc_details", ARG_TEXT, TEXT_RESIDENCY),
	ARG_OF_TEXT("MemFree_details", ARG_TEXT, TEXT_RESIDENCY),
	ARG("correlation_id", ARG_IDENT, xprof_correlation),
	ARG("group_id", ARG_COUNT, group_id),
	ARG("step_num", ARG_COUNT, step_num),
	ARG("theoretical_occupancy_pct", ARG_MICRO, occupancy),
};

static struct field *arg_field(struct raw_event *ev, const struct arg *a)
{
	return (struct field *)(void *)((char *)&ev->args + a->at);
}

void forget_args(struct raw_event *ev)
{
	for (uint64_t seen = ev->args_seen; seen; seen &= seen - 1) {
		const struct arg *a = &args[__builtin_ctzll(seen)];
		if (a->type == ARG_INPUTS || a->type == ARG_TEXT)
			strbuf_setlen(&ev->text[a->at], 0);
		else
			for (int i = 0; i < (a->type == ARG_DIM3 ? 3 : 1); i++)
				arg_field(ev, a)[i].state = FIELD_ABSENT;
	}
	ev->args_seen = 0;
}

static void read_arg(struct trace_input *in, struct raw_event *ev, const struct arg *a)
{
	struct field *f = arg_field(ev, a);
	switch (a->type) {
	case ARG_IDENT:
		read_ident_inline(in, f);
		return;
	case ARG_COUNT:
		read_number_inline(in->js, 0, f);
		return;
	case ARG_MICRO:
		read_number_inline(in->js, 6, f);
		return;
	case ARG_DIM3:
		read_dim3(in->js, f);
		return;
	case ARG_INPUTS:
		read_inputs(in->js, &ev->text[a->at]);
		return;
	case ARG_TEXT:
		read_text(in->js, &ev->text[a->at]);
		return;
	}
}

void read_args(struct trace_input *in, struct raw_event *ev)
{
	static const struct jscan_keys keys = { args, sizeof args / sizeof *args, sizeof *args };
	struct span key;
	unsigned i;
	forget_args(ev);
	if (!jscan_object(in->js)) {
		jscan_skip(in->js);
		return;
	}
	while (jscan_key_of_inline(in->js, &keys, &i, &key)) {
		if (i == keys.nr) {
			jscan_skip_inline(in->js);
			continue;
		}
		ev->args_seen |= (uint64_t)1 << i;
		read_arg(in, ev, &args[i]);
	}
}

#include "model/collective.h"

#include <string.h>

#include "base/number.h"

/* Kinds of collectives by substrings of names; the first match counts. Names are compared in lower
 * case, letters and digits only. Source: ProcessGroupNCCL.cpp (RECORD_PARAM_COMMS, profilingTitle),
 * NCCL's and RCCL's generate.py, custom_all_reduce.cuh (vLLM), deep_ep csrc/kernels. */
static const struct {
	const char *needle;
	enum collective_kind kind;
} names[] = {
	{ "barrier", COLLECTIVE_BARRIER },
	{ "reducescatter", COLLECTIVE_REDUCE_SCATTER },
	{ "allreduce", COLLECTIVE_ALL_REDUCE },
	{ "crossdevicereduce", COLLECTIVE_ALL_REDUCE },
	{ "allgather", COLLECTIVE_ALL_GATHER },
	{ "alltoall", COLLECTIVE_ALL_TO_ALL },
	/* a kernel of deep_ep that computes the layout without communication */
	{ "dispatchlayout", COLLECTIVE_OTHER },
	{ "notify", COLLECTIVE_OTHER }, /* a kernel of deep_ep that exchanges counts before the data */
	{ "dispatch", COLLECTIVE_ALL_TO_ALL },
	{ "combine", COLLECTIVE_ALL_TO_ALL },
	{ "sendrecv", COLLECTIVE_SEND_RECV },
	{ "broadcast", COLLECTIVE_BROADCAST },
	{ "gather", COLLECTIVE_GATHER },
	{ "scatter", COLLECTIVE_SCATTER },
	{ "send", COLLECTIVE_SEND },
	{ "recv", COLLECTIVE_RECV },
	{ "reduce", COLLECTIVE_REDUCE },
};

/* Number of letters and digits at the beginning of a name that are searched for its kind. */
enum { NAME_BYTES = 128 };

enum collective_kind collective_kind_of(struct span name)
{
	char plain[NAME_BYTES + 1];
	size_t n = 0;
	for (size_t i = 0; i < name.n && n < NAME_BYTES; i++) {
		char c = name.p[i];
		if (c == '(' || c == '<')
			break;
		if (c >= 'A' && c <= 'Z')
			plain[n++] = (char)(c + 32);
		else if ((c >= 'a' && c <= 'z') || is_digit(c))
			plain[n++] = c;
	}
	plain[n] = '\0';
	for (size_t i = 0; i < NR_OF(names); i++)
		if (strstr(plain, names[i].needle))
			return names[i].kind;
	return COLLECTIVE_OTHER;
}

/* Element types: name in c10, size in bytes, and C++ names in "Input type". Source:
 * c10/core/ScalarType.h, caffe2::TypeMeta::name(). */
static const struct dtype {
	const char *name;
	int64_t bytes;
	const char *alias[2];
} dtypes[] = {
	{ "Float", 4, { "float" } },
	{ "BFloat16", 2, { "c10::BFloat16" } },
	{ "Half", 2, { "c10::Half" } },
	{ "Long", 8, { "long int", "long" } },
	{ "Int", 4, { "int" } },
	{ "Byte", 1, { "unsigned char" } },
	{ "Char", 1, { "signed char" } },
	{ "Bool", 1, { "bool" } },
	{ "Double", 8, { "double" } },
	{ "Short", 2, { "short int", "short" } },
	{ "Float8_e4m3fn", 1, { "c10::Float8_e4m3fn" } },
	{ "Float8_e5m2", 1, { "c10::Float8_e5m2" } },
	{ "Float8_e4m3fnuz", 1, { "c10::Float8_e4m3fnuz" } },
	{ "Float8_e5m2fnuz", 1, { "c10::Float8_e5m2fnuz" } },
	{ "UInt16", 2, { "unsigned short", "short unsigned int" } },
	{ "UInt32", 4, { "unsigned int" } },
	{ "UInt64", 8, { "unsigned long", "long unsigned int" } },
	{ "ComplexFloat", 8, { "c10::complex<float>" } },
	{ "ComplexDouble", 16, { "c10::complex<double>" } },
};

static const struct dtype *dtype_find(struct span name)
{
	for (size_t i = 0; i < NR_OF(dtypes); i++) {
		const struct dtype *t = &dtypes[i];
		if (span_eq(name, span_of(t->name)))
			return t;
		for (size_t k = 0; k < 2 && t->alias[k]; k++)
			if (span_eq(name, span_of(t->alias[k])))
				return t;
	}
	return NULL;
}

/* Size in bytes of `nelems` elements of `type`; -1 if one of the two is unknown, or if the size
   exceeds int64. */
static int64_t message_bytes(int64_t nelems, const struct dtype *type)
{
	int64_t bytes;
	if (nelems < 0 || !type || __builtin_mul_overflow(nelems, type->bytes, &bytes))
		return -1;
	return bytes;
}

/* Number of elements of the next tensor of `dims`, such as "[8, 4], …"; false if the text has
 * another form. */
static bool tensor_elements(struct span *dims, int64_t *out)
{
	int64_t product = 1, v;
	if (!span_skip(dims, SPAN("[")))
		return false;
	for (bool first = true; !span_skip(dims, SPAN("]")); first = false) {
		size_t n = 0;
		if (!first && !span_skip(dims, SPAN(", ")))
			return false;
		while (n < dims->n && is_digit(dims->p[n]))
			n++;
		if (!number_parse((struct span){ dims->p, n }, 0, &v) ||
		    __builtin_mul_overflow(product, v, &product))
			return false;
		*dims = (struct span){ dims->p + n, dims->n - n };
	}
	*out = product;
	return true;
}

/* Number of elements of all tensors in `dims`, which must have one type; -1 if unknown. `type`
   becomes the text of that type. */
static int64_t shapes_elements(struct span dims, struct span types, struct span *type)
{
	int64_t sum = 0, v;
	const char *comma = memmem(types.p, types.n, ", ", 2);
	*type = (struct span){ types.p, comma ? (size_t)(comma - types.p) : types.n };
	while (tensor_elements(&dims, &v)) {
		if (__builtin_add_overflow(sum, v, &sum) || !span_skip(&types, *type))
			return -1;
		if (dims.n == 0 && types.n == 0)
			return sum;
		if (!span_skip(&dims, SPAN(", ")) || !span_skip(&types, SPAN(", ")))
			return -1;
	}
	return -1;
}

static struct collective_call call_of_args(const struct collective_args *a)
{
	const struct dtype *type = dtype_find(a->dtype);
	bool described = a->group_description.n && !span_eq(a->group_description, SPAN("undefined"));
	int64_t nelems = a->in_nelems > a->out_nelems ? a->in_nelems : a->out_nelems;
	return (struct collective_call){ .kind = collective_kind_of(a->name),
		                             .group = described ? a->group_description : a->group,
		                             .group_name = a->group,
		                             .dtype = type ? span_of(type->name) : a->dtype,
		                             .group_size = a->group_size,
		                             .bytes = message_bytes(nelems, type) };
}

struct collective_call collective_of(const struct event *ev)
{
	struct span name = name_span(ev->name), text;
	struct collective_call c = { .kind = COLLECTIVE_OTHER, .group_size = -1, .bytes = -1 };
	if (ev->collective.name.n)
		c = call_of_args(&ev->collective);
	if (c.kind == COLLECTIVE_OTHER)
		c.kind = collective_kind_of(name);
	if (ev->collective.name.n || !ev->input_dims.n)
		return c;
	int64_t nelems = shapes_elements(ev->input_dims, ev->input_types, &text);
	const struct dtype *type = dtype_find(text);
	if (type)
		c.dtype = span_of(type->name);
	/* torch records only the inputs of the collective; in a gather, the input is one rank's share
	 * of the message, so the size of the message stays unknown */
	if (c.kind != COLLECTIVE_ALL_GATHER && c.kind != COLLECTIVE_GATHER)
		c.bytes = message_bytes(nelems, type);
	return c;
}

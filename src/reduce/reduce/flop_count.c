/* Operations are counted as in torch.utils.flop_counter (torch 2.8): a multiplication and an
 * addition count as two operations. Masks of attention do not reduce the count. Groups of a
 * convolution reduce it, also in the gradient of the convolution. */
#include "reduce/flop_count.h"

#include <string.h>

#include "base/number.h"
#include "model/flops.h"

enum formula {
	FORMULA_PRODUCT, ///< product of two matrices, or of two batches of matrices
	FORMULA_CONVOLUTION,
	FORMULA_CONVOLUTION_BACKWARD,
	FORMULA_GRADIENT, ///< one gradient of a convolution; the count is used for nested operators
	                  ///< (flop_rule_lends())
	FORMULA_ATTENTION, ///< attention on inputs of the shape batch, heads, length, size; the
	                   ///< backward operator if `first` is 1
	FORMULA_ATTENTION_PACKED, ///< like FORMULA_ATTENTION, but the shape is batch, length, heads,
	                          ///< size
	FORMULA_TRITON, ///< the number of operations that Inductor recorded in the trace; 0 if it
	                ///< recorded none
	FORMULA_TRITON_TEMPLATE, ///< like FORMULA_TRITON, but a recorded 0 means that the number is
	                         ///< unknown
	FORMULA_UNKNOWN, ///< no formula, because PyTorch has no formula, or the inputs are not enough
	FORMULA_NONE, ///< no arithmetic operations: the operator only moves bytes
};

/* How the least number of bytes that an operator moves is found. It is the sum of the bytes of all
 * inputs and of the output; each value says how to find the size of the output. */
enum traffic {
	TRAFFIC_UNKNOWN,
	TRAFFIC_INPUTS, ///< only the inputs count, since the output is one of them, or is small
	                ///< (reductions)
	TRAFFIC_FIRST, ///< the output is as large as the first tensor, which may be the output itself
	TRAFFIC_BROADCAST, ///< the output has the largest extent of its inputs in each dimension
	TRAFFIC_COMPARED, ///< like TRAFFIC_BROADCAST, but the output is of bool
	TRAFFIC_PRODUCT, ///< the output is the product of the two matrices (FORMULA_PRODUCT)
	TRAFFIC_CONVOLUTION,
	TRAFFIC_CONVOLUTION_BACKWARD,
	TRAFFIC_GRADIENT,
	TRAFFIC_ATTENTION,
	TRAFFIC_ATTENTION_BACKWARD,
	TRAFFIC_ROWS, ///< rows of the first tensor that the second tensor, an index, selects
	TRAFFIC_TRITON, ///< all inputs and outputs are arguments of the kernel, whose sizes are
	                ///< recorded
};

struct flop_rule {
	struct span name;
	enum formula formula;
	int first; ///< index of the first tensor that the formula uses
	enum traffic traffic;
};

#define NAME(lit)              \
	{                          \
		(lit), sizeof(lit) - 1 \
	}

/* UNKNOWN: the rule of operators without a formula; MOVES: the rule of operators that only move
 * bytes */
#define UNKNOWN(first)                                       \
	{                                                        \
		{ NULL, 0 }, FORMULA_UNKNOWN, first, TRAFFIC_UNKNOWN \
	}
#define MOVES(traffic)                                  \
	{                                                   \
		{ NULL, 0 }, FORMULA_NONE, 0, TRAFFIC_##traffic \
	}

/* Rules by operator. Source: flop_registry, torch/utils/flop_counter.py;
   aten/src/ATen/native/native_functions.yaml for the order of inputs. */
static const struct flop_rule rules[] = {
	{ NAME("aten::mm"), FORMULA_PRODUCT, 0, TRAFFIC_PRODUCT },
	{ NAME("aten::addmm"), FORMULA_PRODUCT, 1, TRAFFIC_PRODUCT },
	{ NAME("aten::bmm"), FORMULA_PRODUCT, 0, TRAFFIC_PRODUCT },
	{ NAME("aten::baddbmm"), FORMULA_PRODUCT, 1, TRAFFIC_PRODUCT },
	{ NAME("aten::_scaled_mm"), FORMULA_PRODUCT, 0, TRAFFIC_UNKNOWN },
	{ NAME("aten::convolution"), FORMULA_CONVOLUTION, 0, TRAFFIC_CONVOLUTION },
	{ NAME("aten::_convolution"), FORMULA_CONVOLUTION, 0, TRAFFIC_CONVOLUTION },
	{ NAME("aten::convolution_backward"), FORMULA_CONVOLUTION_BACKWARD, 0,
	  TRAFFIC_CONVOLUTION_BACKWARD },
	/* PyTorch up to 1.10: only this outer operator has all inputs, and only the operators that it
	   calls show which gradients were computed */
	{ NAME("aten::cudnn_convolution_backward"), FORMULA_GRADIENT, 0, TRAFFIC_GRADIENT },
	{ NAME("aten::_scaled_dot_product_flash_attention"), FORMULA_ATTENTION, 0, TRAFFIC_ATTENTION },
	{ NAME("aten::_scaled_dot_product_efficient_attention"), FORMULA_ATTENTION, 0,
	  TRAFFIC_ATTENTION },
	{ NAME("aten::_scaled_dot_product_cudnn_attention"), FORMULA_ATTENTION, 0, TRAFFIC_ATTENTION },
	{ NAME("aten::_scaled_dot_product_flash_attention_backward"), FORMULA_ATTENTION, 1,
	  TRAFFIC_ATTENTION_BACKWARD },
	{ NAME("aten::_scaled_dot_product_efficient_attention_backward"), FORMULA_ATTENTION, 1,
	  TRAFFIC_ATTENTION_BACKWARD },
	{ NAME("aten::_scaled_dot_product_cudnn_attention_backward"), FORMULA_ATTENTION, 1,
	  TRAFFIC_ATTENTION_BACKWARD },
	{ NAME("aten::_flash_attention_forward"), FORMULA_ATTENTION_PACKED, 0, TRAFFIC_ATTENTION },
	{ NAME("aten::_flash_attention_backward"), FORMULA_ATTENTION_PACKED, 1,
	  TRAFFIC_ATTENTION_BACKWARD },
	/* the package flash_attn passes the gradients as inputs (flash_attn_interface.py) */
	{ NAME("flash_attn::_flash_attn_forward"), FORMULA_ATTENTION_PACKED, 0, TRAFFIC_ATTENTION },
	{ NAME("flash_attn::_flash_attn_backward"), FORMULA_ATTENTION_PACKED, 1, TRAFFIC_INPUTS },
	{ NAME("FlashAttnFunc"), FORMULA_ATTENTION_PACKED, 0, TRAFFIC_ATTENTION },
};

/* Rules that several operators of "aten::" share. */
static const struct shared_rule {
	struct flop_rule rule;
	const char *names; /* separated by blanks */
} shared_rules[] = {
	/* unknown, since a batch of one may hold sequences of several lengths */
	{ UNKNOWN(0), "_efficient_attention_forward" },
	{ UNKNOWN(1), "_efficient_attention_backward" },
	/* only the operator that calls these two has all inputs (PyTorch up to 1.10) */
	{ UNKNOWN(1), "cudnn_convolution_backward_input cudnn_convolution_backward_weight" },
	/* PyTorch has no formula for these operators; they count as unknown, since a sum without them
	   would be too low */
	{ UNKNOWN(0), "_int_mm _grouped_mm _scaled_grouped_mm cudnn_convolution_relu "
	              "cudnn_convolution_add_relu miopen_convolution_relu miopen_convolution_add_relu "
	              "_cudnn_rnn _cudnn_rnn_backward miopen_rnn miopen_rnn_backward" },
	{ UNKNOWN(1), "_addmm_activation" },
	/* Operators that only move bytes. If one calls another, the outer one is listed only if both
	   have the same inputs. Views launch nothing and are not listed. Nor are operators on lists of
	   tensors, since the types of the tensors are not recorded. */
	{ MOVES(INPUTS), "copy_ fill_ sum mean amax amin all any argmax argmin norm linalg_vector_norm "
	                 "max_pool2d_with_indices avg_pool2d _adaptive_avg_pool2d" },
	{ MOVES(FIRST),
	  "zero_ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ sqrt_ neg neg_ abs exp exp_ log "
	  "sqrt rsqrt reciprocal sin cos tanh sigmoid relu relu_ gelu silu silu_ clamp "
	  "clamp_min pow cumsum native_layer_norm native_layer_norm_backward native_batch_norm "
	  "native_batch_norm_backward cudnn_batch_norm cudnn_batch_norm_backward "
	  "miopen_batch_norm miopen_batch_norm_backward native_group_norm "
	  "native_group_norm_backward _fused_rms_norm _fused_rms_norm_backward _softmax "
	  "_log_softmax _softmax_backward_data _log_softmax_backward_data gelu_backward "
	  "silu_backward tanh_backward sigmoid_backward threshold_backward native_dropout "
	  "masked_fill_ flip roll tril triu" },
	{ MOVES(BROADCAST),
	  "add sub mul div maximum minimum where addcmul addcdiv bitwise_and bitwise_or" },
	{ MOVES(COMPARED), "eq ne lt le gt ge logical_and logical_or logical_not isnan" },
	{ MOVES(ROWS), "embedding" },
};

/* Rules by prefix of the name. Source: kernel_flop, torch/_inductor/runtime/triton_heuristics.py
   (2.8); names of kernels, torch/_inductor/codegen. */
static const struct flop_rule templates = { NAME("triton_tem_"), FORMULA_TRITON_TEMPLATE, 0,
	                                        TRAFFIC_UNKNOWN };
static const struct flop_rule triton = { NAME("triton_"), FORMULA_TRITON, 0, TRAFFIC_TRITON };

const struct flop_rule *flop_rule_of(struct span name)
{
	const struct flop_rule *own = FIND(i, rules, NR_OF(rules), span_eq(name, rules[i].name));
	if (own)
		return own;
	if (span_starts(name, templates.name))
		return &templates;
	if (span_starts(name, triton.name))
		return &triton;
	if (!span_skip(&name, SPAN("aten::")))
		return NULL;
	const struct shared_rule *shared =
	    FIND(i, shared_rules, NR_OF(shared_rules), span_is_listed(name, shared_rules[i].names));
	return shared ? &shared->rule : NULL;
}

bool flop_rule_counts(const struct flop_rule *rule)
{
	return rule->formula != FORMULA_NONE;
}

bool flop_rule_lends(const struct flop_rule *rule)
{
	return rule->formula == FORMULA_GRADIENT;
}

/* ---- lists of shapes, in the text form of the trace reader ---- */

/* Removes the first item from `list` and returns it. An item ends at a comma outside of
   brackets. */
static struct span take_item(struct span *list)
{
	size_t n = 0;
	for (int depth = 0; n < list->n && (depth > 0 || list->p[n] != ','); n++)
		depth += (list->p[n] == '[') - (list->p[n] == ']');
	struct span item = { list->p, n };
	n += n < list->n;
	while (n < list->n && list->p[n] == ' ')
		n++;
	*list = (struct span){ list->p + n, list->n - n };
	return item;
}

static struct span item_at(struct span list, int index)
{
	while (index-- > 0)
		take_item(&list);
	return take_item(&list);
}

/* Largest number of dimensions of a tensor; a shape with more is unknown. */
enum { SHAPE_MAX = 8 };

struct shape {
	int nr; ///< number of dimensions; -1 if the text is not a list, or too long
	int64_t v[SHAPE_MAX];
};

static struct shape shape_at(struct span list, int index)
{
	struct span s = item_at(list, index);
	struct shape shape = { .nr = -1 };
	if (s.n < 2 || s.p[0] != '[' || s.p[s.n - 1] != ']')
		return shape;
	s = (struct span){ s.p + 1, s.n - 2 };
	int nr = 0;
	for (uint64_t v; s.n; shape.v[nr++] = (int64_t)v)
		if (nr == SHAPE_MAX || !number_parse_u64(take_item(&s), &v) || v > INT64_MAX)
			return shape;
	shape.nr = nr;
	return shape;
}

/* ---- formulas for numbers of operations ---- */

/* The product of `v` and the `nr` numbers `by`; -1 if it exceeds int64, or if `v` is below 0. */
static int64_t multiplied(int64_t v, const int64_t *by, int nr)
{
	for (int i = 0; i < nr; i++)
		if (v < 0 || __builtin_mul_overflow(v, by[i], &v))
			return -1;
	return v;
}

static int64_t product(const struct flop_rule *rule, const struct event *ev)
{
	struct shape a = shape_at(ev->input_dims, rule->first);
	struct shape b = shape_at(ev->input_dims, rule->first + 1);
	if (a.nr != b.nr || a.nr < 2 || a.nr > 3 || a.v[a.nr - 1] != b.v[b.nr - 2] ||
	    (a.nr == 3 && a.v[0] != b.v[0]))
		return -1;
	return multiplied(multiplied(2, a.v, a.nr), &b.v[b.nr - 1], 1);
}

/* Operations of a convolution of `batch` items. `space` has the number of points in each dimension
   at which the filter is applied; `filter` is the shape of the weights. */
static int64_t filtered(int64_t batch, const int64_t *space, const struct shape *filter)
{
	int64_t all[] = { 2, batch };
	return multiplied(multiplied(multiplied(1, all, 2), space, filter->nr - 2), filter->v,
	                  filter->nr);
}

/* Size of a convolution's output in dimension `i`; -1 if there is no output. `lists` has, for each
 * dimension, stride, padding, dilation and output padding; a list with one item applies to all
 * dimensions. `turned`: the convolution is transposed. */
static int64_t output_size(int64_t size, int64_t filter, const struct shape lists[4], bool turned,
                           int i)
{
	__int128 v[4]; /* stride, padding, dilation, and what is added to a transposed output */
	for (int k = 0; k < 3 + turned; k++) {
		if (lists[k].nr < 1 || (lists[k].nr > 1 && i >= lists[k].nr))
			return -1;
		v[k] = lists[k].v[lists[k].nr > 1 ? i : 0];
	}
	__int128 reach = v[2] * (filter - 1), last = size + 2 * v[1] - reach - 1;
	if (turned)
		last = (size - 1) * v[0] - 2 * v[1] + reach + v[3];
	if (v[0] == 0 || filter == 0 || last < 0)
		return -1;
	last = turned ? last + 1 : last / v[0] + 1;
	return last > INT64_MAX ? -1 : (int64_t)last;
}

/* Operations of a convolution, or -1. `*out` becomes the number of elements of its output, or
   -1. */
static int64_t convolution(const struct event *ev, int64_t *out)
{
	struct shape x = shape_at(ev->input_dims, 0), w = shape_at(ev->input_dims, 1), lists[4];
	struct span transposed = item_at(ev->concrete_inputs, 6);
	bool turned = span_eq(transposed, SPAN("True"));
	uint64_t groups = 1;
	bool known = !turned || number_parse_u64(item_at(ev->concrete_inputs, 8), &groups);
	*out = -1;
	for (int i = 0; i < 4; i++)
		lists[i] = shape_at(ev->concrete_inputs, 3 + i + (i == 3));
	if (x.nr != w.nr || x.nr < 3 || (!turned && !span_eq(transposed, SPAN("False"))))
		return -1;
	int64_t space[SHAPE_MAX + 1] = { x.v[0], w.v[turned], (int64_t)groups };
	for (int i = 2; i < x.nr; i++) {
		space[i + 1] = output_size(x.v[i], w.v[i], lists, turned, i - 2);
		known = known && space[i + 1] >= 0;
	}
	if (known)
		*out = multiplied(1, space, x.nr + 1);
	return known || turned ? filtered(x.v[0], turned ? x.v + 2 : space + 3, &w) : -1;
}

/* Operations of one gradient of a convolution: as many as the convolution has. */
static int64_t gradient(const struct event *ev)
{
	struct shape out = shape_at(ev->input_dims, 1), w = shape_at(ev->input_dims, 2);
	return out.nr != w.nr || w.nr < 3 ? -1 : filtered(out.v[0], out.v + 2, &w);
}

/* Operations of a convolution's backward: each of the two gradients, if requested, costs as much as
 * the convolution. */
static int64_t convolution_backward(const struct event *ev)
{
	struct shape out = shape_at(ev->input_dims, 0), x = shape_at(ev->input_dims, 1);
	struct shape w = shape_at(ev->input_dims, 2);
	struct span transposed = item_at(ev->concrete_inputs, 7);
	struct span mask = item_at(ev->concrete_inputs, 10);
	int64_t wanted = 0;
	if (out.nr != w.nr || x.nr != w.nr || w.nr < 3 || mask.n < 2)
		return -1;
	mask = (struct span){ mask.p + 1, mask.n - 2 };
	for (int i = 0; i < 2; i++) {
		struct span flag = take_item(&mask);
		if (!span_eq(flag, SPAN("True")) && !span_eq(flag, SPAN("False")))
			return -1;
		wanted += span_eq(flag, SPAN("True"));
	}
	if (span_eq(transposed, SPAN("True")))
		return multiplied(filtered(x.v[0], x.v + 2, &w), &wanted, 1);
	return span_eq(transposed, SPAN("False"))
	           ? multiplied(filtered(x.v[0], out.v + 2, &w), &wanted, 1)
	           : -1;
}

/* Query, key and value have the shape batch, heads, length, size, or batch, length, heads, size.
   Forward: two products (scores, and scores times values); backward: five products (the scores
   again, and two gradients of each). */
static int64_t attention(const struct flop_rule *rule, const struct event *ev)
{
	bool back = rule->first == 1;
	int length = rule->formula == FORMULA_ATTENTION ? 2 : 1;
	struct shape q = shape_at(ev->input_dims, rule->first);
	struct shape k = shape_at(ev->input_dims, rule->first + 1);
	struct shape v = shape_at(ev->input_dims, rule->first + 2);
	if (q.nr != 4 || k.nr != 4 || v.nr != 4 || q.v[0] != k.v[0] || q.v[3] != k.v[3] ||
	    k.v[length] != v.v[length])
		return -1;
	int64_t sizes, passes[] = { back ? 3 : 1, back ? 2 : 1 };
	passes[0] = multiplied(passes[0], &q.v[3], 1);
	passes[1] = multiplied(passes[1], &v.v[3], 1);
	if (passes[0] < 0 || passes[1] < 0 || __builtin_add_overflow(passes[0], passes[1], &sizes))
		return -1;
	return multiplied(multiplied(multiplied(2, q.v, 3), &k.v[length], 1), &sizes, 1);
}

int64_t flop_count(const struct flop_rule *rule, const struct event *ev, enum flop_type *type)
{
	*type = flop_type_of(item_at(ev->input_types, rule->first));
	switch (rule->formula) {
	case FORMULA_PRODUCT:
		return product(rule, ev);
	case FORMULA_CONVOLUTION:
		return convolution(ev, &(int64_t){ 0 });
	case FORMULA_CONVOLUTION_BACKWARD:
		return convolution_backward(ev);
	case FORMULA_GRADIENT:
		return gradient(ev);
	case FORMULA_ATTENTION:
	case FORMULA_ATTENTION_PACKED:
		return attention(rule, ev);
	case FORMULA_TRITON:
		return ev->flops > 0 ? ev->flops : 0;
	case FORMULA_TRITON_TEMPLATE:
		return ev->flops > 0 ? ev->flops : -1;
	case FORMULA_NONE:
		return 0;
	case FORMULA_UNKNOWN:
		break;
	}
	return -1;
}

/* ---- bytes ---- */

/* Bytes of an element; 0 for an unknown type. Source of the names: c10/core/ScalarType.h and
   c10/util/typeid.cpp (pytorch/pytorch). */
static int64_t element_bytes(struct span type)
{
	static const struct {
		struct span name;
		int64_t bytes;
	} sizes[] = {
		{ NAME("float"), 4 },
		{ NAME("c10::BFloat16"), 2 },
		{ NAME("c10::Half"), 2 },
		{ NAME("long int"), 8 },
		{ NAME("int"), 4 },
		{ NAME("bool"), 1 },
		{ NAME("double"), 8 },
		{ NAME("unsigned char"), 1 },
		{ NAME("signed char"), 1 },
		{ NAME("short int"), 2 },
		{ NAME("long"), 8 },
		{ NAME("c10::complex<float>"), 8 },
		{ NAME("short"), 2 },
		{ NAME("char"), 1 },
		{ NAME("c10::complex<double>"), 16 },
		{ NAME("long long"), 8 },
	};
	for (size_t i = 0; i < NR_OF(sizes); i++)
		if (span_eq(type, sizes[i].name))
			return sizes[i].bytes;
	return span_starts(type, SPAN("c10::Float8_")) ? 1 : 0;
}

/* Facts on the inputs of a call, from which byte_count() computes the bytes. */
struct moved {
	int nr; /* number of inputs; -1 if the size of one is not known */
	int64_t all; /* bytes of all inputs */
	int64_t first; /* bytes of the first tensor */
	int64_t first_size; /* bytes of an element of the first tensor */
	struct shape widest; /* largest extent of all inputs in each dimension, last dimension first */
	int64_t size; /* bytes of an output element: those of an element of the widest floating-point
	                 type among the inputs or, if no input is floating-point, of the widest type */
};

static bool is_real(struct span type)
{
	return span_starts(type, SPAN("c10::")) || span_eq(type, SPAN("float")) ||
	       span_eq(type, SPAN("double"));
}

/* Removes the next input from the lists. Returns its bytes, without dimensions along which it is
   expanded (stride 0); -1 if they are unknown, 0 if it is not a tensor. */
static int64_t take_input(struct span *dims, struct span *types, struct span *strides,
                          struct moved *m)
{
	struct span type = take_item(types), text = *dims;
	struct shape shape = shape_at(text, 0), steps = shape_at(*strides, 0);
	int64_t size = element_bytes(type), bytes = size;
	take_item(dims);
	take_item(strides);
	if (size == 0)
		return shape.nr > 0 || (shape.nr < 0 && !span_starts(text, SPAN("-"))) ? -1 : 0;
	if (shape.nr < 0)
		return -1;
	for (int i = 0; i < shape.nr; i++) {
		bool expanded = steps.nr == shape.nr && steps.v[i] == 0;
		int back = shape.nr - 1 - i;
		bytes = multiplied(bytes, &shape.v[i], !expanded);
		for (; m->widest.nr <= back; m->widest.nr++)
			m->widest.v[m->widest.nr] = 1;
		if (shape.v[i] > m->widest.v[back] || shape.v[i] == 0)
			m->widest.v[back] = shape.v[i];
	}
	int64_t rank = size + 64 * is_real(type);
	if (shape.nr && rank > m->size)
		m->size = rank;
	return bytes;
}

/* True for a text that the trace reader has cut. */
static bool is_cut(struct span text)
{
	return span_ends(text, SPAN("…"));
}

static struct moved moved_by(const struct event *ev, int inputs)
{
	struct moved m = { 0 };
	struct span dims = ev->input_dims, types = ev->input_types, strides = ev->input_strides;
	bool cut = is_cut(dims) || is_cut(types) || is_cut(strides);
	for (; !cut && m.nr < inputs && dims.n && types.n; m.nr++) {
		struct span type = types;
		int64_t bytes = take_input(&dims, &types, &strides, &m);
		if (bytes < 0 || __builtin_add_overflow(m.all, bytes, &m.all))
			cut = true;
		if (m.nr == 0) {
			m.first = bytes;
			m.first_size = element_bytes(take_item(&type));
		}
	}
	m.size %= 64;
	if (cut)
		m.nr = -1;
	return m;
}

static int64_t known_sum(int64_t a, int64_t b)
{
	int64_t sum;
	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

/* Bytes of a call that copies rows of a table: the index, and each selected row once in and once
   out. */
static int64_t bytes_of_rows(const struct event *ev, const struct moved *m)
{
	struct shape table = shape_at(ev->input_dims, 0), index = shape_at(ev->input_dims, 1);
	struct span types = ev->input_types;
	take_item(&types);
	int64_t row = 2 * m->first_size, index_size = element_bytes(take_item(&types));
	if (table.nr < 1 || index.nr < 0 || !index_size)
		return -1;
	row = multiplied(row, table.v + 1, table.nr - 1);
	return multiplied(known_sum(row, index_size), index.v, index.nr);
}

static bool flag_at(struct span list, int index)
{
	return list.n > 2 &&
	       span_eq(item_at((struct span){ list.p + 1, list.n - 2 }, index), SPAN("True"));
}

/* Bytes of the outputs; -1 if they are not known. */
static int64_t bytes_out(const struct flop_rule *rule, const struct event *ev, int64_t flops,
                         const struct moved *m)
{
	struct shape a = shape_at(ev->input_dims, rule->first), b;
	int64_t sum = 0;
	switch (rule->traffic) {
	case TRAFFIC_FIRST:
		return m->first;
	case TRAFFIC_BROADCAST:
		return multiplied(m->size ? m->size : m->first_size, m->widest.v, m->widest.nr);
	case TRAFFIC_COMPARED:
		return multiplied(1, m->widest.v, m->widest.nr);
	case TRAFFIC_PRODUCT:
		b = shape_at(ev->input_dims, rule->first + 1);
		return flops < 0 ? -1 : multiplied(multiplied(m->size, a.v, a.nr - 1), &b.v[b.nr - 1], 1);
	case TRAFFIC_CONVOLUTION:
		(void)convolution(ev, &sum);
		return multiplied(m->size, &sum, 1);
	case TRAFFIC_CONVOLUTION_BACKWARD: /* gradients of the input, the weights and the bias */
		for (int i = 0; i < 3; i++) {
			a = shape_at(ev->input_dims, (i + 1) % 3);
			if (flag_at(item_at(ev->concrete_inputs, 10), i))
				sum = known_sum(sum, multiplied(m->size, a.v + (i == 2), i == 2 ? 1 : a.nr));
		}
		return flops < 0 ? -1 : sum;
	case TRAFFIC_ATTENTION:
		b = shape_at(ev->input_dims, 2);
		return flops < 0 ? -1 : multiplied(multiplied(m->first_size, a.v, 3), &b.v[3], 1);
	case TRAFFIC_ATTENTION_BACKWARD: /* gradients of query, key and value */
		for (int i = 1; i < 4; i++) {
			a = shape_at(ev->input_dims, i);
			sum = known_sum(sum, multiplied(m->first_size, a.v, a.nr));
		}
		return flops < 0 ? -1 : sum;
	default:
		return 0;
	}
}

/* True for a kernel of Inductor whose name shows that it may read only parts of its arguments. */
static bool reads_slices(struct span name)
{
	static const char *const words[] = { "embedding", "index",  "gather", "scatter", "slice",
		                                 "select",    "split",  "cat",    "pool",    "constant_pad",
		                                 "roll",      "unfold", "sort" };
	return ANY(i, NR_OF(words), span_contains_nocase(name, span_of(words[i])));
}

int64_t byte_count(const struct flop_rule *rule, const struct event *ev, int64_t flops)
{
	int inputs = rule->traffic == TRAFFIC_PRODUCT ? rule->first + 2
	             : rule->traffic == TRAFFIC_CONVOLUTION || rule->traffic == TRAFFIC_GRADIENT ||
	                     rule->traffic == TRAFFIC_CONVOLUTION_BACKWARD
	                 ? 3
	                 : INT32_MAX;
	struct moved m = moved_by(ev, inputs);
	if (rule->traffic == TRAFFIC_UNKNOWN || m.nr < 1 ||
	    (rule->traffic == TRAFFIC_TRITON && reads_slices(name_span(ev->name))))
		return -1;
	if (rule->traffic == TRAFFIC_ROWS)
		return bytes_of_rows(ev, &m);
	return known_sum(m.all, bytes_out(rule, ev, flops, &m));
}

int64_t flop_count_by_backward(const struct flop_rule *rule, const struct event *ev,
                               struct span backward, int64_t *bytes)
{
	struct event gradient_of = { .input_dims = backward };
	struct shape out = shape_at(backward, 1);
	int64_t flops = gradient(&gradient_of);
	if (rule->traffic != TRAFFIC_CONVOLUTION || flops < 0 ||
	    !span_eq(item_at(ev->input_dims, 0), item_at(backward, 0)) ||
	    !span_eq(item_at(ev->input_dims, 1), item_at(backward, 2)))
		return -1;
	struct moved m = moved_by(ev, 3);
	*bytes = m.nr < 1 ? -1 : known_sum(m.all, multiplied(m.size, out.v, out.nr));
	return flops;
}

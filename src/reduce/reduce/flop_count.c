/* Formulas as in torch.utils.flop_counter (torch 2.8): a multiplication with an addition counts as
   two operations. Masks of attention do not reduce the count; groups of a convolution do, also in
   the convolution's gradient. */
#include "reduce/flop_count.h"

#include "base/number.h"
#include "model/flops.h"

enum formula {
	FORMULA_PRODUCT, ///< product of two matrices, or of two batches of matrices
	FORMULA_CONVOLUTION,
	FORMULA_CONVOLUTION_BACKWARD,
	FORMULA_ATTENTION,
	FORMULA_ATTENTION_BACKWARD,
	FORMULA_TRITON, ///< the result is the number of operations that Inductor recorded
	FORMULA_TRITON_TEMPLATE, ///< like FORMULA_TRITON, but a recorded 0 means that the number is
	                         ///< unknown
	FORMULA_UNKNOWN, ///< no formula: PyTorch has none, or the inputs do not suffice
};

struct flop_rule {
	struct span name;
	enum formula formula;
	int first; ///< index of the first tensor that the formula uses
};

#define NAME(lit)              \
	{                          \
		(lit), sizeof(lit) - 1 \
	}

/* Rules by operator. Source: flop_registry, torch/utils/flop_counter.py;
   aten/src/ATen/native/native_functions.yaml for the order of inputs. */
static const struct flop_rule rules[] = {
	{ NAME("aten::mm"), FORMULA_PRODUCT, 0 },
	{ NAME("aten::addmm"), FORMULA_PRODUCT, 1 },
	{ NAME("aten::bmm"), FORMULA_PRODUCT, 0 },
	{ NAME("aten::baddbmm"), FORMULA_PRODUCT, 1 },
	{ NAME("aten::_scaled_mm"), FORMULA_PRODUCT, 0 },
	{ NAME("aten::convolution"), FORMULA_CONVOLUTION, 0 },
	{ NAME("aten::_convolution"), FORMULA_CONVOLUTION, 0 },
	{ NAME("aten::convolution_backward"), FORMULA_CONVOLUTION_BACKWARD, 0 },
	{ NAME("aten::_scaled_dot_product_flash_attention"), FORMULA_ATTENTION, 0 },
	{ NAME("aten::_scaled_dot_product_efficient_attention"), FORMULA_ATTENTION, 0 },
	{ NAME("aten::_scaled_dot_product_cudnn_attention"), FORMULA_ATTENTION, 0 },
	{ NAME("aten::_scaled_dot_product_flash_attention_backward"), FORMULA_ATTENTION_BACKWARD, 1 },
	{ NAME("aten::_scaled_dot_product_efficient_attention_backward"), FORMULA_ATTENTION_BACKWARD,
	  1 },
	{ NAME("aten::_scaled_dot_product_cudnn_attention_backward"), FORMULA_ATTENTION_BACKWARD, 1 },
	{ NAME("aten::_flash_attention_forward"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_flash_attention_backward"), FORMULA_UNKNOWN, 1 },
	{ NAME("aten::_efficient_attention_forward"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_efficient_attention_backward"), FORMULA_UNKNOWN, 1 },
	/* PyTorch has no formula for these operators; they count as unknown, since a sum without them
	   would be too low */
	{ NAME("aten::_addmm_activation"), FORMULA_UNKNOWN, 1 },
	{ NAME("aten::_int_mm"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_grouped_mm"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_scaled_grouped_mm"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::cudnn_convolution_relu"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::cudnn_convolution_add_relu"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::miopen_convolution_relu"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::miopen_convolution_add_relu"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_cudnn_rnn"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::_cudnn_rnn_backward"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::miopen_rnn"), FORMULA_UNKNOWN, 0 },
	{ NAME("aten::miopen_rnn_backward"), FORMULA_UNKNOWN, 0 },
};

/* Rules by prefix. Source: kernel_flop, torch/_inductor/runtime/triton_heuristics.py (2.8); names
   of kernels, torch/_inductor/codegen. */
static const struct flop_rule templates = { NAME("triton_tem_"), FORMULA_TRITON_TEMPLATE, 0 };
static const struct flop_rule triton = { NAME("triton_"), FORMULA_TRITON, 0 };

const struct flop_rule *flop_rule_of(struct span name)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (span_eq(name, rules[i].name))
			return &rules[i];
	if (span_starts(name, templates.name))
		return &templates;
	return span_starts(name, triton.name) ? &triton : NULL;
}

/* ---- lists of shapes, in the text form of the trace reader ---- */

/* Takes the next item off `list`; it ends at a comma outside of brackets. */
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

/* Most dimensions that a formula has: batch, channels and three of space. */
enum { SHAPE_MAX = 5 };

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

/* The product of `v` and the `nr` numbers `by`; -1 if it exceeds int64. */
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

/* Operations of a convolution that applies a filter at every point of `space`, for all items of the
 * batch. */
static int64_t filtered(int64_t batch, const int64_t *space, const struct shape *filter)
{
	int64_t all[] = { 2, batch };
	return multiplied(multiplied(multiplied(1, all, 2), space, filter->nr - 2), filter->v,
	                  filter->nr);
}

/* Size of a convolution's output in one dimension; -1 if there is no output. A list with one item
 * applies to all dimensions. */
static int64_t output_size(int64_t size, int64_t filter, const struct shape *stride,
                           const struct shape *padding, const struct shape *dilation, int i)
{
	const struct shape *lists[] = { stride, padding, dilation };
	int64_t v[3], border, reach, last;
	for (int k = 0; k < 3; k++) {
		if (lists[k]->nr < 1 || (lists[k]->nr > 1 && i >= lists[k]->nr))
			return -1;
		v[k] = lists[k]->v[lists[k]->nr > 1 ? i : 0];
	}
	if (v[0] == 0 || filter == 0 || __builtin_mul_overflow(2, v[1], &border) ||
	    __builtin_mul_overflow(v[2], filter - 1, &reach) ||
	    __builtin_add_overflow(size, border, &last) || last <= reach)
		return -1;
	return (last - reach - 1) / v[0] + 1;
}

static int64_t convolution(const struct event *ev)
{
	struct shape x = shape_at(ev->input_dims, 0), w = shape_at(ev->input_dims, 1);
	struct shape stride = shape_at(ev->concrete_inputs, 3);
	struct shape padding = shape_at(ev->concrete_inputs, 4);
	struct shape dilation = shape_at(ev->concrete_inputs, 5);
	struct span transposed = item_at(ev->concrete_inputs, 6);
	int64_t space[SHAPE_MAX];
	if (x.nr != w.nr || x.nr < 3)
		return -1;
	for (int i = 0; i < x.nr - 2; i++) {
		if (span_eq(transposed, SPAN("True")))
			space[i] = x.v[i + 2];
		else if (span_eq(transposed, SPAN("False")))
			space[i] = output_size(x.v[i + 2], w.v[i + 2], &stride, &padding, &dilation, i);
		else
			return -1;
		if (space[i] < 0)
			return -1;
	}
	return filtered(x.v[0], space, &w);
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

/* Query, key and value have the shape batch, heads, length, size. Forward: two products (scores,
   and scores times values); backward: five products (the scores again, and two gradients of
   each). */
static int64_t attention(const struct flop_rule *rule, const struct event *ev)
{
	bool back = rule->formula == FORMULA_ATTENTION_BACKWARD;
	struct shape q = shape_at(ev->input_dims, rule->first);
	struct shape k = shape_at(ev->input_dims, rule->first + 1);
	struct shape v = shape_at(ev->input_dims, rule->first + 2);
	if (q.nr != 4 || k.nr != 4 || v.nr != 4 || q.v[0] != k.v[0] || q.v[3] != k.v[3] ||
	    k.v[2] != v.v[2])
		return -1;
	int64_t sizes, passes[] = { back ? 3 : 1, back ? 2 : 1 };
	passes[0] = multiplied(passes[0], &q.v[3], 1);
	passes[1] = multiplied(passes[1], &v.v[3], 1);
	if (passes[0] < 0 || passes[1] < 0 || __builtin_add_overflow(passes[0], passes[1], &sizes))
		return -1;
	return multiplied(multiplied(multiplied(2, q.v, 3), &k.v[2], 1), &sizes, 1);
}

int64_t flop_count(const struct flop_rule *rule, const struct event *ev, enum flop_type *type)
{
	*type = flop_type_of(item_at(ev->input_types, rule->first));
	switch (rule->formula) {
	case FORMULA_PRODUCT:
		return product(rule, ev);
	case FORMULA_CONVOLUTION:
		return convolution(ev);
	case FORMULA_CONVOLUTION_BACKWARD:
		return convolution_backward(ev);
	case FORMULA_ATTENTION:
	case FORMULA_ATTENTION_BACKWARD:
		return attention(rule, ev);
	case FORMULA_TRITON:
		return ev->flops > 0 ? ev->flops : 0;
	case FORMULA_TRITON_TEMPLATE:
		return ev->flops > 0 ? ev->flops : -1;
	case FORMULA_UNKNOWN:
		break;
	}
	return -1;
}

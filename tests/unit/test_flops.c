/* Floating-point operations of one operator and of a step, and the peak of a GPU. */
#include <stdlib.h>

#include "model/flops.h"
#include "reduce/flop_count.h"
#include "reduce/reducer.h"
#include "reduce_rig.h"

/* Scalar inputs of a convolution and of its backward operator. */
#define CONV_OF(stride, padding, dilation, turned) \
	"-, -, -, " stride ", " padding ", " dilation ", " turned ", [0], 1"
#define BACKWARD_OF(turned, mask) "-, -, -, [8], [1], [0], [1], " turned ", [0], 1, " mask
#define FLASH "aten::_scaled_dot_product_flash_attention"

static void test_formulas(void **state)
{
	(void)state;
	static const struct {
		const char *op, *dims, *types, *concrete;
		int64_t kernel, flops;
		enum flop_type type;
	} rows[] = {
		{ "aten::mm", "[2, 3], [3, 5]", "c10::BFloat16, c10::BFloat16", "", 0, 60, FLOP_BFLOAT16 },
		{ "aten::mm", "[2, 3], [3, 5], [2, 5]", "float, float, float", "", 0, 60, FLOP_FLOAT32 },
		{ "aten::mm", "[2, 0], [0, 5]", "double", "", 0, 0, FLOP_FLOAT64 },
		{ "aten::mm", "[2, 3], [4, 5]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2, 3]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2, 3], [3, 5", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2, 3], [3, …", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2, -3], [-3, 5]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2], [2]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[[2, 3]], [[3, 5]]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[3037000500, 3037000500], [3037000500, 1]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[3037000500, 1], [1, 1518500249]", "", "", 0, 9223372030926249000,
		  FLOP_OTHER },
		{ "aten::mm", "[9223372036854775808, 1], [1, 1]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::addmm", "[5], [2, 3], [3, 5], [], []", "float, c10::Half", "", 0, 60,
		  FLOP_FLOAT16 },
		{ "aten::bmm", "[7, 2, 3], [7, 3, 5]", "c10::Half", "", 0, 420, FLOP_FLOAT16 },
		{ "aten::bmm", "[7, 2, 3], [6, 3, 5]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::baddbmm", "[1], [7, 2, 3], [7, 3, 5]", "-, double", "", 0, 420, FLOP_FLOAT64 },
		{ "aten::_scaled_mm", "[2, 3], [3, 5], [], []", "c10::Float8_e4m3fn", "", 0, 60,
		  FLOP_FLOAT8 },
		/* operations: 2 · 2 images · 8 channels · (3 · 3 · 3) · 5 · 3 places */
		{ "aten::convolution", "[2, 3, 9, 7], [8, 3, 3, 3], [8]", "float",
		  "-, -, -, [2, 2], [1, 0], [1, 1], False, [0, 0], 1", 0, 2 * 2 * 8 * 27 * 5 * 3,
		  FLOP_FLOAT32 },
		{ "aten::_convolution", "[2, 3, 9, 7], [8, 3, 3, 3]", "", "-, -, -, [2], [1], [2], False",
		  0, 2 * 2 * 8 * 27 * 4 * 3, FLOP_OTHER },
		/* if the convolution has groups, only the input channels of one filter count */
		{ "aten::convolution", "[1, 8, 10], [8, 1, 3]", "", "-, -, -, [1], [0], [1], False, [0], 8",
		  0, 2 * 8 * 3 * 8, FLOP_OTHER },
		{ "aten::convolution", "[1, 4, 5], [4, 6, 3]", "", "-, -, -, [2], [0], [1], True, [0], 1",
		  0, 2 * 5 * 4 * 6 * 3, FLOP_OTHER },
		{ "aten::convolution", "[2, 3, 9, 7], [8, 3, 3, 3]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::convolution", "[2, 3, 9, 7], [8, 3, 3, 3]", "",
		  "-, -, -, [0, 2], [1, 0], [1, 1], False", 0, -1, FLOP_OTHER },
		{ "aten::convolution", "[2, 3, 9, 7], [8, 3, 30, 3]", "",
		  "-, -, -, [1, 1], [0, 0], [1, 1], False", 0, -1, FLOP_OTHER },
		{ "aten::convolution", "[2, 3, 9, 7], [8, 3, 3, 3]", "",
		  "-, -, -, [1, 1], [9223372036854775807, 0], [1, 1], False", 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[2, 8, 5, 3], [2, 3, 9, 7], [8, 3, 3, 3]", "float",
		  "-, -, -, [8], [2, 2], [1, 0], [1, 1], False, [0, 0], 1, [True, True, True]", 0,
		  2 * 2 * 2 * 8 * 27 * 5 * 3, FLOP_FLOAT32 },
		{ "aten::convolution_backward", "[2, 8, 5, 3], [2, 3, 9, 7], [8, 3, 3, 3]", "",
		  "-, -, -, [8], [2, 2], [1, 0], [1, 1], False, [0, 0], 1, [False, True, False]", 0,
		  2 * 2 * 8 * 27 * 5 * 3, FLOP_OTHER },
		{ "aten::convolution_backward", "[1, 6, 11], [1, 4, 5], [4, 6, 3]", "",
		  "-, -, -, -, [2], [0], [1], True, [0], 1, [True, False, False]", 0, 2 * 5 * 4 * 6 * 3,
		  FLOP_OTHER },
		{ "aten::convolution_backward", "[2, 8, 5, 3], [2, 3, 9, 7], [8, 3, 3, 3]", "",
		  "-, -, -, [8], [2, 2], [1, 0], [1, 1], False, [0, 0], 1", 0, -1, FLOP_OTHER },
		{ "aten::_scaled_dot_product_flash_attention",
		  "[2, 4, 8, 16], [2, 4, 10, 16], [2, 4, 10, 6]", "c10::BFloat16", "", 0,
		  2 * 2 * 4 * 8 * 10 * 22, FLOP_BFLOAT16 },
		{ "aten::_scaled_dot_product_efficient_attention_backward",
		  "[2, 4, 8, 6], [2, 4, 8, 16], [2, 4, 10, 16], [2, 4, 10, 6]", "float, c10::Half", "", 0,
		  2 * 2 * 4 * 8 * 10 * (3 * 16 + 2 * 6), FLOP_FLOAT16 },
		{ "aten::_scaled_dot_product_cudnn_attention",
		  "[2, 4, 8, 16], [2, 4, 10, 15], [2, 4, 10, 6]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::_addmm_activation", "[5], [2, 3], [3, 5]", "-, float", "", 0, -1, FLOP_FLOAT32 },
		{ "aten::_cudnn_rnn", "[7, 2, 3]", "c10::Half", "", 0, -1, FLOP_FLOAT16 },
		{ "aten::_flash_attention_forward", "[2, 8, 4, 16], [2, 9, 4, 16], [2, 9, 4, 16]", "", "",
		  0, 2 * 2 * 8 * 4 * 9 * (16 + 16), FLOP_OTHER },
		{ "aten::mm", "[2, 3], [1, 3, 5]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "12, [3, 5]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[2, 3], [3, 15", "", "", 0, -1, FLOP_OTHER },
		{ "aten::mm", "[0, 9223372036854775807], [9223372036854775807, 1]", "", "", 0, 0,
		  FLOP_OTHER },
		{ "aten::mm", "[0, 9223372036854775808], [9223372036854775808, 1]", "", "", 0, -1,
		  FLOP_OTHER },
		{ "aten::bmm", "[1, 1, 2, 3], [1, 1, 3, 5]", "", "", 0, -1, FLOP_OTHER },
		/* a filter that just fits is applied at one place */
		{ "aten::convolution", "[1, 1, 3], [1, 1, 3]", "", CONV_OF("[1]", "[0]", "[1]", "False"), 0,
		  6, FLOP_OTHER },
		{ "aten::convolution", "[1, 1, 2], [1, 1, 3]", "", CONV_OF("[1]", "[0]", "[1]", "False"), 0,
		  -1, FLOP_OTHER },
		{ "aten::convolution", "[1, 1, 3], [1, 1, 0]", "", CONV_OF("[1]", "[0]", "[1]", "False"), 0,
		  -1, FLOP_OTHER },
		{ "aten::convolution", "[0, 1, 9223372036854775807], [1, 1, 1]", "",
		  CONV_OF("[1]", "[0]", "[1]", "False"), 0, 0, FLOP_OTHER },
		{ "aten::convolution", "[0, 1, 9223372036854775807], [1, 1, 1]", "",
		  CONV_OF("[1]", "[1]", "[1]", "False"), 0, -1, FLOP_OTHER },
		{ "aten::convolution", "[1, 1, 3], [1, 1, 3]", "", CONV_OF("[]", "[0]", "[1]", "False"), 0,
		  -1, FLOP_OTHER },
		{ "aten::convolution", "[1, 1, 3], [1, 1, 3]", "", CONV_OF("[1]", "[0]", "[1]", "None"), 0,
		  -1, FLOP_OTHER },
		{ "aten::convolution", "[2, 3, 9], [8, 3, 3, 3]", "", CONV_OF("[1]", "[0]", "[1]", "False"),
		  0, -1, FLOP_OTHER },
		{ "aten::convolution", "[2, 3], [8, 3]", "", CONV_OF("[1]", "[0]", "[1]", "False"), 0, -1,
		  FLOP_OTHER },
		/* dilations of two dimensions, where the filter has three */
		{ "aten::convolution", "[1, 1, 4, 4, 4], [1, 1, 2, 2, 2]", "",
		  CONV_OF("[1]", "[0]", "[1, 1]", "False"), 0, -1, FLOP_OTHER },
		{ "aten::convolution", "[1, 1, 1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 1, 1, 1]", "",
		  CONV_OF("[1]", "[0]", "[1]", "False"), 0, 4, FLOP_OTHER },
		/* the operations of a transposed convolution follow without the size of its output */
		{ "aten::convolution", "[1, 4, 5], [4, 6, 3]", "", CONV_OF("[0]", "[0]", "[1]", "True"), 0,
		  2 * 5 * 4 * 6 * 3, FLOP_OTHER },
		{ "aten::cudnn_convolution_backward", "[1, 2, 7], [1, 3, 5], [3, 2, 3]", "", "", 0,
		  2 * 5 * 3 * 2 * 3, FLOP_OTHER },
		{ "aten::cudnn_convolution_backward", "[1, 2, 7], [1, 3, 5, 4], [3, 2, 3]", "", "", 0, -1,
		  FLOP_OTHER },
		{ "aten::cudnn_convolution_backward", "[1, 2], [1, 3], [3, 2]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[2, 8, 5], [2, 3, 9, 7], [8, 3, 3, 3]", "",
		  BACKWARD_OF("False", "[True, True, True]"), 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[2, 8, 5, 3], [2, 3, 9], [8, 3, 3, 3]", "",
		  BACKWARD_OF("False", "[True, True, True]"), 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[2, 8], [2, 3], [8, 3]", "",
		  BACKWARD_OF("False", "[True, True, True]"), 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[1, 1, 1], [1, 1, 3], [1, 1, 3]", "",
		  BACKWARD_OF("False", "[True, False, None]"), 0, 6, FLOP_OTHER },
		{ "aten::convolution_backward", "[1, 1, 1], [1, 1, 3], [1, 1, 3]", "",
		  BACKWARD_OF("False", "[True, None, False]"), 0, -1, FLOP_OTHER },
		{ "aten::convolution_backward", "[1, 1, 1], [1, 1, 3], [1, 1, 3]", "",
		  BACKWARD_OF("None", "[True, True, True]"), 0, -1, FLOP_OTHER },
		/* each of query, key and value has four dimensions, and they fit each other */
		{ FLASH, "[2, 4, 8], [2, 4, 10, 0], [2, 4, 10, 6]", "", "", 0, -1, FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 0], [2, 4, 10], [2, 4, 10, 6]", "", "", 0, -1, FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 16], [2, 4, 10, 16], [2, 4, 10]", "", "", 0, -1, FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 16], [3, 4, 10, 16], [3, 4, 10, 6]", "", "", 0, -1, FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 16], [2, 4, 10, 16], [2, 4, 9, 6]", "", "", 0, -1, FLOP_OTHER },
		{ "aten::_flash_attention_forward", "[2, 8, 4, 16], [2, 9, 4, 16], [2, 8, 4, 16]", "", "",
		  0, -1, FLOP_OTHER },
		/* sizes whose three- or twofold, or whose sum, is beyond int64 */
		{ FLASH "_backward",
		  "[1], [0, 1, 1, 4000000000000000000], [0, 1, 1, 4000000000000000000], [0, 1, 1, 1]", "",
		  "", 0, -1, FLOP_OTHER },
		{ FLASH "_backward", "[1], [0, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 5000000000000000000]", "",
		  "", 0, -1, FLOP_OTHER },
		{ FLASH, "[0, 1, 1, 9223372036854775807], [0, 1, 1, 9223372036854775807], [0, 1, 1, 1]", "",
		  "", 0, -1, FLOP_OTHER },
		{ FLASH, "[0, 1, 1, 9223372036854775806], [0, 1, 1, 9223372036854775806], [0, 1, 1, 1]", "",
		  "", 0, 0, FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 0], [2, 4, 10, 0], [2, 4, 10, 6]", "", "", 0, 2 * 2 * 4 * 8 * 10 * 6,
		  FLOP_OTHER },
		{ FLASH, "[2, 4, 8, 6], [2, 4, 10, 6], [2, 4, 10, 0]", "", "", 0, 2 * 2 * 4 * 8 * 10 * 6,
		  FLOP_OTHER },
		{ "triton_poi_fused_mm_0", "[8]", "", "", 1, 1, FLOP_OTHER },
		{ "triton_tem_fused_mm_0", "[8]", "", "", 1, 1, FLOP_OTHER },
		{ "triton_poi_fused_add_0", "[8]", "", "", 0, 0, FLOP_OTHER },
		{ "triton_poi_fused_mm_0", "[8]", "c10::Half", "", 12, 12, FLOP_FLOAT16 },
		{ "triton_tem_fused_mm_0", "[8]", "", "", 7, 7, FLOP_OTHER },
		{ "triton_tem_fused_mm_0", "[8]", "", "", 0, -1, FLOP_OTHER },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct event ev = { .kind = EVENT_OP,
			                .input_dims = span_of(rows[i].dims),
			                .input_types = span_of(rows[i].types),
			                .concrete_inputs = span_of(rows[i].concrete),
			                .flops = rows[i].kernel };
		const struct flop_rule *rule = flop_rule_of(span_of(rows[i].op));
		enum flop_type type;
		assert_non_null(rule);
		int64_t flops = flop_count(rule, &ev, &type);
		if (flops != rows[i].flops || type != rows[i].type)
			fail_msg("row %zu, %s of %s: %" PRId64 " of type %d", i, rows[i].op, rows[i].dims,
			         flops, (int)type);
	}
	assert_null(flop_rule_of(SPAN("aten::linear")));
	assert_null(flop_rule_of(SPAN("aten::mm_")));
	assert_null(flop_rule_of(SPAN("")));
}

/* The type of a call is that of the first tensor that its formula uses. */
static void test_types(void **state)
{
	(void)state;
	static const char *const of_first[] = { "aten::mm",
		                                    "aten::bmm",
		                                    "aten::_scaled_mm",
		                                    "aten::convolution",
		                                    "aten::_convolution",
		                                    "aten::convolution_backward",
		                                    "aten::cudnn_convolution_backward",
		                                    "aten::_scaled_dot_product_flash_attention",
		                                    "aten::_scaled_dot_product_efficient_attention",
		                                    "aten::_scaled_dot_product_cudnn_attention",
		                                    "aten::_flash_attention_forward",
		                                    "flash_attn::_flash_attn_forward",
		                                    "FlashAttnFunc",
		                                    "aten::_efficient_attention_forward",
		                                    "aten::_int_mm",
		                                    "aten::_grouped_mm",
		                                    "aten::_scaled_grouped_mm",
		                                    "aten::cudnn_convolution_relu",
		                                    "aten::cudnn_convolution_add_relu",
		                                    "aten::miopen_convolution_relu",
		                                    "aten::miopen_convolution_add_relu",
		                                    "aten::_cudnn_rnn",
		                                    "aten::_cudnn_rnn_backward",
		                                    "aten::miopen_rnn",
		                                    "aten::miopen_rnn_backward",
		                                    "triton_tem_",
		                                    "triton_",
		                                    "aten::copy_",
		                                    "triton_poi",
		                                    "triton_tem_" };
	static const char *const of_second[] = {
		"aten::addmm",
		"aten::baddbmm",
		"aten::cudnn_convolution_backward_input",
		"aten::cudnn_convolution_backward_weight",
		"aten::_scaled_dot_product_flash_attention_backward",
		"aten::_scaled_dot_product_efficient_attention_backward",
		"aten::_scaled_dot_product_cudnn_attention_backward",
		"aten::_flash_attention_backward",
		"flash_attn::_flash_attn_backward",
		"aten::_efficient_attention_backward",
		"aten::_addmm_activation"
	};
	const struct event ev = { .input_types = SPAN("float, c10::Half") };
	enum flop_type type;
	for (size_t i = 0; i < sizeof of_first / sizeof *of_first; i++) {
		(void)flop_count(flop_rule_of(span_of(of_first[i])), &ev, &type);
		assert_int_equal(type, FLOP_FLOAT32);
	}
	for (size_t i = 0; i < sizeof of_second / sizeof *of_second; i++) {
		(void)flop_count(flop_rule_of(span_of(of_second[i])), &ev, &type);
		assert_int_equal(type, FLOP_FLOAT16);
	}
}

/* Bytes of all inputs and of the output. An input counts without the dimensions along which it is
   expanded, and an output has the widest floating-point type of the inputs that are not scalars. */
static void test_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *op, *dims, *types, *strides, *concrete;
		int64_t bytes;
	} rows[] = {
		{ "aten::sum", "[8, 2], []", "float, Scalar", "", "", 64 },
		{ "aten::sum", "[8], -", "float, ", "", "", 32 },
		{ "aten::sum", "[8]", "bool", "", "", 8 },
		{ "aten::sum", "[8]", "unsigned char", "", "", 8 },
		{ "aten::sum", "[8]", "signed char", "", "", 8 },
		{ "aten::sum", "[8]", "char", "", "", 8 },
		{ "aten::sum", "[8]", "c10::Half", "", "", 16 },
		{ "aten::sum", "[8]", "c10::BFloat16", "", "", 16 },
		{ "aten::sum", "[8]", "short int", "", "", 16 },
		{ "aten::sum", "[8]", "short", "", "", 16 },
		{ "aten::sum", "[8]", "int", "", "", 32 },
		{ "aten::sum", "[8]", "float", "", "", 32 },
		{ "aten::sum", "[8]", "long int", "", "", 64 },
		{ "aten::sum", "[8]", "long", "", "", 64 },
		{ "aten::sum", "[8]", "long long", "", "", 64 },
		{ "aten::sum", "[8]", "double", "", "", 64 },
		{ "aten::sum", "[8]", "c10::complex<float>", "", "", 64 },
		{ "aten::sum", "[8]", "c10::complex<double>", "", "", 128 },
		{ "aten::sum", "[8]", "c10::Float8_e5m2", "", "", 8 },
		{ "aten::sum", "", "float", "", "", -1 },
		{ "aten::sum", "[8]", "", "", "", -1 },
		{ "aten::sum", "[8], -", "float, float", "", "", -1 },
		{ "aten::sum", "[8], [3]", "float, Foo", "", "", -1 },
		{ "aten::sum", "[8], [[2], [3]]", "float, TensorList", "", "", -1 },
		{ "aten::sum", "[1, 1, 1, 1, 1, 1, 1, 2]", "float", "", "", 8 },
		{ "aten::sum", "[1, 1, 1, 1, 1, 1, 1, 1, 2]", "float", "", "", -1 },
		{ "aten::sum", "[1152921504606846975]", "double", "", "", 9223372036854775800 },
		/* a sum beyond int64, which a third input would make positive again */
		{ "aten::sum", "[1152921504606846975], [1152921504606846975], [1152921504606846975]",
		  "double, double, double", "", "", -1 },
		{ "aten::neg", "[1152921504606846975]", "double", "", "", -1 },
		{ "aten::neg", "[8]", "double", "", "", 128 },
		{ "aten::neg", "[8, 2]", "double", "[1, 0]", "", 128 },
		{ "aten::_softmax", "[8], [2]", "float, double", "", "", 32 + 16 + 32 },
		{ "aten::add", "[4, 3], [3]", "float, float", "[3, 1], [1]", "", 48 + 12 + 48 },
		{ "aten::add", "[4, 3], [4, 3]", "float, float", "[3, 1], [0, 1]", "", 48 + 12 + 48 },
		{ "aten::add", "[4, 3], [4, 3]", "float, float", "[3, 1], [0]", "", 48 + 48 + 48 },
		{ "aten::add", "[3], [4, 1]", "float, float", "", "", 12 + 16 + 48 },
		{ "aten::add", "[1, 3], [0, 3]", "float, float", "", "", 12 },
		{ "aten::add", "[2], []", "c10::Half, double", "", "", 4 + 8 + 4 },
		{ "aten::add", "[2], [2]", "long int, c10::Half", "", "", 16 + 4 + 4 },
		{ "aten::add", "[2], [2]", "float, double", "", "", 8 + 16 + 16 },
		{ "aten::add", "[], []", "float, double", "", "", 4 + 8 + 4 },
		{ "aten::eq", "[4, 3], [3]", "float, float", "", "", 48 + 12 + 12 },
		/* inputs behind the two matrices do not count, unless texts were cut before they ended */
		{ "aten::mm", "[2, 3], [3, 5], [2, 5]", "float, float, float", "", "", 24 + 60 + 40 },
		{ "aten::mm", "[2, 3], [3, 5], …", "float, float, float", "", "", -1 },
		{ "aten::mm", "[2, 3], [3, 5], [2, 5]", "float, float, …", "", "", -1 },
		{ "aten::mm", "[2, 3], [3, 5], [2, 5]", "float, float, float", "[3, 1], [5, 1], …", "",
		  -1 },
		{ "aten::mm", "[2, 3], [4, 5]", "float, float", "", "", -1 },
		{ "aten::addmm", "[5], [2, 3], [3, 5]", "float, float, float", "", "", 20 + 24 + 60 + 40 },
		{ "aten::_scaled_mm", "[2, 3], [3, 5]", "float, float", "", "", -1 },
		{ "aten::convolution", "[1, 1, 5], [2, 1, 3], [2]", "float, float, float", "",
		  CONV_OF("[1]", "[0]", "[1]", "False"), 20 + 24 + 8 + 24 },
		{ "aten::convolution", "[1, 1, 2], [2, 1, 3], [2]", "float, float, float", "",
		  CONV_OF("[1]", "[0]", "[1]", "False"), -1 },
		{ "aten::convolution", "[1, 4, 5], [4, 6, 3]", "float, float", "",
		  "-, -, -, [2], [1], [3], True, [1], 2", 80 + 288 + 2 * 6 * 14 * 4 },
		{ "aten::convolution", "[1, 4, 5], [4, 6, 3]", "float, float", "",
		  "-, -, -, [2], [1], [3], True, [1]", -1 },
		{ "aten::convolution", "[1, 4, 1], [4, 6, 1]", "float, float", "",
		  CONV_OF("[1]", "[0]", "[1]", "True"), 16 + 96 + 24 },
		{ "aten::convolution", "[1, 4, 1], [4, 6, 1]", "float, float", "",
		  CONV_OF("[1]", "[1]", "[1]", "True"), -1 },
		{ "aten::convolution_backward", "[1, 2, 3], [1, 1, 5], [2, 1, 3], [9]",
		  "float, float, float, float", "", BACKWARD_OF("False", "[True, True, True]"),
		  24 + 20 + 24 + 20 + 24 + 8 },
		{ "aten::convolution_backward", "[1, 2, 3], [1, 1, 5], [2, 1, 3]", "float, float, float",
		  "", BACKWARD_OF("False", "[False, True, False]"), 24 + 20 + 24 + 24 },
		{ "aten::convolution_backward", "[1, 2, 3], [1, 1, 5], [2, 1, 3]", "float, float, float",
		  "", BACKWARD_OF("False", "[True, None, False]"), -1 },
		{ "aten::convolution_backward", "[1, 1, 2], [1, 1, 4611686018427387904], [1, 1, 1]",
		  "float, float, float", "[2, 2, 1], [0, 0, 0], [1, 1, 1]",
		  BACKWARD_OF("False", "[True, True, False]"), -1 },
		{ "aten::cudnn_convolution_backward", "[1, 2, 7], [1, 3, 5], [3, 2, 3], [9]",
		  "float, float, float, float", "", "", 56 + 60 + 72 },
		{ FLASH, "[2, 4, 8, 16], [2, 4, 10, 16], [2, 4, 10, 6]", "c10::Half, c10::Half, c10::Half",
		  "", "", 2 * (1024 + 1280 + 480 + 384) },
		{ FLASH, "[2, 4, 8, 16], [2, 4, 10, 15], [2, 4, 10, 6]", "c10::Half, c10::Half, c10::Half",
		  "", "", -1 },
		{ FLASH "_backward", "[1, 1, 2, 5], [1, 1, 2, 3], [1, 1, 4, 3], [1, 1, 4, 5]",
		  "float, float, float, float", "", "", 4 * (10 + 2 * (6 + 12 + 20)) },
		{ FLASH "_backward", "[1, 1, 2, 5], [1, 1, 2, 3], [1, 1, 4, 2], [1, 1, 4, 5]",
		  "float, float, float, float", "", "", -1 },
		/* calls without any operation */
		{ "aten::mm", "[0, 3], [3, 5]", "float, float", "", "", 60 },
		{ "aten::mm", "[2, 0], [0, 5]", "float, float", "", "", 40 },
		{ "aten::convolution_backward", "[1, 2, 3], [1, 1, 5], [2, 1, 3]", "float, float, float",
		  "", BACKWARD_OF("False", "[False, False, False]"), 24 + 20 + 24 },
		{ FLASH, "[2, 4, 0, 16], [2, 4, 10, 16], [2, 4, 10, 6]", "c10::Half, c10::Half, c10::Half",
		  "", "", 2 * (1280 + 480) },
		{ FLASH "_backward", "[1, 1, 0, 5], [1, 1, 0, 3], [1, 1, 4, 3], [1, 1, 4, 5]",
		  "float, float, float, float", "", "", 4 * 2 * (12 + 20) },
		/* of a table only the rows that the index selects, once in and once out */
		{ "aten::embedding", "[10, 4], [3]", "float, long int", "", "", 3 * (8 + 2 * 16) },
		{ "aten::embedding", "[10], [3]", "float, long int", "", "", 3 * (8 + 2 * 4) },
		{ "aten::embedding", "[10, 4], []", "float, long int", "", "", 8 + 2 * 16 },
		{ "aten::embedding", "[], [3]", "float, long int", "", "", -1 },
		{ "aten::embedding", "[10, 4]", "float, long int", "", "", -1 },
		{ "aten::embedding", "[10, 4], []", "float, Scalar", "", "", -1 },
		{ "aten::embedding", "[1, 1152921504606846974], [1]", "float, long int", "", "",
		  9223372036854775800 },
		{ "aten::embedding", "[1, 1152921504606846975], [0]", "float, long int", "", "", -1 },
		{ "aten::embedding", "[1, 2000000000000000000], [3]", "float, long int", "", "", -1 },
		{ "triton_poi_fused_add_0", "[8], [8]", "float, float", "", "", 64 },
		{ "triton_tem_fused_mm_0", "[8], [8]", "float, float", "", "", -1 },
		{ "aten::max_pool2d_with_indices", "[8]", "float", "", "", 32 },
		/* kernels whose names show that they may read parts of their arguments */
		{ "triton_poi_fused_Embedding_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_index_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_gather_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_scatter_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_slice_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_select_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_split_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_cat_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_avg_pool2d_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_constant_pad_nd_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_roll_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_unfold_0", "[8]", "float", "", "", -1 },
		{ "triton_poi_fused_sort_0", "[8]", "float", "", "", -1 },
	};
	struct name_table names;
	name_table_init(&names);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct event ev = { .kind = EVENT_OP,
			                .name = name_intern(&names, span_of(rows[i].op)),
			                .input_dims = span_of(rows[i].dims),
			                .input_types = span_of(rows[i].types),
			                .input_strides = span_of(rows[i].strides),
			                .concrete_inputs = span_of(rows[i].concrete) };
		const struct flop_rule *rule = flop_rule_of(span_of(rows[i].op));
		enum flop_type type;
		assert_non_null(rule);
		int64_t bytes = byte_count(rule, &ev, flop_count(rule, &ev, &type));
		if (bytes != rows[i].bytes)
			fail_msg("row %zu, %s of %s: %" PRId64, i, rows[i].op, rows[i].dims, bytes);
	}
	name_table_release(&names);
}

/* A convolution takes the size of its output from its backward operator if this has the same input
   and the same weights. */
static void test_by_backward(void **state)
{
	(void)state;
	static const struct {
		const char *op, *dims, *types, *backward;
		int64_t flops, bytes;
	} rows[] = {
#define OF "[1, 2, 7], [3, 2, 3], [3]"
#define BACK "[1, 2, 7], [1, 3, 5], [3, 2, 3]"
		{ "aten::_convolution", OF, "float, float, float", BACK, 180, 56 + 72 + 12 + 60 },
		{ "aten::_convolution", OF, "", BACK, 180, -1 },
		{ "aten::mm", OF, "float, float, float", BACK, -1, 0 },
		{ "aten::_convolution", OF, "float", "[1, 2, 7], [1, 3], [3, 2, 3]", -1, 0 },
		{ "aten::_convolution", OF, "float", "[1, 2, 8], [1, 3, 5], [3, 2, 3]", -1, 0 },
		{ "aten::_convolution", OF, "float", "[1, 2, 7], [1, 3, 5], [3, 2, 2]", -1, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct event ev = { .kind = EVENT_OP,
			                .input_dims = span_of(rows[i].dims),
			                .input_types = span_of(rows[i].types) };
		int64_t bytes = 0;
		int64_t flops = flop_count_by_backward(flop_rule_of(span_of(rows[i].op)), &ev,
		                                       span_of(rows[i].backward), &bytes);
		if (flops != rows[i].flops || bytes != rows[i].bytes)
			fail_msg("row %zu: %" PRId64 ", bytes: %" PRId64, i, flops, bytes);
	}
}

/* ---- operations of a step ---- */

#define MM "#[2, 3], [3, 5] float\n"
/* A convolution whose inputs do not tell its output, a launch and its kernel. */
#define CONV(at, size, number, id)                                                             \
	"O aten::_convolution 1 " at " 5 #[1, 2, " size "], [3, 2, 3, 3] float, float" number "\n" \
	"R cudaLaunchKernel 1 " id " " at " 1\nK k 0 7 " id " " at " 3\n"
#define BACKWARD(at, number)                                            \
	"O ConvolutionBackward 2 " at " 9 #[1, 3, 3, 9] float " number "\n" \
	"O aten::cudnn_convolution_backward 2 " at                          \
	" 8 #[1, 2, 5, 11], [1, 3, 3, 9], [3, 2, 3, 3] float, float, float\n"
#define BIG "#[3037000500, 1], [1, 1518500249] float\n"

static void test_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "what a GPU did",
		  "O aten::mm 1 0 10 " MM "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n"
		  "O aten::mm 1 20 10 " MM "R cudaLaunchKernel 1 2 25 1\nK k 0 7 2 60 3\n",
		  "flops", "[aten::mm/2: 2 120 0 7]", NULL, 0 },
		{ "not what the host did, and not on another thread",
		  "O aten::mm 1 0 10 " MM "R cudaLaunchKernel 2 1 5 1\nK k 0 7 1 50 4\n"
		  "O aten::mm 1 20 10 " MM "R cudaLaunchKernel 1 2 30 1\nK k 0 7 2 60 3\n",
		  "flops", "", NULL, 0 },
		{ "the outermost of those that count",
		  "O aten::addmm 1 0 30 #[5], [2, 3], [3, 5] float, float\nO aten::mm 1 2 20 " MM
		  "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n",
		  "flops", "[aten::addmm/2: 1 60 0 4]", NULL, 0 },
		{ "through one that does not",
		  "O aten::addmm 1 0 30 #[5], [2, 3], [3, 5] float, float\nO x 1 1 25\nO aten::mm 1 2 "
		  "20 " MM "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n",
		  "flops", "[aten::addmm/2: 1 60 0 4]", NULL, 0 },
		{ "behind it again",
		  "O aten::addmm 1 0 10 #[5], [2, 3], [3, 5] float, float\nO aten::mm 1 10 10 " MM
		  "R cudaLaunchKernel 1 1 5 1\nR cudaLaunchKernel 1 2 15 1\nK k 0 7 1 50 4\nK k 0 7 2 60 "
		  "5\n",
		  "flops", "[aten::addmm/2: 1 60 0 4][aten::mm/2: 1 60 0 5]", NULL, 0 },
		{ "of the measured steps, by their begin",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nO aten::mm 1 5 10 " MM
		  "O aten::mm 1 15 2 " MM "R cudaLaunchKernel 1 1 6 1\nR cudaLaunchKernel 1 2 16 1\n"
		  "K k 0 7 1 50 4\nK k 0 7 2 60 5\n",
		  "flops", "[aten::mm/2: 1 60 0 5]", NULL, 1 },
		{ "shapes that do not fit",
		  "O aten::mm 1 0 10 #[2, 3], [4, 5] float\nR cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n",
		  "flops", "[aten::mm/2: 0 0 1 4]", NULL, 0 },
		{ "nothing recorded, nothing said",
		  "O aten::mm 1 0 10\nR cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\nR cudaGraphLaunch 1 2 6 "
		  "1\n",
		  "flops", "", NULL, 0 },
		{ "replays",
		  "O aten::mm 1 0 10 " MM "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n"
		  "R hipGraphLaunch 1 2 20 1\nR cudaGraphLaunch 1 3 21 1\n",
		  "flops", "[GPU graphs/0: 0 0 2 0][aten::mm/2: 1 60 0 4]", NULL, 0 },
		{ "a sum beyond int64",
		  "O aten::mm 1 0 10 " BIG "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n"
		  "O aten::mm 1 20 10 " BIG "R cudaLaunchKernel 1 2 25 1\nK k 0 7 2 60 3\n",
		  "flops", "[aten::mm/2: 1 9223372030926249000 1 7]", NULL, 0 },
		/* in PyTorch up to 1.10 the backward tells what the forward call does not; other calls of
		   its sequence number keep what they tell */
		{ "sized by a backward",
		  CONV("10", "5, 11", " ~8", "2") CONV("15", "5, 11", " ~15", "10")
		      CONV("20", "5, 11", " ~12", "3") CONV("30", "5, 11", " ~20", "4")
		          CONV("40", "5, 11", "", "5") CONV("50", "5, 11", " ~8/1", "6") CONV(
		              "60", "7, 13", " ~8",
		              "7") "O aten::copy_ 1 5 5 #[2], [2] float, float ~7\nR cudaLaunchKernel 1 1 "
		                   "6 1\nK k 0 7 1 50 4\n"
		                   "O aten::_convolution 1 70 5 ~8\nR cudaLaunchKernel 1 8 71 1\nK k 0 7 8 "
		                   "70 1\n"
		                   "O aten::mm 1 80 10 #[2, 0], [0, 5] float ~8\nR cudaLaunchKernel 1 9 81 "
		                   "1\nK k 0 7 9 80 2\n" BACKWARD("30", "~12/1") BACKWARD("40", "~12/1")
		                       BACKWARD("50", "~15/1") BACKWARD("60", "~9/1") BACKWARD("70", "~8/1")
		                           BACKWARD("80", "~15"),
		  "flops",
		  "[aten::_convolution/0: 0 0 1 1][aten::_convolution/2: 2 5832 5 21][aten::copy_/2: 0 0 0 "
		  "0][aten::mm/2: 0 0 0 0]",
		  NULL, 0 },
		{ "with its bytes", NULL, "bytes",
		  "[aten::_convolution: 0 1][aten::_convolution: 1960 5][aten::copy_: 16 0][aten::mm: 40 "
		  "0]",
		  NULL, 0 },
		/* numbers between those of backward operators, and beyond them */
		{ "sized by a backward alone that has inputs",
		  CONV("10", "5, 11", " ~8", "1") CONV("20", "5, 11", " ~10", "2") CONV("30", "5, 11",
		                                                                        " ~30", "3")
		      CONV("40", "5, 11", " ~31",
		           "4") "O ConvolutionBackward 2 30 9 ~31/1\nO aten::cudnn_convolution_backward "
		                "2 30 8\n" BACKWARD("40", "~8/1") BACKWARD("50", "~12/1")
		                    BACKWARD("60", "") "O ConvolutionBackward 2 70 9 ~30/1\n"
		                                       "O aten::cudnn_convolution_backward 2 70 8\n"
		                                       "O aten::_convolution 1 80 5 ~8\n"
		                                       "R cudaLaunchKernel 1 5 80 1\nK k 0 7 5 80 1\n",
		  "flops", "[aten::_convolution/0: 0 0 1 1][aten::_convolution/2: 1 2916 3 12]", NULL, 0 },
		{ "a backward that nothing calls lends to none",
		  "O aten::cudnn_convolution_backward 2 30 8 #[1, 2, 5, 11], [1, 3, 3, 9], [3, 2, 3, 3] "
		  "float\n" CONV("10", "5, 11", " ~8", "1"),
		  "flops", "[aten::_convolution/2: 0 0 1 3]", NULL, 0 },
		{ "on three threads, whatever their order",
		  "O aten::mm 1 0 10 " MM "O aten::mm 2 0 10 " MM
		  "O aten::bmm 3 0 10 #[1, 2, 3], [1, 3, 5] "
		  "float\nR cudaLaunchKernel 3 1 5 1\nR cudaLaunchKernel 1 2 5 1\n"
		  "R cudaLaunchKernel 2 3 5 1\nR cudaLaunchKernel 1 4 6 1\nK k 0 7 1 50 1\n"
		  "K k 0 7 2 60 2\nK k 0 7 3 70 4\nK k 0 7 4 80 8\n",
		  "flops", "[aten::bmm/2: 1 60 0 1][aten::mm/2: 2 120 0 14]", NULL, 0 },
		{ "replays at the beginning of the file",
		  "R cudaGraphLaunch 1 3 21 1\nO aten::mm 1 0 10 " MM
		  "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n",
		  "flops", "[GPU graphs/0: 0 0 1 0][aten::mm/2: 1 60 0 4]", NULL, 0 },
		{ "no bytes are a known number of bytes",
		  "O aten::neg 1 0 10 #[0] float\nR cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n", "bytes",
		  "[aten::neg: 0 0]", NULL, 0 },
		{ "copies within a GPU move bytes of its memory",
		  "O aten::copy_ 1 0 10 #[2], [2] float, float\nR cudaMemcpyAsync 1 1 5 1\n"
		  "C Memcpy_DtoD 0 7 1 50 4\n",
		  "bytes", "[aten::copy_: 16 0]", NULL, 0 },
		{ "copies from the host do not",
		  "O aten::copy_ 1 0 10 #[2], [2] float, float\nR cudaMemcpyAsync 1 1 5 1\n"
		  "C Memcpy_HtoD 0 7 1 50 4\n",
		  "bytes", "", NULL, 0 },
		{ "nor does a product that copies from there",
		  "O aten::mm 1 0 10 " MM "R cudaMemcpyAsync 1 1 5 1\nC Memcpy_HtoD 0 7 1 50 4\n", "bytes",
		  "[aten::mm: 0 0]", NULL, 0 },
		{ "replays in measured steps alone",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "O aten::mm 1 10 8 " MM "R cudaLaunchKernel 1 1 15 1\nK k 0 7 1 50 4\n"
		  "R cudaGraphLaunch 1 2 9 1\nR cudaGraphLaunch 1 3 19 1\nR cudaGraphLaunch 1 4 30 1\n"
		  "K k 0 7 3 60 4\nR x 1 5 25 1\nK k 0 7 5 70 4\n",
		  "flops", "[GPU graphs/0: 0 0 1 0][aten::mm/2: 1 60 0 4]", NULL, 1 },
		{ "calls in a backward that tell nothing",
		  BACKWARD(
		      "30",
		      "~8/1") "O aten::cudnn_convolution_backward_input 2 32 1 #[], [1, 3, 9] -, float\n"
		              "R cudaLaunchKernel 2 1 32 1\nK k 0 7 1 50 4\n"
		              "O aten::cudnn_convolution_backward_weight 2 33 1 #[], [1, 3, 9] -, float\n"
		              "R cudaLaunchKernel 2 2 33 1\nK k 0 7 2 60 3\n"
		              "O aten::mm 2 34 1 #[2, 0], [0, 5] float\nR cudaLaunchKernel 2 3 34 1\nK k 0 "
		              "7 3 70 2\n",
		  "flops",
		  "[aten::cudnn_convolution_backward_input/2: 1 2916 0 "
		  "4][aten::cudnn_convolution_backward_weight/2: 1 2916 0 3][aten::mm/2: 0 0 0 0]",
		  NULL, 0 },
		{ "types apart",
		  "O aten::mm 1 0 10 " MM "R cudaLaunchKernel 1 1 5 1\nK k 0 7 1 50 4\n"
		  "O aten::mm 1 20 10 #[2, 3], [3, 5] c10::Half\nR cudaLaunchKernel 1 2 25 1\nK k 0 7 2 60 "
		  "3\n",
		  "flops", "[aten::mm/2: 1 60 0 4][aten::mm/3: 1 60 0 3]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* What limits the time of a call of an operator with one or two kernels. A kernel is short below
   10 us, and small if it has blocks for less than half of the multiprocessors of the smallest GPU;
   both count only if a GPU could have done the work in less than half of the time. */
static void test_roofline(void **state)
{
	(void)state;
#define H100 "NVIDIA H100 80GB HBM3"
#define ARITHMETIC \
	"[1000, 1000], [1000, 1000] c10::Half, c10::Half" /* 2021 ns of arithmetic, 1791 of memory */
#define MEMORY \
	"[1000, 100], [100, 1000] c10::Half, c10::Half" /* 202 ns of arithmetic, 716 of memory */
#define SQUARE(n) "[" n ", " n "], [" n ", " n "] float, float"
#define FLASH_BACK "flash_attn::_flash_attn_backward"
	static const struct {
		const char *gpu, *op, *inputs;
		int64_t kernels[2][2]; ///< duration and number of blocks, of which 0 is unknown
		int64_t sms[2];
		const char *expect; ///< time for its bytes and at the peak; time that memory, arithmetic
		                    ///< and neither limit
	} rows[] = {
		{ H100, "aten::mm", ARITHMETIC, { { 20000 } }, { 132 }, "1791 2021 0 20000 0" },
		{ H100, "aten::mm", MEMORY, { { 20000 } }, { 132 }, "716 716 20000 0 0" },
		{ H100,
		  "aten::mm",
		  "[1, 1], [1, 1] c10::Half, c10::Half",
		  { { 20000 } },
		  { 132 },
		  "0 0 20000 0 0" },
		/* bytes that would take longer than the kernel came from a cache */
		{ H100, "aten::mm", ARITHMETIC, { { 1900 } }, { 132 }, "1791 1900 0 1900 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 1700 } }, { 132 }, "1700 1700 0 1700 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 9999 } }, { 132 }, "1791 2021 0 0 9999" },
		{ H100, "aten::mm", ARITHMETIC, { { 10000 } }, { 132 }, "1791 2021 0 10000 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 9999 }, { 10000 } }, { 132 }, "1791 2021 0 0 19999" },
		{ H100, "aten::mm", ARITHMETIC, { { 4043 } }, { 132 }, "1791 2021 0 4043 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 4044 } }, { 132 }, "1791 2021 0 0 4044" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 66 } }, { 132 }, "1791 2021 0 20000 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 65 } }, { 132 }, "1791 2021 0 0 20000" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 65 } }, { 0 }, "1791 2021 0 20000 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 65 } }, { 132, 130 }, "1791 2021 0 20000 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 65 } }, { 130, 132 }, "1791 2021 0 20000 0" },
		{ H100, "aten::mm", ARITHMETIC, { { 20000, 64 } }, { 130, 132 }, "1791 2021 0 0 20000" },
		{ H100,
		  "aten::mm",
		  ARITHMETIC,
		  { { 15000, 1 }, { 15000, 90 } },
		  { 132 },
		  "1791 2021 0 30000 0" },
		{ H100,
		  "aten::mm",
		  ARITHMETIC,
		  { { 15001, 1 }, { 15000, 90 } },
		  { 132 },
		  "1791 2021 0 0 30001" },
		/* operators without arithmetic; types for which the GPU has no rate: by operations per byte
		 */
		{ H100, "aten::neg", "[3350000] float", { { 20000 } }, { 132 }, "8000 8000 20000 0 0" },
		{ H100, "aten::neg", "[8] float", { { 20000 } }, { 132 }, "0 0 20000 0 0" },
		{ H100, "aten::mm", SQUARE("60"), { { 20000 } }, { 132 }, "13 0 20000 0 0" },
		{ H100, "aten::mm", SQUARE("61"), { { 20000 } }, { 132 }, "13 0 0 0 0" },
		{ "unknown", "aten::mm", SQUARE("60"), { { 20000 } }, { 132 }, "0 0 20000 0 0" },
		{ "unknown", "aten::mm", SQUARE("61"), { { 20000 } }, { 132 }, "0 0 0 0 0" },
		{ "unknown", "aten::mm", SQUARE("1799"), { { 20000 } }, { 132 }, "0 0 0 0 0" },
		{ "unknown", "aten::mm", SQUARE("1800"), { { 20000 } }, { 132 }, "0 0 0 20000 0" },
		{ "unknown", "aten::mm", SQUARE("1800"), { { 9999 } }, { 132 }, "0 0 0 0 9999" },
		/* a call whose operations are unknown is limited by nothing that is known */
		{ H100,
		  FLASH_BACK,
		  "[1, 1, 2, 5], [1, 1, 2, 3], [1, 1, 4, 2] c10::Half, c10::Half, c10::Half",
		  { { 20000 } },
		  { 132 },
		  "0 0 0 0 0" },
		{ H100,
		  FLASH_BACK,
		  "[0, 1, 2, 5], [0, 1, 2, 3], [0, 1, 4, 2] c10::Half, c10::Half, c10::Half",
		  { { 20000 } },
		  { 132 },
		  "0 0 0 0 0" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		char line[256];
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		for (int64_t k = 0; k < 2 && (k == 0 || rows[i].sms[k]); k++)
			vec_push(&g.meta.devices, (struct trace_device){ k, rows[i].gpu, 1, rows[i].sms[k] });
		snprintf(line, sizeof line, "O %s 1 0 100 #%s", rows[i].op, rows[i].inputs);
		rig_line(&g, line);
		for (int64_t k = 0, at = 0; k < 2 && rows[i].kernels[k][0]; at += rows[i].kernels[k++][0]) {
			snprintf(line, sizeof line, "R cudaLaunchKernel 1 %d %d 1", (int)k + 1, (int)k);
			rig_line(&g, line);
			struct event e = event_blank(EVENT_KERNEL);
			e.name = name_intern(&g.names, SPAN("k"));
			e.device = 0;
			e.correlation = k + 1;
			e.start_ns = 1000 + at;
			e.dur_ns = rows[i].kernels[k][0];
			e.grid[0] = rows[i].kernels[k][1];
			e.grid[1] = e.grid[2] = 1;
			rig_event(&g, &e);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		if (g.d->flops.nr != 1)
			fail_msg("row %zu, %s: %zu operators", i, rows[i].op, g.d->flops.nr);
		const struct flop_stat *f = &g.d->flops.v[0];
		assert_int_equal(f->sized_ns, rows[i].kernels[0][0] + rows[i].kernels[1][0]);
		rig_numbers(
		    &out, (int64_t[]){ f->moved_ns, f->roof_ns, f->memory_ns, f->compute_ns, f->short_ns },
		    5);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("row %zu, %s of %s: %s", i, rows[i].op, rows[i].inputs, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

/* Kernels of Inductor have their operations recorded, where no inputs are. Only then replays count
   as operators that cannot be seen. */
static void test_recorded(void **state)
{
	(void)state;
#define LAUNCH(id, at) "R cudaLaunchKernel 1 " id " " at " 1\n"
#define GRAPH(id, at) "R cudaGraphLaunch 1 " id " " at " 1\n"
	static const struct {
		int64_t flops[2]; ///< of the operators from 0 to 10 and from 20 to 30 ns
		const char *script, *expect;
	} rows[] = {
		{ { 12, 30 }, GRAPH("3", "50"), "" },
		{ { 12, 30 },
		  LAUNCH("1", "5") LAUNCH("2", "25") GRAPH("3", "50") "K k 0 7 1 50 4\nK k 0 7 2 60 3\n",
		  "[GPU graphs/0: 0 0 1 0][triton/0: 2 42 0 7]" },
		{ { 1, 0 },
		  LAUNCH("1", "5") LAUNCH("2", "25") GRAPH("3", "50") "K k 0 7 1 50 4\nK k 0 7 2 60 3\n",
		  "[GPU graphs/0: 0 0 1 0][triton/0: 1 1 0 4]" },
		{ { 0, 0 },
		  LAUNCH("1", "5") LAUNCH("2", "25") GRAPH("3", "50") "K k 0 7 1 50 4\nK k 0 7 2 60 3\n",
		  "" },
		/* of the first operator, a capture */
		{ { 1, 0 },
		  "R cudaStreamBeginCapture 1 -1 1 1\n" LAUNCH(
		      "1", "5") "R cudaStreamEndCapture 1 -1 9 1\n" GRAPH("3", "50")
		      GRAPH("4", "60") "K k 0 7 3 70 4\nK k 0 7 4 80 4\nK k 0 7 4 90 4\n",
		  "[GPU graphs/0: 0 0 1 0][triton/0: 1 1 0 4]" },
		{ { 0, 0 },
		  "R cudaStreamBeginCapture 1 -1 1 1\n" LAUNCH(
		      "1", "5") "R cudaStreamEndCapture 1 -1 9 1\n" GRAPH("3", "50")
		      GRAPH("4", "60") "K k 0 7 3 70 4\nK k 0 7 4 80 4\nK k 0 7 4 90 4\n",
		  "" },
		{ { 12, 0 },
		  "R cudaStreamBeginCapture 1 -1 1 1\n" LAUNCH(
		      "1", "5") "R cudaStreamEndCapture 1 -1 9 1\n" GRAPH("4", "60") "K k 0 7 4 80 4\nK k "
		                                                                     "0 7 4 90 4\n",
		  "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		for (int k = 0; k < 2; k++) {
			struct event e = event_blank(EVENT_OP);
			e.name = name_intern(&g.names, k ? SPAN("triton_poi_mm_1") : SPAN("triton_poi_mm_0"));
			e.pid = e.tid = 1;
			e.start_ns = 20 * k;
			e.dur_ns = 10;
			e.flops = rows[i].flops[k];
			rig_event(&g, &e);
		}
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_show(g.d, "flops", &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("row %zu: %s", i, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

/* Calls that are alike in all texts are computed once, also after a call of other lengths. Calls
   that differ in one text, in its first byte, or in the recorded operations, are computed each. */
static void test_known_calls(void **state)
{
	(void)state;
	enum { TEXTS = 5 };
	for (size_t k = 0; k <= TEXTS; k++) {
		struct rig g;
		rig_open(&g, NULL);
		struct event ev[3];
		for (size_t i = 0; i < 3; i++) {
			const char *text[TEXTS];
			for (size_t n = 0; n < TEXTS; n++)
				text[n] = i == 1 && n == k ? "triton_B_12345678"
				          : i == 2         ? "triton_longer_12345678"
				                           : "triton_A_12345678";
			ev[i] = event_blank(EVENT_OP);
			ev[i].input_dims = span_of(text[0]);
			ev[i].name = name_intern(&g.names, span_of(text[1]));
			ev[i].concrete_inputs = span_of(text[2]);
			ev[i].input_types = span_of(text[3]);
			ev[i].input_strides = span_of(text[4]);
			ev[i].flops = i == 1 && k == TEXTS ? 7 : 5;
		}
		static const size_t order[][2] = { { 0, 1 }, { 0, 1 }, { 2, 2 }, { 0, 2 },
			                               { 1, 3 }, { 1, 3 }, { 0, 4 } };
		for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
			rig_event(&g, &ev[order[i][0]]);
			if (g.r->flops.sizes.nr != order[i][1])
				fail_msg("text %zu, call %zu: %zu", k, i, g.r->flops.sizes.nr);
			assert_int_equal(g.r->flops.ops.v[i].size + 1, i == 3 ? 1 : order[i][1]);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_close(&g);
	}
}

/* ---- operations of a digest ---- */

static void add(struct digest *d, const char *op, enum flop_type type, int64_t flops,
                int64_t uncounted)
{
	vec_push(
	    &d->flops,
	    (struct flop_stat){
	        .op = span_of(op), .type = type, .count = 1, .flops = flops, .uncounted = uncounted });
}

static void test_figures(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	int64_t flops = 0;
	d->usable_steps = 4;
	assert_false(flops_per_step(d, &flops));
	assert_int_equal(flops_type(d), FLOP_OTHER);
	digest_set_env(d, SPAN("precision"), SPAN("BF16"));
	assert_int_equal(flops_type(d), FLOP_BFLOAT16);
	add(d, "aten::mm", FLOP_FLOAT16, 990, 0);
	add(d, "aten::mm", FLOP_FLOAT32, 10, 0);
	assert_int_equal(flops_type(d), FLOP_FLOAT16);
	assert_true(flops_per_step(d, &flops));
	assert_int_equal(flops, 250);
	d->flops.v[1].flops++; /* 98.9 % of the operations are of one type, which is not enough */
	assert_int_equal(flops_type(d), FLOP_OTHER);
	d->flops.v[1].uncounted = 1;
	assert_false(flops_per_step(d, &flops));
	digest_free(d);
}

static void test_peaks(void **state)
{
	(void)state;
	static const struct {
		const char *gpu, *precision, *context;
		int64_t micro_tflops; /* expected peak, 0 if unknown */
	} rows[] = {
		{ "NVIDIA H100 80GB HBM3", "bf16", NULL, 989500000 },
		{ "NVIDIA H100 80GB HBM3", "fp8", NULL, 1979000000 },
		{ "NVIDIA H100 80GB HBM3", "fp32", NULL, 0 },
		{ "NVIDIA H100 80GB HBM3", NULL, NULL, 0 },
		{ "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "bf16", NULL, 0 },
		{ "A100-SXM4-40GB", "fp16", NULL, 312000000 },
		{ "NVIDIA A100-SXM4-80GB", "fp8", NULL, 0 },
		{ "Tesla V100-SXM2-16GB", "bfloat16", NULL, 0 },
		{ "AMD Instinct MI300X", "half", NULL, 1307400000 },
		{ "a GPU of tomorrow", "bf16", NULL, 0 },
		{ "NVIDIA H100 80GB HBM3", "bf16", "500.25", 500250000 },
		{ "NVIDIA H100 80GB HBM3", "bf16", "0", 0 },
		{ NULL, NULL, "1e3", 1000000000 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct digest *d = digest_new();
		struct flop_peak peak = { 0 };
		if (rows[i].gpu)
			digest_set_env(d, SPAN("gpu.name"), span_of(rows[i].gpu));
		if (rows[i].precision)
			digest_set_env(d, SPAN("precision"), span_of(rows[i].precision));
		if (rows[i].context)
			digest_set_env(d, SPAN("peak_tflops"), span_of(rows[i].context));
		if (flops_peak(d, &peak) != (rows[i].micro_tflops > 0) ||
		    peak.micro_tflops != rows[i].micro_tflops)
			fail_msg("row %zu: %" PRId64, i, peak.micro_tflops);
		digest_free(d);
	}
}

/* Names of types as traces and people write them. Only names of 8-bit types may have suffixes. */
static void test_type_names(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum flop_type type;
	} rows[] = {
		{ "c10::BFloat16", FLOP_BFLOAT16 },
		{ "BF16", FLOP_BFLOAT16 },
		{ "bfloat16", FLOP_BFLOAT16 },
		{ "c10::Half", FLOP_FLOAT16 },
		{ "Half", FLOP_FLOAT16 },
		{ "FP16", FLOP_FLOAT16 },
		{ "float16", FLOP_FLOAT16 },
		{ "c10::Float8_e5m2", FLOP_FLOAT8 },
		{ "float8_e4m3fn", FLOP_FLOAT8 },
		{ "fp8", FLOP_FLOAT8 },
		{ "float", FLOP_FLOAT32 },
		{ "Float32", FLOP_FLOAT32 },
		{ "FP32", FLOP_FLOAT32 },
		{ "Double", FLOP_FLOAT64 },
		{ "Float64", FLOP_FLOAT64 },
		{ "FP64", FLOP_FLOAT64 },
		{ "", FLOP_OTHER },
		{ "long int", FLOP_OTHER },
		{ "c10::complex<float>", FLOP_OTHER },
		{ "fp", FLOP_OTHER },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf more = STRBUF_INIT;
		if (flop_type_of(span_of(rows[i].name)) != rows[i].type)
			fail_msg("'%s'", rows[i].name);
		strbuf_addf(&more, "%sx", rows[i].name);
		bool open = strchr(rows[i].name, '8');
		if (flop_type_of(strbuf_span(&more)) !=
		    (open && strcmp(rows[i].name, "fp8") != 0 ? FLOP_FLOAT8 : FLOP_OTHER))
			fail_msg("'%s'", strbuf_str(&more));
		strbuf_release(&more);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),    cmocka_unit_test(test_types),
		cmocka_unit_test(test_bytes),       cmocka_unit_test(test_by_backward),
		cmocka_unit_test(test_steps),       cmocka_unit_test(test_figures),
		cmocka_unit_test(test_roofline),    cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_known_calls), cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_type_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

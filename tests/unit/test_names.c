/* Short names of kernels: the text for each kernel, and that no two texts are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "names/short.h"

static void names_by_themselves(void **state)
{
	static const char *const rows[][2] = {
		{ "gemm", "gemm" },
		{ "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT", "nvjet_tst_128x256…_bz_coopA_NTT" },
		{ "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
		  "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, "
		  "3ul>)",
		  "vectorized_elementwise<CUDAFunctor_add<float>>" },
		{ "void at::native::vectorized_elementwise_kernel<4, "
		  "at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
		  "const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> "
		  ">(int)",
		  "vectorized_elementwise<exp_kernel_cuda(float)>" },
		{ "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, "
		  "float>(int)",
		  "cunn_SoftMaxForward<BFloat16>" },
		{ "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_32x3_tn_align8>("
		  "Params)",
		  "gemm bf16 256x128 tn" },
		{ "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
		  "addIfEESt5arrayIPcLm3E"
		  "EEEviT0_T1_",
		  "vectorized_elementwise<CUDAFunctor_add<float>>" },
		{ "_Z", "_Z" },
		{ "<b>", "<b>" },
		{ "Memset (Device)", "Memset (Device)" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct short_names s = { 0 };
		short_names_add(&s, rows[i][0]);
		short_names_end(&s);
		assert_string_equal(short_names_find(&s, rows[i][0]), rows[i][1]);
		assert_null(short_names_find(&s, "another"));
		short_names_release(&s);
	}
}

/* Each short name shows as much of the whole name as is needed to differ from the others. */
static void neighbors(void **state)
{
	static const char *const whole[] = {
		"void f_kernel<float, 4>(int)",
		"void f_kernel<float, 8>(int)",
		"void g<float, int>()",
		"void g<float, long>()",
		"void a::h<1>(int)",
		"void b::h<1>(int)",
	};
	static const char *const shown[] = {
		"f<float, 4>", "f<float, 8>", "g<float, int>", "g<float, long>", NULL, NULL,
	};
	struct short_names s = { 0 };
	(void)state;
	for (size_t i = 0; i < NR_OF(whole); i++) {
		short_names_add(&s, whole[i]);
		short_names_add(&s, whole[i]);
	}
	short_names_end(&s);
	assert_int_equal(s.list.nr, NR_OF(whole));
	for (size_t i = 0; i < NR_OF(whole); i++) {
		const char *text = short_names_find(&s, whole[i]);
		if (shown[i])
			assert_string_equal(text, shown[i]);
		else
			assert_int_equal(strncmp(text, "h [", 3), 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(text, short_names_find(&s, whole[k]));
	}
	short_names_release(&s);
}

static void mangled(void **state)
{
	static const char *const rows[][2] = {
		{ "_Z4gemmPfS_i", "gemm" },
		{ "_ZN1a1bIfLi4ELb1EEEvT_", "a::b<float, 4, true>" },
		{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f" },
		{ "_ZN1a1fINS_1cIPKfEES3_EEvv", "a::f<a::c<float const*>, float const*>" },
		{ "_Z1fIZ1gvEUlfE_EvT_", "f<g()::{lambda(float)#1}>" },
		{ "_Z1fIJifEEvDpT_", "f<int, float>" },
		{ "_Z1fIXadL_Z1gvEEEvv", "f<&g>" },
		{ "_Z1fILin3EEvv", "f<-3>" },
		{ "_Z1fIDF16bEvv", "f<__bf16>" },
		{ "f", NULL },
		{ "_Z", NULL },
		{ "_Z9f", NULL },
		{ "_ZN1a", NULL },
		{ "_Z1fIS9_EvT_", NULL },
		{ "_Z1fIiE", "f<int>" },
	};
	struct arena a = ARENA_INIT;
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const char *text = demangle(span_of(rows[i][0]), &a);
		if (!rows[i][1] && text)
			fail_msg("'%s' is '%s'", rows[i][0], text);
		if (rows[i][1])
			assert_string_equal(text ? text : "NULL", rows[i][1]);
	}
	arena_release(&a);
}

/* What a text means: the name, then what reports show, then a pattern. */
static void meant(void **state)
{
	static const struct {
		const char *asked, *name;
		enum name_fit fit;
	} rows[] = {
		{ "void f<float*>(int*)", "void f<float*>(int*)", FIT_WHOLE },
		{ "void f<float*>(int*)", "void f<float1>(int2)", FIT_PATTERN },
		{ "f<float*>", "void f<float*>(int*)", FIT_LONGEST },
		{ "f<float>", "void f<4, float>(int)", FIT_FORM + 1 },
		{ "void f<4, \u200bfloat>(int)", "void f<4, float>(int)", FIT_SHOWN },
		{ "anything~c02c4c78", "void f<4, float>(int)", FIT_NONE },
		{ "a\uFFFDb", "a\tb", FIT_SHOWN },
		{ "a\uFFFDb", "a b", FIT_NONE },
		{ "triton_red\u2026ward_8", "triton_red_fused_backward_8", FIT_CUT_FORM },
		{ "triton_red\u2026ward_8 [fused]", "triton_red_fused_backward_8", FIT_CUT_FORM },
		{ "triton_red\u2026ward_8 [used]", "triton_red_fused_backward_8", FIT_NONE },
		{ "g", "void f<4, float>(int)", FIT_NONE },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++)
		assert_int_equal(name_fit(span_of(rows[i].asked), span_of(rows[i].name), true),
		                 rows[i].fit);
	struct arena a = ARENA_INIT;
	struct span name = SPAN("void f<4, float>(int)");
	const char *hashed = arena_printf(&a, "any~%08x", text_hash32(name));
	assert_int_equal(name_fit(span_of(hashed), name, false), FIT_SHOWN);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_themselves),
		cmocka_unit_test(neighbors),
		cmocka_unit_test(mangled),
		cmocka_unit_test(meant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

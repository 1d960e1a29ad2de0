#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/view.h"

static void test_match_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *match;
	} rows[] = {
		{ "triton_poi_fused_add_3", "triton_poi_fused_add" },
		{ "triton_poi_fused_add_3_12", "triton_poi_fused_add" },
		{ "triton_per_fused__to_copy_4", "triton_per_fused__to_copy" },
		{ "triton_0_1", "triton" },
		{ "triton_", "triton_" },
		{ "triton_poi_0d1d2d3", "triton_poi_0d1d2d3" },
		{ "triton_add_2_deadbeef01_5", "triton_add" },
		{ "mytriton_add_3", "mytriton_add_3" },
		{ "Triton_add_3", "Triton_add_3" },
		{ "gemm_kernel_2", "gemm_kernel_2" },
		{ "kernel at 0x7f3a5cAF, f", "kernel at , f" },
		{ "a_0x1_b_0x2", "a__b_" },
		{ "0x", "0x" },
		{ "60x12", "60x12" },
		{ "a0x12", "a" },
		{ "a0xg", "a0xg" },
		{ "volta_sgemm_128x64_nt", "volta_sgemm_128x64_nt" },
		{ "cutlass_160x128_32x3", "cutlass_160x128_32x3" },
		{ "fwd_1a2b3c4d", "fwd" },
		{ "fwd_1a2b3c4", "fwd_1a2b3c4" },
		{ "fwd_1A2B3C4D5", "fwd" },
		{ "fwd_20240131", "fwd" },
		{ "fwd_1a2b3c4g", "fwd_1a2b3c4g" },
		{ "deadbeef", "deadbeef" },
		{ "_deadbeef", "_deadbeef" },
		{ "0x7f00", "0x7f00" },
		{ "0x7f00_deadbeef", "0x7f00_deadbeef" },
		{ "", "" },
		{ "_", "_" },
	};
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span match = kernel_match_name(&a, span_of(rows[i].name));
		if (!span_eq(match, span_of(rows[i].match)))
			fail_msg("'%s' gives '%.*s'", rows[i].name, (int)match.n, match.p);
		assert_true(span_eq(kernel_match_name(&a, match), match) ||
		            match.n == strlen(rows[i].name));
	}
	assert_true(span_eq(kernel_match_name(&a, SPAN("a\0b_0x1\xff")), SPAN("a\0b_\xff")));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_match_names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

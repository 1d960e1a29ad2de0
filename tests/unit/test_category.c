#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/category.h"

static void add(struct category_table *t, const char *name, enum category_class cls, const char *a,
                const char *b)
{
	struct category c = { .name = name, .cls = cls };
	vec_push(&c.match, span_of(a));
	if (b)
		vec_push(&c.match, span_of(b));
	vec_push(&t->rows, c);
}

static void test_lookup(void **state)
{
	(void)state;
	static const struct {
		const char *name, *category;
	} rows[] = {
		{ "ncclDevKernel_AllReduce_Sum", "communication" },
		{ "NCCLKERNEL", "communication" },
		{ "ampere_GEMM_nccl", "communication" }, /* matches two rows: the first row counts */
		{ "ampere_sgemm_128x64", "GEMM" },
		{ "Cijk_Ailk", "GEMM" },
		{ "deep_ep::dispatch", "expert communication" },
		{ "elementwise", "other" },
		{ "ncc", "other" },
		/* a name that contains the letter pairs "nc", "cc" and "cl", but not "nccl" */
		{ "nclxccl", "other" },
		{ "ncncc_cl", "other" },
		{ "", "other" },
		{ "xQ", "one letter" },
		{ "q", "one letter" },
		/* '[' and '{' differ in one bit, like letters of either case */
		{ "\xc3\xa4\xc3\xb6[", "other" },
		{ "\xc3\xa4\xc3\xb6{", "bytes" },
		{ "loop_add_FUSION_3", "wild" },
		{ "loop__fusion", "wild" },
		{ "loop_fusion", "other" },
		{ "fusion_loop_", "other" },
		{ "xb1c", "wild" },
		{ "bc", "other" },
	};
	struct category_table t = { .source = "test" };
	struct arena a = ARENA_INIT;
	add(&t, "communication", CLASS_COMMUNICATION, "nccl", "rccl");
	add(&t, "GEMM", CLASS_COMPUTE, "gemm", "cijk_");
	add(&t, "expert communication", CLASS_COMMUNICATION, "deep_ep", NULL);
	add(&t, "one letter", CLASS_OTHER, "q", NULL);
	add(&t, "bytes", CLASS_OTHER, "\xc3\xb6{", NULL);
	add(&t, "wild", CLASS_OTHER, "loop_*_fusion", "b?c");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(category_name(&t, category_of(&t, span_of(rows[i].name))),
		                    rows[i].category);
	assert_string_equal(category_communication(&t, &a), "nccl rccl deep_ep");
	assert_string_equal(class_names[CLASS_COMMUNICATION], "communication");
	arena_release(&a);
	category_table_release(&t);
	assert_string_equal(category_communication(&t, &a), "");
	arena_release(&a);
}

static void test_matches_any(void **state)
{
	(void)state;
	assert_true(category_matches_any("nccl rccl", SPAN("xRCCLy")));
	assert_true(category_matches_any("  nccl  ", SPAN("nccl")));
	assert_false(category_matches_any("nccl rccl", SPAN("l r")));
	assert_false(category_matches_any("", SPAN("nccl")));
	assert_false(category_matches_any(" ", SPAN("a b")));
}

static void test_added(void **state)
{
	(void)state;
	struct category_table t = { .source = "test" };
	struct arena a = ARENA_INIT;
	struct category_addition own = { .category = "communication" };
	add(&t, "GEMM", CLASS_COMPUTE, "gemm", NULL);
	add(&t, "communication", CLASS_COMMUNICATION, "nccl", NULL);
	vec_push(&own.match, SPAN("my_a2a_*"));
	assert_true(category_add(&t, &own));
	/* added substrings are tried before all rows */
	assert_int_equal(category_of(&t, SPAN("void my_A2A_gemm<4>")), 1);
	assert_int_equal(category_of(&t, SPAN("my_gemm")), 0);
	assert_string_equal(category_communication(&t, &a), "nccl my_a2a_*");
	assert_true(category_matches_any("nccl my_a2a_*", SPAN("x my_a2a_send")));
	own.category = "gemm";
	assert_false(category_add(&t, &own));
	vec_release(&own.match);
	own.category = "GEMM";
	vec_push(&own.match, SPAN("tile_"));
	vec_push(&own.match, SPAN("my_"));
	assert_true(category_add(&t, &own));
	/* if two added substrings match, the one added first counts */
	assert_int_equal(category_of(&t, SPAN("my_a2a_x")), 1);
	assert_int_equal(category_of(&t, SPAN("my_nccl")), 0);
	assert_int_equal(category_of(&t, SPAN("nccl_tile_2")), 0);
	assert_int_equal(category_of(&t, SPAN("nccl_til")), 1);
	assert_int_equal(category_class_of(&t, SPAN("nccl_til")), CLASS_COMMUNICATION);
	assert_int_equal(category_class_named(&t, SPAN("communication")), CLASS_COMMUNICATION);
	assert_int_equal(category_class_named(&t, SPAN("GEMM")), CLASS_COMPUTE);
	assert_int_equal(category_class_named(&t, SPAN("other")), CLASS_OTHER);
	arena_release(&a);
	assert_string_equal(category_communication(&t, &a), "nccl my_a2a_*");
	own.category = "communication";
	own.match.nr = 1;
	assert_true(category_add(&t, &own));
	assert_string_equal(category_communication(&t, &a), "nccl my_a2a_* tile_");
	vec_release(&own.match);
	arena_release(&a);
	category_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lookup), cmocka_unit_test(test_added),
		                                cmocka_unit_test(test_matches_any) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

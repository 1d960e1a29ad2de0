/* The table of interned names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/intern.h"

static void same_bytes_same_name(void **state)
{
	struct name_table t;
	char copy[] = "gemm";
	(void)state;
	name_table_init(&t);
	const struct name *a = name_intern(&t, SPAN("gemm"));
	assert_ptr_equal(name_intern(&t, span_of(copy)), a);
	assert_ptr_not_equal(name_intern(&t, SPAN("Gemm")), a);
	assert_ptr_not_equal(name_intern(&t, SPAN("gem")), a);
	assert_int_equal(a->id, 0);
	assert_int_equal(t.nr, 3);
	memset(copy, 'x', 4); /* the table has its own copy of the bytes */
	assert_string_equal(a->s, "gemm");
	name_table_release(&t);
}

static void any_bytes_are_a_name(void **state)
{
	static const struct span rows[] = {
		{ "", 0 },
		{ "\0", 1 },
		{ "\0\0", 2 },
		{ "a\0b", 3 },
		{ "a\0c", 3 },
		{ "a", 1 },
		{ "a\0", 2 },
		{ "\xff\xfe", 2 },
		{ "\xED\xA0\x80", 3 },
		{ "\xEF\xBF\xBD", 3 },
		{ "12345678", 8 },
		{ "12345678\0", 9 },
		{ "1234567\0", 8 },
	};
	struct name_table t;
	(void)state;
	name_table_init(&t);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const struct name *nm = name_intern(&t, rows[i]);
			assert_int_equal(nm->id, i);
			assert_true(span_eq(name_span(nm), rows[i]));
			assert_int_equal(nm->s[nm->n], 0);
		}
	assert_ptr_equal(name_intern(&t, (struct span){ NULL, 0 }), t.by_id[0]);
	name_table_release(&t);
}

static void many_names_in_seconds(void **state)
{
	enum { NR = 1 << 17 };
	struct name_table t;
	char text[64];
	clock_t begin = clock();
	(void)state;
	name_table_init(&t);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < NR; i++) {
			int n = snprintf(text, sizeof text, "void kernel<%d>(float*, int)", i);
			const struct name *nm = name_intern(&t, (struct span){ text, (size_t)n });
			if (nm->id != (uint32_t)i || t.by_id[i] != nm || !span_eq(name_span(nm), span_of(text)))
				fail_msg("name %d has id %u", i, nm->id);
		}
	assert_int_equal(t.nr, NR);
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
	name_table_release(&t);
}

/* A text that is too long is refused, and the table does not change. */
static void text_limit(void **state)
{
	struct name_table t;
	(void)state;
	name_table_init(&t);
	size_t limit = (size_t)1 << 30;
	t.bytes = limit - 3;
	assert_null(name_intern(&t, SPAN("four")));
	assert_int_equal(t.nr, 0);
	assert_non_null(name_intern(&t, SPAN("aaa")));
	assert_null(name_intern(&t, SPAN("b")));
	assert_non_null(name_intern(&t, SPAN("aaa")));
	assert_non_null(name_intern(&t, SPAN("")));
	name_table_release(&t);
}

static void hash_is_keyed(void **state)
{
	uint64_t a[2], b[2];
	(void)state;
	hash_seed(a);
	hash_seed(b);
	assert_true(a[0] != b[0] || a[1] != b[1]);
	assert_true(span_hash(SPAN("x"), a) == span_hash(SPAN("x"), a));
	assert_true(span_hash(SPAN("x"), a) != span_hash(SPAN("x"), b));
	assert_true(span_hash(SPAN("12345678"), a) != span_hash((struct span){ "12345678\0", 9 }, a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes_same_name),  cmocka_unit_test(any_bytes_are_a_name),
		cmocka_unit_test(many_names_in_seconds), cmocka_unit_test(text_limit),
		cmocka_unit_test(hash_is_keyed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

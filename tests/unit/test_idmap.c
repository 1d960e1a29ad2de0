#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/idmap.h"

static void test_ids(void **state)
{
	(void)state;
	struct idmap m;
	idmap_init(&m);
	assert_int_equal(idmap_find(&m, 0), NO_ID);
	static const int64_t keys[] = { 0, -1, 1, INT64_MIN, INT64_MAX, -2 };
	for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_int_equal(idmap_add(&m, keys[i]), i);
	for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		assert_int_equal(idmap_add(&m, keys[i]), i);
		assert_int_equal(idmap_find(&m, keys[i]), i);
		assert_int_equal(m.keys.v[i], keys[i]);
	}
	assert_int_equal(idmap_find(&m, 7), NO_ID);
	idmap_release(&m);
}

/* Keys in steps of a power of two, whose low bits are equal. */
static void test_many(void **state)
{
	(void)state;
	for (int shift = 0; shift < 48; shift += 16) {
		struct idmap m;
		idmap_init(&m);
		for (uint32_t i = 0; i < 200000; i++)
			assert_int_equal(idmap_add(&m, (int64_t)((uint64_t)i << shift)), i);
		for (uint32_t i = 0; i < 200000; i++)
			assert_int_equal(idmap_find(&m, (int64_t)((uint64_t)i << shift)), i);
		assert_int_equal(idmap_find(&m, -1), NO_ID);
		idmap_release(&m);
	}
}

static void test_pairs(void **state)
{
	(void)state;
	int64_t key = idmap_pair(UINT32_MAX, 3);
	assert_int_equal(idmap_pair_first(key), UINT32_MAX);
	assert_int_equal((uint32_t)key, 3);
	assert_int_not_equal(idmap_pair(1, 2), idmap_pair(2, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

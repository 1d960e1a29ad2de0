/* Scanning of runs of bytes: the results equal those of scanning one byte after the other. Built a
 * second time for the portable form (CMakeLists.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/jscan_bytes.h"

static uint64_t state_of_random = 3;

static uint32_t random_u32(void)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state_of_random >> 32);
}

/* Each byte value either ends a run or does not, at any position and whatever bytes follow. */
static void runs_end(void **state)
{
	char text[256 + JSCAN_PAD];
	(void)state;
	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < 70; at++)
			for (size_t from = 0; from < 18; from++) {
				for (size_t i = 0; i < sizeof text; i++)
					text[i] = (char)random_u32();
				for (size_t i = from; i < from + at; i++)
					text[i] = (char)('0' + random_u32() % 10);
				text[from + at] = (char)c;
				text[from + at + 1] = '\0';
				bool digit = c >= '0' && c <= '9';
				bool plain = c >= 0x20 && c != '"' && c != '\\';
				assert_ptr_equal(bytes_digits_end(text + from), text + from + at + digit);
				assert_ptr_equal(bytes_string_end(text + from), text + from + at + plain);
			}
}

static void digits(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 20; n++)
		for (int i = 0; i < 500; i++) {
			char text[JSCAN_PAD];
			uint64_t want = 0, value;
			for (size_t k = 0; k < sizeof text; k++)
				text[k] = (char)random_u32();
			for (size_t k = 0; k < n; k++) {
				text[16 + k] = (char)('0' + random_u32() % 10);
				want = k < 16 ? want * 10 + (uint64_t)(text[16 + k] - '0') : want;
			}
			text[16 + n] = "/:.,\0x"[random_u32() % 6];
			assert_int_equal(bytes_number(text + 16, &value), n < 16 ? n : 16);
			assert_int_equal(value, want);
		}
}

static void equal(void **state)
{
	char a[40], b[40];
	(void)state;
	for (unsigned n = 0; n <= 32; n++)
		for (unsigned at = 0; at < 32; at++) {
			uint32_t mask = n < 32 ? ((uint32_t)1 << n) - 1 : UINT32_MAX;
			for (size_t i = 0; i < sizeof a; i++)
				a[i] = b[i] = (char)random_u32();
			assert_true(bytes_equal(a, b, mask));
			a[at] = (char)(a[at] ^ (1 << random_u32() % 8));
			assert_int_equal(bytes_equal(a, b, mask), at >= n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_end),
		cmocka_unit_test(digits),
		cmocka_unit_test(equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sorting by natural runs: stable and correct for any order of the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"

enum { MOST = 700 };

/* An element of 4 × `words` bytes: its key, then its original position. */
struct input {
	size_t nr, words;
	uint32_t v[MOST * 6];
};

static int by_key(const void *a, const void *b, void *calls)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	++*(size_t *)calls;
	return (x > y) - (x < y);
}

static int plain_by_key(const void *a, const void *b)
{
	size_t calls = 0;
	return by_key(a, b, &calls);
}

static void fill(struct input *in, size_t nr, size_t words, int form, uint64_t *x)
{
	in->nr = nr;
	in->words = words;
	for (size_t i = 0; i < nr; i++) {
		*x = *x * 6364136223846793005u + 1442695040888963407u;
		uint32_t random = (uint32_t)(*x >> 40);
		uint32_t keys[] = {
			random,
			random % 4,
			(uint32_t)i,
			(uint32_t)(nr - i),
			(uint32_t)(i % 97), /* several sorted runs, one after the other */
			(uint32_t)(i % 50 + i / 50 * 40),
			(uint32_t)(i % 100 == 99 ? 0 : i), /* sometimes a small key after larger ones */
			(uint32_t)(i < nr / 2 ? 2 * i : 2 * (i - nr / 2) + 1),
		};
		for (size_t w = 0; w < words; w++)
			in->v[i * words + w] = w ? (uint32_t)i + (uint32_t)w : keys[form];
	}
}

static void check(const struct input *in)
{
	char seen[MOST + 1] = { 0 };
	for (size_t i = 0; i < in->nr; i++) {
		const uint32_t *e = &in->v[i * in->words];
		if (i)
			assert_true(e[-(ptrdiff_t)in->words] <= e[0]);
		if (in->words == 1)
			continue;
		if (i && e[-(ptrdiff_t)in->words] == e[0])
			/* equal keys keep their original order */
			assert_true(e[1 - (ptrdiff_t)in->words] < e[1]);
		for (size_t w = 2; w < in->words; w++)
			assert_int_equal(e[w], e[1] + w - 1); /* all words of an element are moved together */
		assert_false(seen[e[1]]++);
	}
}

static void every_form(void **state)
{
	static const size_t sizes[] = { 0,  1,  2,  3,  15,  16,  17,  31,  32,
		                            33, 48, 64, 65, 100, 255, 300, 500, MOST };
	static struct input in;
	uint64_t x = 7;
	(void)state;
	for (int form = 0; form < 8; form++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (size_t words = 1; words <= 6; words++) {
				size_t calls = 0;
				fill(&in, sizes[s], words, form, &x);
				sort_runs(in.v, in.nr, words * sizeof *in.v, by_key, &calls);
				check(&in);
				if (form == 2 && in.nr)
					/* input that is already sorted takes one comparison per element */
					assert_true(calls < in.nr);
				fill(&in, sizes[s], words, form, &x);
				sort_plain(in.v, in.nr, words * sizeof *in.v, plain_by_key);
				check(&in);
			}
}

/* Compares lower_bound() with a search from the front, in lists of any length, with gaps and
 * repetitions. */
static void lower_bounds(void **state)
{
	(void)state;
	uint32_t v[20] = { 0 };
	assert_int_equal(lower_bound(NULL, 0, sizeof *v, &v[0], plain_by_key), 0);
	for (uint32_t repeat = 1; repeat <= 3; repeat++)
		for (size_t nr = 0; nr <= sizeof v / sizeof *v; nr++) {
			for (size_t i = 0; i < nr; i++)
				/* keys 1, 3, 5, …, so that even numbers are not found */
				v[i] = (uint32_t)i / repeat * 2 + 1;
			for (uint32_t key = 0; key <= 2 * nr + 2; key++) {
				size_t want = 0;
				while (want < nr && v[want] < key)
					want++;
				assert_int_equal(lower_bound(v, nr, sizeof *v, &key, plain_by_key), want);
			}
		}
}

/* Compares a key, which comes first and may have another type than the elements. */
static int nth_of_two(const void *key, const void *element)
{
	const uint32_t *pair = element;
	return (*(const int *)key > (int)pair[1]) - (*(const int *)key < (int)pair[1]);
}

static void lower_bound_of_another_key(void **state)
{
	(void)state;
	const uint32_t pairs[][2] = { { 9, 1 }, { 9, 4 }, { 9, 4 }, { 9, 6 } };
	const int keys[] = { 4, 5, 7 };
	static const size_t wants[] = { 1, 3, 4 };
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(lower_bound(pairs, 4, sizeof *pairs, &keys[i], nth_of_two), wants[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(lower_bounds),
		cmocka_unit_test(lower_bound_of_another_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

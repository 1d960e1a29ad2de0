/* Byte spans: equality, order, search without regard to case, globs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/span.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static void equality_and_order(void **state)
{
	static const struct {
		struct span a, b;
		int order;
	} rows[] = {
		{ { "", 0 }, { "", 0 }, 0 },          { { NULL, 0 }, { "", 0 }, 0 },
		{ { "", 0 }, { "a", 1 }, -1 },        { { "a", 1 }, { "a", 1 }, 0 },
		{ { "a", 1 }, { "ab", 2 }, -1 },      { { "b", 1 }, { "ab", 2 }, 1 },
		{ { "a\0b", 3 }, { "a\0c", 3 }, -1 }, { { "a\0b", 3 }, { "a", 1 }, 1 },
		{ { "\x7f", 1 }, { "\x80", 1 }, -1 }, /* bytes are compared as unsigned numbers */
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		int ab = span_cmp(rows[i].a, rows[i].b), ba = span_cmp(rows[i].b, rows[i].a);
		if ((ab > 0) - (ab < 0) != rows[i].order || (ba > 0) - (ba < 0) != -rows[i].order ||
		    span_eq(rows[i].a, rows[i].b) != (rows[i].order == 0))
			fail_msg("row %zu", i);
	}
	assert_true(span_starts(SPAN("abc"), SPAN("ab")));
	assert_true(span_starts(SPAN("abc"), SPAN("")));
	assert_true(span_starts(SPAN("ab"), SPAN("ab")));
	assert_false(span_starts(SPAN("ab"), SPAN("abc")));
	assert_false(span_starts(SPAN("abc"), SPAN("b")));
}

static void nocase(void **state)
{
	(void)state;
	assert_true(span_eq_nocase(SPAN("Gpu_MemCpy"), SPAN("gpu_memcpy")));
	assert_true(span_eq_nocase(SPAN(""), SPAN("")));
	assert_false(span_eq_nocase(SPAN("kernel"), SPAN("kernels")));
	/* bytes that differ by 32 in ASCII, but are not letters */
	assert_false(span_eq_nocase(SPAN("@"), SPAN("`")));
	assert_false(span_eq_nocase(SPAN("["), SPAN("{")));
	/* upper and lower case are equal only for ASCII letters, not for Latin-1 bytes */
	assert_false(span_eq_nocase(SPAN("\xc4"), SPAN("\xe4")));
	assert_true(span_contains_nocase(SPAN("void NCCLkernel"), SPAN("nccl")));
	assert_true(span_contains_nocase(SPAN("xnccl"), SPAN("NCCL")));
	assert_true(span_contains_nocase(SPAN("abc"), SPAN("")));
	assert_true(span_contains_nocase(SPAN(""), SPAN("")));
	assert_false(span_contains_nocase(SPAN("ncc"), SPAN("nccl")));
	assert_false(span_contains_nocase(SPAN(""), SPAN("a")));
	assert_true(span_contains_nocase(SPAN("aab"), SPAN("ab")));
	assert_false(span_contains_nocase((struct span){ "nccl", 3 }, SPAN("nccl")));
	char hay[65]; /* `needle` at each position in texts of each length, and absent */
	for (size_t n = 1; n < sizeof hay; n++)
		for (size_t part = 1; part <= n && part <= 17; part++)
			for (size_t at = 0; at + part <= n + 1; at++) {
				memset(hay, 'b', sizeof hay);
				memset(hay + at, 'A', part);
				struct span h = { hay, n }, needle = { "aaaaaaaaaaaaaaaaa", part };
				assert_int_equal(span_contains_nocase(h, needle), at + part <= n);
			}
}

struct glob_row {
	const char *pattern, *text;
	bool match;
};

static const struct glob_row glob_rows[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "a", "", false },
	{ "*", "", true },
	{ "*", "anything", true },
	{ "**", "", true },
	{ "?", "", false },
	{ "?", "a", true },
	{ "?", "ab", false },
	{ "??", "ab", true },
	{ "?*", "", false },
	{ "?*", "a", true },
	{ "*?", "abc", true },
	{ "abc", "abc", true },
	{ "abc", "ABC", false },
	{ "abc", "abcd", false },
	{ "abcd", "abc", false },
	{ "a*", "a", true },
	{ "a*", "ba", false },
	{ "*a", "ba", true },
	{ "*a", "ab", false },
	{ "a*c", "abc", true },
	{ "a*c", "ac", true },
	{ "a*c", "abcb", false },
	{ "a*b*c", "aXbXbXc", true },
	{ "a*b*c", "acb", false },
	{ "*ab", "aab", true },
	{ "*aab", "aaab", true },
	{ "*abab*", "xabaabab", true },
	{ "a*a", "a", false },
	{ "ProfilerStep#*", "ProfilerStep#12", true },
	{ "ProfilerStep#*", "ProfilerStep 12", false },
	{ "step[*", "step[3 bs=4]", true }, /* only * and ? are special */
	{ "[ab]", "a", false },
	{ "[ab]", "[ab]", true },
	{ "\\*", "*", false },
	{ "\\*", "\\anything", true },
	/* stars in the text are ordinary bytes */
	{ "*", "*", true },
	{ "a*c", "a*c", true },
	{ "a*c", "a*b", false },
	{ "**c", "*c", true },
	{ "*x", "*y", false },
	{ "*b", "*ab", true },
	{ "a*b", "a*xb", true },
	{ "?", "*", true },
	{ "*?z", "*z", true },
	{ "operator*(*)", "operator*(int*)", true },
	{ "*_kernel<?*>*", "gemm_kernel<4>(int*, int*)", true },
	/* ? matches one byte; a character of UTF-8 may have several */
	{ "?", "\xc3\xa4", false },
	{ "??", "\xc3\xa4", true },
};

static void glob(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(glob_rows); i++) {
		const struct glob_row *r = &glob_rows[i];
		if (span_glob(span_of(r->pattern), span_of(r->text)) != r->match)
			fail_msg("'%s' over '%s'", r->pattern, r->text);
	}
	assert_true(span_glob(SPAN("a?c"), (struct span){ "a\0c", 3 }));
	assert_false(span_glob(SPAN("a*c"), (struct span){ "abc", 2 }));
}

/* All patterns over {a,*,?} up to length 4 with all texts over {a,b,*} up to length 4, compared
 * with the definition of a match. */
static bool glob_by_definition(const char *p, const char *t)
{
	/* match[i][k] is true if the first `i` bytes of the pattern match the first `k` bytes of the
	   text */
	bool match[6][6] = { { true } };
	size_t np = strlen(p), nt = strlen(t);
	for (size_t i = 1; i <= np; i++)
		for (size_t k = 0; k <= nt; k++)
			match[i][k] = p[i - 1] == '*' ? match[i - 1][k] || (k && match[i][k - 1])
			                              : k && match[i - 1][k - 1] &&
			                                    (p[i - 1] == '?' || p[i - 1] == t[k - 1]);
	return match[np][nt];
}

static void spell(unsigned code, const char *letters, char out[5])
{
	size_t n = 0;
	for (; code; code /= 4)
		if (code % 4)
			out[n++] = letters[code % 4 - 1];
	out[n] = '\0';
}

static void glob_equals_its_definition(void **state)
{
	char pattern[5], text[5];
	(void)state;
	for (unsigned p = 0; p < 256; p++)
		for (unsigned t = 0; t < 256; t++) {
			spell(p, "a*?", pattern);
			spell(t, "ab*", text);
			if (span_glob(span_of(pattern), span_of(text)) != glob_by_definition(pattern, text))
				fail_msg("'%s' over '%s'", pattern, text);
		}
}

/* A backtracking matcher would never finish with this pattern. */
static void glob_of_many_stars_is_quick(void **state)
{
	char pattern[2000], text[5000];
	(void)state;
	for (size_t i = 0; i < sizeof pattern; i += 2)
		memcpy(pattern + i, "*a", 2);
	memset(text, 'a', sizeof text);
	clock_t begin = clock();
	assert_true(
	    span_glob((struct span){ pattern, sizeof pattern }, (struct span){ text, sizeof text }));
	pattern[sizeof pattern - 1] = 'b';
	assert_false(
	    span_glob((struct span){ pattern, sizeof pattern }, (struct span){ text, sizeof text }));
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equality_and_order),
		cmocka_unit_test(nocase),
		cmocka_unit_test(glob),
		cmocka_unit_test(glob_equals_its_definition),
		cmocka_unit_test(glob_of_many_stars_is_quick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

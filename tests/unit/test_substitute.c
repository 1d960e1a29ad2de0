/* Kernels that replace one another are judged by the operator or category that launches them. */
#include "gate/checks_beside.h"

#include "judge_rig.h"
#include "model/code.h"

enum { STEPS = 5 };

/* A digest of kernels, each launched by an operator; times are ns in each step. */
struct work {
	const char *op, *kernel;
	int64_t ns;
};

static struct digest *digest_of(const struct work *w)
{
	struct activity a[4] = { { EVENT_KERNEL, "", 0, 0 } };
	size_t nr = 0;
	for (; nr < 4 && w[nr].kernel; nr++)
		a[nr] = (struct activity){ EVENT_KERNEL, w[nr].kernel, STEPS, STEPS * w[nr].ns };
	struct digest *d = fixture_digest(STEPS, a, nr);
	for (size_t i = 0; i < nr; i++)
		vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
		                                       .module = SPAN(""),
		                                       .place = SPAN(""),
		                                       .line = -1,
		                                       .op = span_of(w[i].op),
		                                       .kernel = code_kernel_key(span_of(w[i].kernel)),
		                                       .count = STEPS,
		                                       .total_ns = STEPS * w[i].ns });
	vec_sort(&d->code, code_stat_cmp);
	return d;
}

static const struct work before[] = { { "aten::mm", "gemm_a", 40000 },
	                                  { "aten::mm", "gemm_b", 10000 },
	                                  { "aten::add", "elem", 50000 },
	                                  { 0 } };

/* A kernel is judged by what it rose by, less its share of what others of its operator fell by. */
static void test_net(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		struct work after[4];
		bool relative, has_and;
		int64_t limit; ///< 1e-6 % or ns
		enum verdict verdict; ///< expected verdict of the check on gemm_a
		const char *says;
	} rows[] = {
		/* all that gemm_a rose by is work of gemm_b */
		{ METRIC_KERNEL_MEAN,
		  { { "aten::mm", "gemm_a", 45000 },
		    { "aten::mm", "gemm_b", 5000 },
		    { "aten::add", "elem", 50000 } },
		  true,
		  false,
		  PERCENT(10),
		  VERDICT_WARN,
		  "op 'aten::mm' changed by 0.00 %" },
		/* nothing fell */
		{ METRIC_KERNEL_MEAN,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 10000 },
		    { "aten::add", "elem", 50000 } },
		  true,
		  false,
		  PERCENT(10),
		  VERDICT_FAIL,
		  NULL },
		/* what fell is of another operator */
		{ METRIC_KERNEL_MEAN,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 10000 },
		    { "aten::add", "elem", 30000 } },
		  true,
		  false,
		  PERCENT(10),
		  VERDICT_FAIL,
		  NULL },
		/* 40,000 to 44,000 ns is the limit */
		{ METRIC_KERNEL_TIME,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 4000 },
		    { "aten::add", "elem", 50000 } },
		  true,
		  false,
		  PERCENT(10),
		  VERDICT_WARN,
		  NULL },
		/* one more: the operator rose by 8 %, this kernel by 10 % net */
		{ METRIC_KERNEL_TIME,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 4001 },
		    { "aten::add", "elem", 50000 } },
		  true,
		  false,
		  PERCENT(10),
		  VERDICT_FAIL,
		  NULL },
		/* the net change of 6,000 ns is within the `and` of 9,999 ns */
		{ METRIC_KERNEL_MEAN,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 6000 },
		    { "aten::add", "elem", 50000 } },
		  true,
		  true,
		  PERCENT(10),
		  VERDICT_WARN,
		  NULL },
		/* a limit in ns */
		{ METRIC_KERNEL_TIME,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 10000 },
		    { "aten::add", "elem", 50000 } },
		  false,
		  false,
		  9999,
		  VERDICT_FAIL,
		  NULL },
		/* a limit in ns is kept by the net change */
		{ METRIC_KERNEL_TIME,
		  { { "aten::mm", "gemm_a", 50000 },
		    { "aten::mm", "gemm_b", 9999 },
		    { "aten::add", "elem", 50000 } },
		  false,
		  false,
		  9999,
		  VERDICT_WARN,
		  NULL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, 1);
		digest_free(s.b);
		digest_free(s.c);
		s.baseline.ranks.v[0] = s.b = digest_of(before);
		s.candidate.ranks.v[0] = s.c = digest_of(rows[i].after);
		struct rule *r = add_rule(&s, "top", rows[i].metric);
		fixture_limit(&r->fail, COND_INCREASE, rows[i].relative, rows[i].limit, "l");
		fixture_limit(&r->warn, COND_INCREASE, true, PERCENT(1), "w");
		r->fail.has_and = rows[i].has_and;
		r->fail.and_value = 9999; /* gemm_a rises by 10,000 ns */
		r->fail.and_text = "a";
		r->for_each = true;
		r->noise.k = 0;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "top[gemm_a]");
		if (k->verdict != rows[i].verdict || (rows[i].says && !strstr(k->message, rows[i].says)))
			fail_msg("row %zu: %s", i, k->message);
		release(&s);
	}
}

/* A kernel's operator decides on the kernel only if kernels of the operator count as substitutes by
 * the rule's `substitutes`, and if the rule judges the metric in its usual direction. */
static void test_substitutes_of_rule(void **state)
{
	(void)state;
	static const struct work after[] = { { "aten::mm", "gemm_a", 45000 },
		                                 { "aten::mm", "gemm_b", 5000 },
		                                 { "aten::add", "elem", 50000 },
		                                 { 0 } };
	static const struct {
		enum substitutes substitutes;
		enum worse worse;
		enum verdict verdict;
	} rows[] = { { SUBSTITUTES_OPERATOR, WORSE_UP, VERDICT_WARN },
		         { SUBSTITUTES_CATEGORY, WORSE_UP, VERDICT_FAIL },
		         { SUBSTITUTES_NONE, WORSE_UP, VERDICT_FAIL },
		         { SUBSTITUTES_OPERATOR, WORSE_EITHER, VERDICT_FAIL } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, 1);
		digest_free(s.b);
		digest_free(s.c);
		s.baseline.ranks.v[0] = s.b = digest_of(before);
		s.candidate.ranks.v[0] = s.c = digest_of(after);
		struct rule *r = add_rule(&s, "top", METRIC_KERNEL_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "10%");
		r->substitutes = rows[i].substitutes;
		r->worse = rows[i].worse;
		r->for_each = true;
		r->noise.k = 0;
		assert_int_equal(run_judge(&s), ST_OK);
		if (check(&s, "top[gemm_a]")->verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, check(&s, "top[gemm_a]")->message);
		release(&s);
	}
}

/* Other kernels of the operator always fall a little by noise, which excuses nothing. If they fell
 * by a tenth of what the kernel rose by, or more, the check is undecided until it is sure that the
 * whole operator rose. */
static void test_net_within_noise(void **state)
{
	(void)state;
	static const struct {
		int64_t fell, now; ///< by what gemm_b fell; gemm_a's time in the candidate
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ 0, 600000, VERDICT_FAIL, "beyond the limit of increase 10%" },
		{ 19999, 600000, VERDICT_FAIL, "beyond the limit of increase 10%" },
		{ 20000, 600000, VERDICT_UNDECIDED,
		  "beyond the limit of increase 10%, but op 'aten::mm' changed by +2.14 %, which may be "
		  "noise "
		  "(±760.76 µs): 4 pairs with --control would decide" },
		{ 199999, 600000, VERDICT_WARN, "op 'aten::mm' changed by" },
		/* the operator has surely risen, though gemm_b fell by a fifth of that */
		{ 2000000, 10400000, VERDICT_FAIL, "beyond the limit of increase 10%" },
	};
	static const struct work was[] = { { "aten::mm", "gemm_a", 400000 },
		                               { "aten::mm", "gemm_b", 8000000 },
		                               { "aten::add", "elem", 50000000 },
		                               { 0 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct work now[] = { { "aten::mm", "gemm_a", rows[i].now },
			                  { "aten::mm", "gemm_b", 8000000 - rows[i].fell },
			                  { "aten::add", "elem", 50000000 },
			                  { 0 } };
		struct bench_of_two s;
		setup(&s, usual, 1);
		digest_free(s.b);
		digest_free(s.c);
		s.baseline.ranks.v[0] = s.b = digest_of(was);
		s.candidate.ranks.v[0] = s.c = digest_of(now);
		struct rule *r = add_rule(&s, "top", METRIC_KERNEL_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "10%");
		r->for_each = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "top[gemm_a]");
		if (k->verdict != rows[i].verdict || !strstr(k->message, rows[i].says))
			fail_msg("row %zu: %s: %s", i, verdict_names[k->verdict], k->message);
		release(&s);
	}
}

/* A new kernel has the verdict of its operator, which may have risen by noise. A limit on the
 * change since the approved run says nothing of an operator. */
static void test_new_kernel(void **state)
{
	(void)state;
	static const struct work was[] = { { "aten::mm", "gemm_b", 8000000 },
		                               { "aten::add", "elem", 50000000 },
		                               { 0 } };
	static const struct work now[] = { { "aten::mm", "gemm_a", 600000 },
		                               { "aten::mm", "gemm_b", 8000000 },
		                               { "aten::add", "elem", 50000000 },
		                               { 0 } };
	for (int since_pin = 0; since_pin < 2; since_pin++) {
		struct bench_of_two s;
		setup(&s, usual, 1);
		digest_free(s.b);
		digest_free(s.c);
		s.baseline.ranks.v[0] = s.b = digest_of(was);
		s.candidate.ranks.v[0] = s.c = digest_of(now);
		struct rule *r = add_rule(&s, "top", METRIC_KERNEL_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
		if (since_pin)
			fixture_limit(&r->fail, COND_INCREASE_SINCE_PIN, true, PERCENT(20), "20%");
		r->for_each = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "top[gemm_a]");
		if (k->verdict != VERDICT_UNDECIDED)
			fail_msg("%d: %s: %s", since_pin, verdict_names[k->verdict], k->message);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_net),
		                                cmocka_unit_test(test_substitutes_of_rule),
		                                cmocka_unit_test(test_net_within_noise),
		                                cmocka_unit_test(test_new_kernel) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

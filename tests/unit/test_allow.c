/* How much of a change an entry of `allow` covers, by the parts of its breakdown; which checks
 * entries of `allow` are for, and what the report says of waivers that excuse nothing. */
#include "gate/waivers.h"
#include "judge_rig.h"
#include "model/code.h"

static void add_code(struct digest *d, const char *module, const char *op, const char *kernel,
                     int64_t ns)
{
	vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
	                                       .module = span_of(module),
	                                       .place = SPAN(""),
	                                       .line = -1,
	                                       .op = span_of(op),
	                                       .kernel = code_kernel_key(span_of(kernel)),
	                                       .count = 5,
	                                       .total_ns = 5 * ns });
	vec_sort(&d->code, code_stat_cmp);
}

static void begin(struct bench_of_two *s, struct bench *b)
{
	setup(s, usual, NR_OF(usual));
	for (int side = 0; side < 2; side++) {
		struct digest *d = side ? s->c : s->b;
		add_code(d, "Encoder\nLayer\nAttention", "aten::mm", "gemm_a", 1000);
		add_code(d, "Encoder\nLayer", "aten::add", "elem", 500);
		add_code(d, "EncoderHead", "aten::mm", "gemm_b", 100);
		if (side)
			add_code(d, "New", "aten::new", "gemm_b", 100);
	}
	bench_init(b,
	           &(struct bench_runs){
	               .baseline = &s->baseline, .candidates = &s->candidate, .nr_candidates = 1 },
	           (struct naming){ .categories = &s->categories });
}

struct growth {
	int depth;
	const char *label;
	int64_t change;
};

/* In ns of each step, modules take: Encoder 1500, Encoder > Layer 1500, its Attention 1000, and
 * EncoderHead 100. Kernels take: gemm_a 70 ms, gemm_b 20 ms, elem 9 ms. */
static void test_part(void **state)
{
	(void)state;
	static const struct {
		struct query select;
		int64_t up_to; ///< percent
		int64_t change; ///< of the check
		struct growth parts[5];
		int64_t covers;
	} rows[] = {
		/* of modules within each other, the outermost counts, up to its own share */
		{ { .module = "Encoder*" },
		  100,
		  900,
		  { { 0, "compute", 900 },
		    { 1, "Encoder", 700 },
		    { 2, "Encoder > Layer", 600 },
		    { 1, "EncoderHead", 200 } },
		  800 },
		{ { .module = "Encoder*" },
		  40,
		  900,
		  { { 0, "compute", 900 },
		    { 1, "Encoder", 700 },
		    { 2, "Encoder > Layer", 600 },
		    { 1, "EncoderHead", 200 } },
		  640 },
		{ { .module = "Encoder*" },
		  100,
		  799,
		  { { 1, "Encoder", 700 }, { 1, "EncoderHead", 200 } },
		  799 },
		{ { .module = "Encoder > Layer*" },
		  100,
		  900,
		  { { 1, "Encoder", 700 },
		    { 2, "Encoder > Layer", 600 },
		    { 3, "Encoder > Layer > Attention", 500 } },
		  600 },
		/* modules add up if they lie within one that is not a part; of nested ones, only the outer
		 */
		{ { .module = "Encoder" },
		  100,
		  900,
		  { { 0, "Encoder > Layer", 300 },
		    { 1, "Encoder > Layer > Attention", 200 },
		    { 0, "Encoder > Norm", 200 },
		    { 0, "EncoderHead", 50 },
		    { 0, "Encoders > Norm", 50 } },
		  500 },
		{ { .module = "Encoder" },
		  100,
		  900,
		  { { 0, "Encoder", 300 },
		    { 1, "Encoder > Norm", 300 },
		    { 0, "Encoder", 200 },
		    { 0, "Other", 70 },
		    { 1, "Encoder", 9 } },
		  509 },
		/* the names of operators and kernels are not paths */
		{ { .op = "aten::mm" }, 100, 900, { { 0, "aten::mm > x", 70 }, { 0, "aten::m", 70 } }, 0 },
		{ { .op = "aten::mm" }, 100, 900, { { 0, "x", 70 }, { 1, "aten::mm", 60 } }, 60 },
		{ { .kernel = "gemm_?" }, 100, 900, { { 0, "gemm_a", 70 }, { 0, "gemm_b", 60 } }, 130 },
		{ { .kernel = "gemm_a" }, 100, 900, { { 0, "gemm_a", 70 }, { 0, "gemm_b", 60 } }, 70 },
		/* what one item lost is not set off against what another may grow by */
		{ { .kernel = "gemm_?" }, 100, 900, { { 0, "gemm_a", 70 }, { 0, "gemm_b", -60 } }, 70 },
		{ { .kernel = "gemm_a" }, 100, 900, { { 0, "gemm_a", 0 } }, 0 },
		/* something new had no time of which it could take a share */
		{ { .op = "aten::new" }, 100, 900, { { 0, "aten::new", 100 } }, 0 },
		{ { .kernel = "none" }, 100, 900, { { 0, "none", 100 } }, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct bench b;
		struct breakdown of = { .change = rows[i].change };
		struct waiver w = { .allows = true,
			                .select = rows[i].select,
			                .up_to = PERCENT(rows[i].up_to) };
		begin(&s, &b);
		for (size_t k = 0; k < NR_OF(rows[i].parts) && rows[i].parts[k].label; k++)
			vec_push(&of.parts, (struct part){ .depth = rows[i].parts[k].depth,
			                                   .label = rows[i].parts[k].label,
			                                   .change = rows[i].parts[k].change });
		int64_t covers = allow_part(&b, &w, &of);
		if (covers != rows[i].covers)
			fail_msg("row %zu: %lld", i, (long long)covers);
		vec_release(&of.parts);
		bench_release(&b);
		release(&s);
	}
}

/* Entries of `allow` on memory are for the one metric, others for all times; all are only for rules
 * by which more is worse. */
static void test_is_for(void **state)
{
	(void)state;
	static const struct {
		enum metric_id of; ///< the entry's metric, or METRIC_KERNEL_TIME: it names a kernel
		enum metric_id metric; ///< of the rule
		enum worse worse;
		bool covers;
	} rows[] = {
		{ METRIC_MEMORY_PEAK_ALLOCATED, METRIC_MEMORY_PEAK_ALLOCATED, WORSE_UP, true },
		{ METRIC_MEMORY_PEAK_ALLOCATED, METRIC_MEMORY_PEAK_ALLOCATED, WORSE_EITHER, false },
		{ METRIC_MEMORY_PEAK_ALLOCATED, METRIC_MEMORY_PEAK_RESERVED, WORSE_UP, false },
		{ METRIC_MEMORY_PEAK_ALLOCATED, METRIC_KERNEL_TIME, WORSE_UP, false },
		{ METRIC_KERNEL_TIME, METRIC_KERNEL_TIME, WORSE_UP, true },
		{ METRIC_KERNEL_TIME, METRIC_KERNEL_MEAN, WORSE_UP, true },
		{ METRIC_KERNEL_TIME, METRIC_KERNEL_TIME, WORSE_DOWN, false },
		{ METRIC_KERNEL_TIME, METRIC_KERNEL_COUNT, WORSE_UP, false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rules rules = fixture_rules();
		struct arena a = ARENA_INIT;
		struct rule r = fixture_rule(rows[i].metric);
		struct waiver *w = vec_push_zero(&rules.waivers);
		r.worse = rows[i].worse;
		w->allows = true;
		w->rule = "*";
		if (rows[i].of == METRIC_KERNEL_TIME)
			w->select.kernel = "gemm_a";
		else
			w->select.metric = &metric_table[rows[i].of];
		struct entries items = { 0 };
		vec_push(&items.list, (struct entry){ .label = SPAN("gemm_a"), .rank = -1 });
		const unsigned char *best = waivers_names(&rules, &r, &items, &a);
		struct category_table categories;
		fixture_categories(&categories);
		struct select_item item = { &r, SPAN("gemm_a"), -1, &categories, FIT_NONE };
		if (waivers_find(&rules, best, item) != (rows[i].covers ? 0 : -1))
			fail_msg("row %zu", i);
		vec_release(&items.list);
		category_table_release(&categories);
		rules_release(&rules);
		arena_release(&a);
	}
}

/* What the report says of entries that can excuse nothing, and of those that just have not. */
static void test_faults(void **state)
{
	(void)state;
	static const struct {
		bool allows;
		const char *rule;
		struct query select;
		bool of_memory;
		const char *says; ///< NULL: no warning
	} rows[] = {
		{ true, "*", { .kernel = "gemm_a" }, false, NULL },
		{ true,
		  "*",
		  { .kernel = "gemm_x" },
		  false,
		  "'allow' of kernel=gemm_x excuses nothing: no kernel has this name; did you mean" },
		{ true,
		  "*",
		  { .op = "aten::mn" },
		  false,
		  "'allow' of op=aten::mn excuses nothing: no op has this name; did you mean" },
		{ true,
		  "*",
		  { 0 },
		  true,
		  "'allow' of memory.peak_allocated excuses nothing: no rule judges what it names" },
		{ false,
		  "top",
		  { .kernel = "gemm_a" },
		  false,
		  "the waiver for 'top' (kernel=gemm_a) excuses nothing in this run" },
		{ false,
		  "*",
		  { .kernel = "gemm_x" },
		  false,
		  "the waiver for '*' (kernel=gemm_x) excuses nothing: no kernel has this name; did you "
		  "mean" },
		{ false, "time", { 0 }, false, "the waiver for 'time' excuses nothing in this run" },
		{ false, "x", { 0 }, false, "the waiver for 'x' excuses nothing: no rule judges what it" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct bench b;
		struct report out;
		bool used[1] = { false };
		begin(&s, &b);
		add_rule(&s, "time", METRIC_STEP_COMPUTE_TIME);
		add_rule(&s, "top", METRIC_KERNEL_TIME);
		vec_push(&s.rules.waivers, (struct waiver){ .allows = rows[i].allows,
		                                            .rule = rows[i].rule,
		                                            .select = rows[i].select,
		                                            .up_to = 1,
		                                            .until = 100,
		                                            .until_text = "day",
		                                            .reason = "why" });
		if (rows[i].of_memory)
			s.rules.waivers.v[0].select.metric = &metric_table[METRIC_MEMORY_PEAK_ALLOCATED];
		report_init(&out);
		waivers_warn(&s.rules, 1, used, false, &b, &out);
		const char *got = out.warnings.nr ? out.warnings.v[0] : NULL;
		if (out.warnings.nr != (rows[i].says != NULL) ||
		    (got && strncmp(got, rows[i].says, strlen(rows[i].says)) != 0))
			fail_msg("row %zu: %s", i, got ? got : "no warning");
		report_release(&out);
		used[0] = true; /* one that has excused something is not looked at */
		report_init(&out);
		waivers_warn(&s.rules, 1, used, false, &b, &out);
		assert_int_equal(out.warnings.nr, 0);
		report_release(&out);
		bench_release(&b);
		release(&s);
	}
}

/* What is left of a change after entries of `allow` is judged as any change: it may be noise, or
 * only beyond a warn limit. Several entries cover more than one does, and the first of them is
 * named. */
static void test_left(void **state)
{
	(void)state;
	static const struct {
		const char *kernels[2]; ///< that entries allow to grow
		int64_t up_to[2]; ///< percent
		int64_t fail, warn; ///< limits in percent; 0: none
		enum unsure unsure;
		bool noise;
		enum verdict verdict;
		const char *says;
	} rows[] = {
		/* gemm_a grew by 25 ms, gemm_b by 5 ms, of 99 ms of compute */
		{ { "gemm_a", "gemm_b" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 0" },
		{ { "gemm_b", "gemm_a" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 0" },
		{ { "elem", "gemm_*" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 1" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_FAIL,
		  "; 'allow' covers +25.00 ms of it" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_UNDECIDED,
		  true,
		  VERDICT_FAIL,
		  "; 'allow' covers +25.00 ms of it" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_WARN,
		  true,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 0" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_WARN,
		  false,
		  VERDICT_FAIL,
		  "; 'allow' covers +25.00 ms of it" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  9,
		  2,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 0" },
		{ { "gemm_a", "elem" },
		  { 40, 40 },
		  0,
		  2,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WARN,
		  "; 'allow' covers +25.00 ms of it" },
		{ { "gemm_a", "gemm_b" },
		  { 40, 40 },
		  0,
		  2,
		  UNSURE_UNDECIDED,
		  false,
		  VERDICT_WAIVED,
		  "waived until day, up to 40%: why 0" },
		{ { "elem", "gemm_b" },
		  { 40, 40 },
		  2,
		  0,
		  UNSURE_WARN,
		  true,
		  VERDICT_FAIL,
		  "; 'allow' covers +5.000 ms of it" },
		{ { "elem", "elem" }, { 40, 40 }, 2, 0, UNSURE_UNDECIDED, false, VERDICT_FAIL, " x" },
	};
	for (size_t at = 0; at < 2 * NR_OF(rows); at++) {
		/* the approved run is the baseline, so that limits since then say the same */
		enum condition condition = at % 2 ? COND_INCREASE_SINCE_PIN : COND_INCREASE;
		size_t i = at / 2;
		struct bench_of_two s;
		setup(&s,
		      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(475) }, { EVENT_KERNEL, "gemm_b", 25, MS(125) },
		           { EVENT_KERNEL, "elem", 500, MS(45) },
		           { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }));
		struct rule *r = add_rule(&s, "time", METRIC_STEP_COMPUTE_TIME);
		if (rows[i].fail)
			fixture_limit(&r->fail, condition, true, PERCENT(rows[i].fail), "x");
		if (rows[i].warn)
			fixture_limit(&r->warn, condition, true, PERCENT(rows[i].warn), "x");
		r->unsure = rows[i].unsure;
		r->noise.k = rows[i].noise ? r->noise.k : 0;
		r->confirm = CONFIRM_NEVER;
		for (size_t k = 0; k < 2; k++)
			vec_push(&s.rules.waivers, (struct waiver){ .allows = true,
			                                            .rule = "*",
			                                            .select.kernel = rows[i].kernels[k],
			                                            .up_to = PERCENT(rows[i].up_to[k]),
			                                            .until = 100,
			                                            .until_text = "day",
			                                            .reason = k ? "why 1" : "why 0" });
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "time");
		size_t from = strlen(k->message) - strlen(rows[i].says);
		if (k->verdict != rows[i].verdict || strcmp(k->message + from, rows[i].says) != 0)
			fail_msg("row %zu: %s %s", at, verdict_names[k->verdict], k->message);
		release(&s);
	}
}

/* An entry of `allow` covers 25 of 30 ms: the limit holds if it is what is left, and not if it is
 * 1 ns less. */
static void test_just_left(void **state)
{
	(void)state;
	for (int less = 0; less < 2; less++) {
		struct bench_of_two s;
		setup(&s,
		      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(475) }, { EVENT_KERNEL, "gemm_b", 25, MS(125) },
		           { EVENT_KERNEL, "elem", 500, MS(45) },
		           { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }));
		struct rule *r = add_rule(&s, "time", METRIC_STEP_COMPUTE_TIME);
		fixture_limit(&r->fail, COND_INCREASE, false, MS(5) - less, "x");
		r->noise.k = 0;
		vec_push(&s.rules.waivers, (struct waiver){ .allows = true,
		                                            .rule = "*",
		                                            .select.kernel = "gemm_a",
		                                            .up_to = PERCENT(40),
		                                            .until = 100,
		                                            .until_text = "day",
		                                            .reason = "why" });
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(check(&s, "time")->verdict, less ? VERDICT_FAIL : VERDICT_WAIVED);
		release(&s);
	}
}

/* A waiver that is exceeded has not excused what an entry of `allow` covers: the report says that
 * the waiver is of no use. */
static void test_beside_waiver(void **state)
{
	(void)state;
	for (int allows = 0; allows < 2; allows++) {
		struct bench_of_two s;
		setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(475) }));
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b =
		    fixture_digest(5, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(350) }));
		struct rule *r = add_rule(&s, "time", METRIC_STEP_COMPUTE_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(2), "x");
		r->noise.k = 0;
		for (int k = 0; k <= allows; k++)
			vec_push(&s.rules.waivers, (struct waiver){ .allows = k,
			                                            .rule = "*",
			                                            .select.kernel = k ? "gemm_a" : NULL,
			                                            .up_to = PERCENT(k ? 40 : 1),
			                                            .until = 100,
			                                            .until_text = "day",
			                                            .reason = "why" });
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(check(&s, "time")->verdict, allows ? VERDICT_WAIVED : VERDICT_FAIL);
		assert_int_equal(s.report.warnings.nr, allows);
		if (allows)
			assert_string_equal(s.report.warnings.v[0],
			                    "the waiver for '*' excuses nothing in this run");
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_part),      cmocka_unit_test(test_is_for),
		cmocka_unit_test(test_faults),    cmocka_unit_test(test_left),
		cmocka_unit_test(test_just_left), cmocka_unit_test(test_beside_waiver)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

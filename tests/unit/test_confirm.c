/* Which failures are final: those that enough pairs or runs confirm, or that main never shows by
 * itself. */
#include "gate/confirm.h"

#include "limits_rig.h"

enum { MOST = 40 };

/* A bench of runs of main, without any traces. */
struct stage {
	struct bench bench;
	struct noise_model model;
	struct bench_column columns[MOST];
	struct past_run past[MOST];
	struct cell cells[MOST];
	size_t by_time[MOST];
	struct entry e;
	struct rule rule;
	struct comparison c;
	struct decision d;
	struct evidence out;
	struct arena arena;
};

/* `runs` describes the runs, oldest first, as words "KIND VALUE JOB": p the approved run, r a
 * recent one, s one that failed since the approval, o one of an earlier approval, c the candidate,
 * k a control run; n before KIND: it lacks the figure. */
static void begin(struct stage *s, const char *runs, enum metric_id metric, const char *fail,
                  int64_t candidate)
{
	*s = (struct stage){ .rule = rule_of(metric, fail, ""),
		                 .model = { .bench = &s->bench, .shared = 1 },
		                 .bench = { .pin = 7,
		                            .columns = s->columns,
		                            .by_time = s->by_time,
		                            .runs.nr_candidates = 1 },
		                 .e = { .cells = s->cells },
		                 .arena = ARENA_INIT };
	size_t nr = 0;
	for (const char *p = runs; *p; p++)
		nr += *p >= '0' && *p <= '9' && (p[1] < '0' || p[1] > '9');
	s->bench.nr_columns = nr;
	for (size_t k = 0; k < nr; k++) { /* the order of the columns is not the order of time */
		size_t i = nr - 1 - k;
		bool has = *runs != 'n';
		char kind = *(has ? runs++ : (runs += 2) - 1);
		char *end;
		s->by_time[k] = i;
		s->cells[i] = (struct cell){ .has = has, .value = strtoll(runs, &end, 10) };
		static const char *const jobs[] = { ['a'] = "a", ['b'] = "b" };
		s->past[i].together = *end == 'a' || *end == 'b' ? jobs[(int)*end] : NULL;
		runs = end + (s->past[i].together != NULL);
		runs += *runs == ' ';
		s->columns[i] = (struct bench_column){
			.source = kind == 'p'                  ? SOURCE_PIN
			          : kind == 'r'                ? SOURCE_RECENT
			          : kind == 's' || kind == 'o' ? SOURCE_HISTORY
			          : kind == 'c'                ? SOURCE_CANDIDATE
			                                       : SOURCE_CONTROL,
			.epoch = kind == 's' ? 7 : 6,
			.past = strchr("rso", kind) ? &s->past[i] : NULL,
		};
	}
	s->c = both(&s->rule, 10, candidate);
	s->d = compare(&s->c);
}

static void end(struct stage *s)
{
	release(&s->rule);
	arena_release(&s->arena);
}

#define TEN "r10 r10 r10 r10 r10 r10 r10 r10 r10 r10"
#define SEVEN "r10 r10 r10 r10 r10 r10 r10"

/* A failure is not final if at least two of main's twenty newest runs were as far off. */
static void test_shown(void **state)
{
	(void)state;
	static const struct {
		const char *runs, *fail;
		int64_t candidate;
		bool is_main;
		int shown, of; ///< 0: the failure is final
	} rows[] = {
		{ "p10 " TEN, "i5%", 20, false, 0, 0 },
		{ "p10 r20 " TEN, "i5%", 20, false, 0, 0 },
		{ "p10 r20 " TEN " r20 r10", "i5%", 20, false, 2, 14 },
		{ "p10 r20 " TEN " r19 r10", "i5%", 20, false, 0, 0 },
		{ "p10 r20 " TEN " r21 r10", "i5%", 20, false, 2, 14 },
		{ "p20 " TEN " r20 r10", "i5%", 20, false, 2, 13 },
		/* figures that should be high */
		{ "p10 r5 " TEN " r5 r10", "d5%", 5, false, 2, 14 },
		{ "p10 r5 " TEN " r6 r10", "d5%", 5, false, 0, 0 },
		/* only the newest twenty count */
		{ "r20 " TEN " " SEVEN " r20 r10", "i5%", 20, false, 2, 20 },
		{ "r20 " TEN " " SEVEN " r20 r10 r10", "i5%", 20, false, 0, 0 },
		/* the runs of one job are a single run; jobs that nobody knows are different ones */
		{ "p10 r20a r20a " TEN, "i5%", 20, false, 0, 0 },
		{ "p10 r20a " TEN "a r20a r10b", "i5%", 20, false, 0, 0 },
		{ "p10 r20a " TEN " r20a r10b", "i5%", 20, false, 2, 14 },
		{ "p10 r20a " TEN "b r20a r10b", "i5%", 20, false, 2, 14 },
		/* runs without the figure, of an earlier approval, of the change and of its base */
		{ "p10 nr20 r20 " TEN, "i5%", 20, false, 0, 0 },
		{ "p10 o20 r20 " TEN, "i5%", 20, false, 0, 0 },
		{ "p10 r20 " TEN " c20 k20", "i5%", 20, false, 0, 0 },
		{ "p10 r20 " TEN " nr20 r20 r10 c20", "i5%", 20, false, 2, 14 },
		/* one or two failed runs in a row count; three may be a new level, which is the change's
		 * own; on main itself, a single one may be */
		{ "p10 s20 " TEN " s20", "i5%", 20, false, 2, 13 },
		{ "p10 s20 " TEN " s20", "i5%", 20, true, 0, 0 },
		{ "p10 s20 " TEN " s20 r10", "i5%", 20, true, 2, 14 },
		{ "p10 s20 r10 s20 " TEN " s20", "i5%", 20, true, 2, 14 },
		{ "p10 s20 " TEN " s20 s20", "i5%", 20, false, 3, 14 },
		{ "p10 s20 " TEN " s20 s20 s20", "i5%", 20, false, 0, 0 },
		{ "p10 s20 " TEN " s20 r10 s20 s20", "i5%", 20, false, 4, 16 },
		{ "p10 s20 r10 s20 " TEN " s20 s20 s20", "i5%", 20, false, 2, 14 },
		{ "s20 s20 s20", "i5%", 20, false, 0, 0 },
		{ "s20 s20", "i5%", 20, false, 2, 2 },
		/* a level that main left for good counts only if main came back to it */
		{ "r20 r20 r20 r20 r20 " TEN, "i5%", 20, false, 0, 0 },
		{ TEN " r20 r20 r20 r20 r20", "i5%", 20, false, 5, 15 },
		{ "r20 r20 r20 r20 r20 " TEN " r20 r10", "i5%", 20, false, 6, 17 },
		/* half way is not back: nearer to the level than to the candidate is */
		{ "r20 r20 r15 r20 r20 " TEN, "i5%", 20, false, 0, 0 },
		{ "r20 r20 r14 r20 r20 " TEN, "i5%", 20, false, 4, 15 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, rows[i].runs, METRIC_STEP_COMPUTE_TIME, rows[i].fail, rows[i].candidate);
		assert_int_equal(s.d.verdict, VERDICT_FAIL);
		bool shown =
		    confirm_is_shown(&s.model, &s.e, rows[i].is_main, &s.c, &s.d, &s.arena, &s.out);
		const char *want =
		    arena_printf(&s.arena,
		                 "%d of the newest %d runs of main were as far: 3 pairs with "
		                 "--control would decide",
		                 rows[i].shown, rows[i].of);
		if (shown != (rows[i].shown > 0) || (shown && strcmp(s.out.plan_text, want) != 0))
			fail_msg("row %zu: %s", i, shown ? s.out.plan_text : "not shown");
		assert_int_equal(s.out.more_pairs, shown ? 3 : 0);
		end(&s);
	}
}

/* Which failures are open until pairs or runs confirm them, and how many pairs are missing. */
static void test_open(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		const char *fail;
		int64_t candidate;
		bool never; ///< the rule's `confirm: never`
		bool k; ///< false: the rule's `noise: {k: 0}`
		size_t runs, controls;
		double shared;
		int64_t pairs; ///< missing; 0: the failure is final
	} rows[] = {
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 1, 0, 1, 3 },
		{ METRIC_STEP_COMPUTE_TIME, "d5%", 5, false, true, 1, 0, 1, 3 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 2, 1, 1, 2 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 1, 2, 1, 2 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 2, 2, 1, 1 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 3, 3, 1, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 3, 2, 1, 1 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 3, 0, 0.3, 3 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 3, 0, 0, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, true, 2, 0, 0, 3 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, true, true, 1, 0, 1, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 20, false, false, 1, 0, 1, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "i5%", 10, false, true, 1, 0, 1, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "M19", 20, false, true, 1, 0, 1, 0 },
		{ METRIC_STEP_COMPUTE_TIME, "c5%", 20, false, true, 1, 0, 1, 0 },
		{ METRIC_STEP_KERNEL_COUNT, "i5%", 20, false, true, 1, 0, 1, 0 },
		{ METRIC_MEMORY_ALLOC_COUNT, "i5%", 20, false, true, 1, 0, 1, 0 },
		{ METRIC_MEMORY_PEAK_ALLOCATED, "i5%", 20, false, true, 1, 0, 1, 3 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, "p10 s20 " TEN " s20", rows[i].metric, rows[i].fail, rows[i].candidate);
		s.rule.confirm = rows[i].never ? CONFIRM_NEVER : s.rule.confirm;
		s.rule.noise.k = rows[i].k ? s.rule.noise.k : 0;
		s.bench.runs.nr_candidates = rows[i].runs;
		s.bench.runs.nr_controls = rows[i].controls;
		s.model.shared = rows[i].shared;
		s.out.more_runs = 9;
		bool open = confirm_is_open(&s.model, &s.c, &s.d, &s.out);
		if (open != (rows[i].pairs > 0) || s.out.more_pairs != rows[i].pairs ||
		    s.out.more_runs != (open ? 0 : 9))
			fail_msg("row %zu: %d, %lld", i, open, (long long)s.out.more_pairs);
		/* where a failure is final, main's runs say nothing; `confirm: never` does not change what
		 * main shows */
		struct evidence shown = { .more_runs = 9 };
		bool is = confirm_is_shown(&s.model, &s.e, false, &s.c, &s.d, &s.arena, &shown);
		if (is != (rows[i].candidate == 20 && (open || rows[i].never)) ||
		    (is && strstr(shown.plan_text, "1 pair with") == NULL) != (is && rows[i].pairs != 1))
			fail_msg("row %zu: shown %d, %s", i, is, is ? shown.plan_text : "");
		end(&s);
	}
}

/* Main's runs show nothing of a change since the approved run, nor of a figure without columns. */
static void test_not_shown(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		struct stage s;
		begin(&s, "p10 s20 " TEN " s20", METRIC_STEP_COMPUTE_TIME, way == 1 ? "p5%" : "i5%", 20);
		s.c.has_pin = s.c.pin_sure = true;
		s.c.pin = 10;
		s.d = compare(&s.c);
		assert_int_equal(s.d.verdict, VERDICT_FAIL);
		s.e.cells = way == 2 ? NULL : s.e.cells;
		assert_int_equal(confirm_is_shown(&s.model, &s.e, false, &s.c, &s.d, &s.arena, &s.out),
		                 way == 0);
		assert_true(confirm_is_open(&s.model, &s.c, &s.d, &s.out));
		end(&s);
	}
}

/* A plan for what noise leaves undecided asks for at least as many runs or pairs as make a failure
 * final, so that nobody is asked for more of them afterwards. */
static void test_plan(void **state)
{
	(void)state;
	static const struct {
		enum reason reason;
		bool never;
		size_t runs;
		double shared;
		int64_t pairs, more_runs; ///< planned before
		int64_t want_pairs, want_runs;
		const char *text;
	} rows[] = {
		{ REASON_NOISE, false, 1, 1, 1, 0, 3, 0, "3 pairs with --control would decide" },
		{ REASON_NOISE, false, 1, 1, 4, 0, 4, 0, "4 pairs with --control would decide" },
		{ REASON_NOISE, false, 1, 0, 0, 1, 0, 2, "2 more runs of the candidate would decide" },
		{ REASON_NOISE, false, 2, 0, 0, 1, 0, 1, "1 more run of the candidate would decide" },
		{ REASON_NOISE, false, 1, 1, 0, 1, 0, 1, "1 more run of the candidate would decide" },
		{ REASON_NOISE, false, 1, 0, 1, 1, 3, 1, "1 more run of the candidate would decide" },
		{ REASON_NOISE, false, 1, 1, 0, 0, 0, 0, "P" },
		{ REASON_NOISE, false, 3, 0, 0, 1, 0, 1, "P" },
		{ REASON_NOISE, true, 1, 1, 1, 0, 1, 0, "P" },
		{ REASON_NET, false, 1, 1, 1, 0, 1, 0, "P" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, "p10", METRIC_STEP_COMPUTE_TIME, "i5%", 20);
		s.d.verdict = VERDICT_UNDECIDED;
		s.d.reason = rows[i].reason;
		s.rule.confirm = rows[i].never ? CONFIRM_NEVER : s.rule.confirm;
		s.bench.runs.nr_candidates = rows[i].runs;
		s.model.shared = rows[i].shared;
		s.out = (struct evidence){ .more_pairs = rows[i].pairs,
			                       .more_runs = rows[i].more_runs,
			                       .plan_text = "P" };
		confirm_raise_plan(&s.model, &s.c, &s.d, &s.arena, &s.out);
		if (s.out.more_pairs != rows[i].want_pairs || s.out.more_runs != rows[i].want_runs ||
		    strcmp(s.out.plan_text, rows[i].text) != 0)
			fail_msg("row %zu: %lld %lld %s", i, (long long)s.out.more_pairs,
			         (long long)s.out.more_runs, s.out.plan_text);
		end(&s);
	}
}

/* Enough runs refute a failure of memory if one run of the change is within the limit, or one of
 * its base beyond it. */
static void test_refuted(void **state)
{
	(void)state;
	static const struct {
		const char *runs;
		enum metric_id metric;
		bool never;
		size_t controls;
		bool refuted;
	} rows[] = {
		{ "p10 c20 c20 c20 k10 k10 k10", METRIC_MEMORY_PEAK_ALLOCATED, false, 3, false },
		{ "p10 c20 c10 c20 k10 k10 k10", METRIC_MEMORY_PEAK_ALLOCATED, false, 3, true },
		{ "p10 c20 c20 c20 k10 k10 k20", METRIC_MEMORY_PEAK_ALLOCATED, false, 3, true },
		{ "p10 c20 nc10 c20 k10 k10 nk20", METRIC_MEMORY_PEAK_ALLOCATED, false, 3, false },
		/* main's own runs say nothing of this change */
		{ "p20 r20 s10 o20 c20 c20 c20 k10 k10 k10", METRIC_MEMORY_PEAK_ALLOCATED, false, 3,
		  false },
		{ "p10 c20 c10 c20 k10 k10", METRIC_MEMORY_PEAK_ALLOCATED, false, 2, false },
		{ "p10 c20 c10 c20 k10 k10 k10", METRIC_MEMORY_PEAK_ALLOCATED, true, 3, false },
		{ "p10 c20 c10 c20 k10 k10 k10", METRIC_MEMORY_ALLOC_COUNT, false, 3, false },
		{ "p10 c20 c10 c20 k10 k10 k10", METRIC_STEP_COMPUTE_TIME, false, 3, false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, rows[i].runs, rows[i].metric, "i5%", 20);
		s.rule.confirm = rows[i].never ? CONFIRM_NEVER : s.rule.confirm;
		s.bench.runs.nr_candidates = 3;
		s.bench.runs.nr_controls = rows[i].controls;
		if (confirm_is_refuted(&s.model, &s.e, &s.c) != rows[i].refuted)
			fail_msg("row %zu", i);
		end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),     cmocka_unit_test(test_open),
		cmocka_unit_test(test_not_shown), cmocka_unit_test(test_plan),
		cmocka_unit_test(test_refuted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The rules file: the meaning of its keys, errors and their places, its schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "model/select.h"
#include "rules/rules_file.h"
#include "rules/yaml_reader.h"

#define PERCENT(v) ((int64_t)(v)*1000000)
#define HEAD "version: 1\nrules:\n"
#define EACH(keys, metric) HEAD "  - {id: a, fail: {increase: 5%}, metric: " metric ", " keys "}\n"
#define RULE "  - {id: a, metric: step.time, fail: {increase: 5%}}\n"

static enum status parse(const char *text, size_t n, struct rules *r, struct diag_log *log)
{
	diag_init(log);
	return rules_read("f", &(struct span){ text, n }, NULL, r, log);
}

/* True if `text` is refused with a message that begins with `want`. */
static bool refused(const char *text, size_t n, const char *want)
{
	struct rules r;
	struct diag_log log;
	enum status st = parse(text, n, &r, &log);
	const char *got = diag_first_error(&log);
	bool ok = st == ST_USAGE && got && strncmp(got, want, strlen(want)) == 0 && !strchr(got, '\n');
	if (!ok)
		print_error("%.300s\nwant %s\ngot  %s\n", text, want, got ? got : "no error");
	rules_release(&r);
	diag_release(&log);
	return ok;
}

static void accepted(const char *text, struct rules *r)
{
	struct diag_log log;
	if (parse(text, strlen(text), r, &log) != ST_OK)
		fail_msg("%s\n%s", text, diag_first_error(&log));
	assert_null(log.first);
	diag_release(&log);
}

/* ---- meaning of the keys ---- */

static const char everything[] =
    "version: 1\n"
    "workload: resnet50 h100\n"
    "baseline: \"b/{workload}-{gpu}-{world_size}.json\"\n"
    "inputs: {expect_ranks: 8}\n"
    "steps: {marker: \"step[*\", unmarked: period, cycles: join, warmup: 2, min: 3}\n"
    "environment:\n"
    "  must_match: [gpu.name, gpu.count]\n"
    "  should_match: [cuda.runtime]\n"
    "kernels:\n"
    "  match: exact\n"
    "  alias: [{match: \"nccl*\", as: all reduce}]\n"
    "  categories: [{category: communication, match: [\"my_a2a_*\", x]}]\n"
    "rules:\n"
    "  - fail: {increase: 5%, and: 2ms}\n"
    "    warn: {increase: 2.000001%, decrease: 1.5us}\n"
    "    id: step-cuda_time.1\n"
    "    metric: step.cuda_time\n"
    "    stat: p95\n"
    "    ranks: max\n"
    "    better: higher\n"
    "    select: {rank: 0}\n"
    "    on_missing: warn\n"
    "  - id: frag\n"
    "    metric: memory.fragmentation_at_peak_pct\n"
    "    fail: {max: 30%, increase: 5pp}\n"
    "    warn: {increase: 7%, and: 1pp}\n"
    "  - id: top\n"
    "    metric: kernel.time\n"
    "    for_each: {top: 7, min_share: 0.5%}\n"
    "    select: {kernel: \"*gemm*\", category: GE?M}\n"
    "    warn: {increase: 15%, and: 0.5% of step}\n"
    "    on_new: fail\n"
    "    on_gone: warn\n"
    "  - id: drift\n"
    "    metric: kernel.drift_pct\n"
    "    top: 3\n"
    "    fail: {max: \"10%\"}\n"
    "  - id: only-new\n"
    "    metric: op.time\n"
    "    for_each: {top: 1}\n"
    "    on_new: note\n"
    "defaults: {on_missing: skip}\n"
    "tables: {categories: c, sites: s, formats: f, diagnosis: d}\n"
    "approvers: [ann, bob]\n";

static void test_root(void **state)
{
	(void)state;
	struct rules r;
	accepted(everything, &r);
	assert_string_equal(r.source, "f");
	assert_string_equal(r.workload, "resnet50 h100");
	assert_string_equal(r.baseline, "b/{workload}-{gpu}-{world_size}.json");
	assert_int_equal(r.approvers.nr, 2);
	assert_string_equal(r.approvers.v[1].p, "bob");
	assert_int_equal(r.expect_ranks, 8);
	assert_string_equal(r.marker, "step[*");
	assert_string_equal(r.unmarked, UNMARKED_PERIOD);
	assert_true(r.join_cycles);
	assert_string_equal(r.tables.categories, "c");
	assert_string_equal(r.tables.sites, "s");
	assert_string_equal(r.tables.formats, "f");
	assert_string_equal(r.tables.diagnosis, "d");
	assert_int_equal(r.warmup, 2);
	assert_int_equal(r.min_steps, 3);
	assert_int_equal(r.must_match.nr, 2);
	assert_string_equal(r.must_match.v[1].p, "gpu.count");
	assert_int_equal(r.should_match.nr, 1);
	assert_true(r.match_exact);
	assert_int_equal(r.aliases.nr, 1);
	assert_true(span_eq(r.aliases.v[0].match, SPAN("nccl*")));
	assert_true(span_eq(r.aliases.v[0].as, SPAN("all reduce")));
	assert_int_equal(r.categories.nr, 1);
	assert_string_equal(r.categories.v[0].category, "communication");
	assert_int_equal(r.categories.v[0].match.nr, 2);
	assert_true(span_eq(r.categories.v[0].match.v[0], SPAN("my_a2a_*")));
	assert_int_equal(r.on_missing, ON_MISSING_SKIP);
	assert_int_equal(r.rules.nr, 5);
	rules_release(&r);
}

static void test_rules(void **state)
{
	(void)state;
	struct rules r;
	accepted(everything, &r);
	const struct rule *a = &r.rules.v[0], *frag = &r.rules.v[1], *top = &r.rules.v[2],
	                  *drift = &r.rules.v[3];
	assert_string_equal(a->id, "step-cuda_time.1");
	assert_int_equal(a->line, 16);
	assert_int_equal(a->column, 9);
	assert_int_equal(a->metric->id, METRIC_STEP_CUDA_TIME);
	assert_int_equal(a->stat, STAT_P95);
	assert_int_equal(a->reduce, REDUCE_MAX);
	assert_int_equal(a->worse, WORSE_DOWN);
	assert_ptr_equal(a->query.metric, a->metric);
	assert_int_equal(a->query.stat, STAT_P95);
	assert_int_equal(a->query.reduce, REDUCE_MAX);
	assert_string_equal(a->query.rank, "0");
	assert_null(a->query.kernel);
	assert_int_equal(a->on_missing, ON_MISSING_WARN);
	/* in this file `defaults` comes after the rules */
	assert_int_equal(frag->on_missing, ON_MISSING_SKIP);
	assert_int_equal(frag->stat, STAT_MEDIAN);
	assert_int_equal(frag->reduce, REDUCE_MAX);
	assert_int_equal(frag->worse, WORSE_UP);
	assert_false(frag->for_each);
	assert_false(select_any(&frag->query));
	assert_true(top->for_each);
	assert_int_equal(top->top, 7);
	assert_int_equal(top->min_share, 500000);
	assert_string_equal(select_text(&top->query, &r.arena), "kernel=*gemm*, category=GE?M");
	assert_int_equal(top->on_new, SEVERITY_FAIL);
	assert_int_equal(top->on_gone, SEVERITY_WARN);
	assert_int_equal(drift->top, 3);
	assert_int_equal(r.rules.v[4].fail.list.nr + r.rules.v[4].warn.list.nr, 0);
	rules_release(&r);
}

static void test_and(void **state)
{
	(void)state;
	struct rules r;
	accepted(everything, &r);
	const struct limits *a = &r.rules.v[0].fail, *frag = &r.rules.v[1].warn,
	                    *top = &r.rules.v[2].warn;
	assert_true(a->has_and);
	assert_int_equal(a->and_of, AND_OF_VALUE);
	assert_int_equal(a->and_value, 2000000);
	assert_string_equal(a->and_text, "2ms");
	assert_int_equal(frag->and_value, 1000000);
	assert_int_equal(top->and_of, AND_OF_STEP);
	assert_int_equal(top->and_value, 500000);
	assert_false(r.rules.v[0].warn.has_and);
	rules_release(&r);
}

static void test_defaults(void **state)
{
	(void)state;
	struct rules r;
	accepted(HEAD RULE, &r);
	assert_string_equal(r.workload, "default");
	assert_string_equal(r.baseline, "baselines/{workload}.json");
	assert_int_equal(r.expect_ranks, 0);
	assert_null(r.marker);
	assert_null(r.unmarked);
	assert_false(r.join_cycles);
	assert_null(r.tables.sites);
	assert_int_equal(r.warmup, -1);
	assert_int_equal(r.min_steps, 0);
	assert_int_equal(r.on_missing, ON_MISSING_FAIL);
	assert_false(r.match_exact);
	assert_int_equal(r.rules.v[0].top, 20);
	assert_int_equal(r.rules.v[0].on_new, SEVERITY_NOTE);
	rules_release(&r);
}

static void test_values(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *limit;
		bool relative;
		int64_t value;
	} rows[] = {
		{ "step.time", "increase: 5%", true, 5000000 },
		{ "step.time", "increase: 0.000001%", true, 1 },
		{ "step.time", "increase: 5 %", true, 5000000 },
		{ "step.time", "increase: \"5%\"", true, 5000000 },
		{ "step.time", "decrease: 99.999999%", true, 99999999 },
		{ "step.time", "change: 0%", true, 0 },
		{ "step.time", "increase: 1ns", false, 1 },
		{ "step.time", "increase_since_pin: 10%", true, 10000000 },
		{ "step.time", "increase_since_pin: 10ms", false, 10000000 },
		{ "step.time", "worse: 7%", true, 7000000 },
		{ "gpu.utilization_pct", "worse: 5pp", false, 5000000 },
		{ "comm.time", "increase: 10us", false, 10000 },
		{ "comm.count", "change: 0", false, 0 },
		{ "comm.bus_bandwidth", "decrease: 5%", true, 5000000 },
		{ "rank.straggler_pct", "max: 10%", false, 10000000 },
		{ "rank.missing_steps", "max: 0", false, 0 },
		{ "step.time", "increase: 1.5us", false, 1500 },
		{ "step.time", "increase: 2 ms", false, 2000000 },
		{ "step.time", "max: 0.123456s", false, 123456000 },
		/* a limit must be exceeded and figures are whole numbers, so rounding the limit loses
		   nothing */
		{ "step.time", "max: 1.5ns", false, 1 },
		{ "step.time", "min: 1.5ns", false, 2 },
		{ "step.time", "min: 2ns", false, 2 },
		{ "step.time", "max: 9223372036s", false, INT64_C(9223372036000000000) },
		{ "kernel.time", "increase: 3us", false, 3000 },
		{ "memory.peak_allocated", "max: 76GiB", false, INT64_C(81604378624) },
		{ "memory.peak_allocated", "max: 0.1KiB", false, 102 },
		{ "memory.peak_allocated", "min: 0.1KiB", false, 103 },
		{ "memory.peak_allocated", "increase: 3MiB", false, 3145728 },
		{ "memory.peak_allocated", "increase: 7B", false, 7 },
		{ "memory.peak_allocated", "increase: 7kB", false, 7000 },
		{ "memory.peak_allocated", "increase: 7MB", false, 7000000 },
		{ "memory.peak_allocated", "increase: 7GB", false, INT64_C(7000000000) },
		{ "memcpy.bandwidth", "min: 10GB/s", false, INT64_C(10000000000) },
		{ "memcpy.bandwidth", "min: 10GB", false, INT64_C(10000000000) },
		{ "gpu.utilization_pct", "min: 90%", false, 90000000 },
		{ "gpu.utilization_pct", "decrease: 5%", true, 5000000 },
		{ "gpu.utilization_pct", "decrease: 5pp", false, 5000000 },
		{ "step.kernel_count", "change: 0", false, 0 },
		{ "step.kernel_count", "increase: 12", false, 12 },
		{ "step.kernel_count", "increase: 1%", true, 1000000 },
		{ "kernel.count", "change: 0.5", false, 500000 },
		{ "throughput.steps_per_s", "min: 12.25", false, 12250000 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[256];
		struct rules r;
		snprintf(text, sizeof text, HEAD "  - {id: a, metric: %s, fail: {%s}}\n", rows[i].metric,
		         rows[i].limit);
		accepted(text, &r);
		const struct limit *l = &r.rules.v[0].fail.list.v[0];
		if (l->relative != rows[i].relative || l->value != rows[i].value)
			fail_msg("%s: %s is %d %lld", rows[i].metric, rows[i].limit, l->relative,
			         (long long)l->value);
		rules_release(&r);
	}
}

/* ---- exceptions: items that a rule leaves out, or for which it has other limits ---- */

static const char exceptions[] =
    "version: 1\n"
    "rules:\n"
    "  - id: top\n"
    "    metric: kernel.time\n"
    "    for_each: {top: 9}\n"
    "    fail: {increase: 5%}\n"
    "    warn: {increase: 1%}\n"
    "    except: [\"a*\", b?]\n"
    "    overrides:\n"
    "      - {match: gemm*, fail: {increase: 50%, and: 1% of step}}\n"
    "      - {match: [x, \"y*\"], warn: {increase: 2%}, fail: {max: 3ms}}\n"
    "  - {id: new, metric: kernel.time, for_each: {top: 9}, except: z, on_new: warn,\n"
    "     overrides: [{match: q, fail: {increase: 9%}}], noise: {k: 2}}\n"
    "waivers:\n"
    "  - {rule: top, until: 2027-01-31, up_to: 120.5%, reason: known}\n";

static void test_exceptions(void **state)
{
	(void)state;
	struct rules r;
	accepted(exceptions, &r);
	const struct rule *top = &r.rules.v[0], *new = &r.rules.v[1];
	assert_int_equal(top->except.nr, 2);
	assert_true(span_eq(top->except.v[1], SPAN("b?")));
	assert_int_equal(top->overrides.nr, 2);
	const struct rule_override *gemm = &top->overrides.v[0], *two = &top->overrides.v[1];
	assert_int_equal(gemm->match.nr, 1);
	assert_true(span_eq(gemm->match.v[0], SPAN("gemm*")));
	assert_int_equal(gemm->fail.list.v[0].value, PERCENT(50));
	assert_int_equal(gemm->fail.and_of, AND_OF_STEP);
	assert_true(rule_asks_step(top));
	assert_int_equal(gemm->warn.list.nr, 0);
	assert_int_equal(two->match.nr, 2);
	assert_true(span_eq(two->match.v[1], SPAN("y*")));
	assert_int_equal(two->fail.list.v[0].value, 3000000);
	assert_int_equal(two->warn.list.v[0].value, PERCENT(2));
	assert_int_equal(new->except.nr, 1);
	assert_true(span_eq(new->except.v[0], SPAN("z")));
	assert_true(rule_asks_noise(new)); /* the rule's override has a limit that needs noise */
	assert_false(rule_asks_step(new));
	assert_int_equal(r.waivers.v[0].up_to, 120500000);
	rules_release(&r);
}

/* ---- noise, waivers, profiles ---- */

static const char nightly[] =
    "version: 1\n"
    "defaults: {noise: {k: 2.5}}\n"
    "inputs: {expect_ranks: 8}\n"
    "rules:\n"
    "  - {id: time, metric: step.time, fail: {increase: 5%, and: 2ms, max: 1s}, warn: {increase: "
    "2%}}\n"
    "  - {id: top, metric: kernel.time, for_each: {top: 9}, fail: {increase_since_pin: 9%},\n"
    "     noise: {k: 0, min_runs: 7}}\n"
    "  - {id: drift, metric: kernel.drift_pct, fail: {max: 9%}}\n"
    "waivers:\n"
    "  - {rule: \"t*\", until: 2027-01-31, reason: \"known, issue 7\"}\n"
    "  - {rule: top, select: {kernel: \"a*\", class: compute}, until: 1970-01-01, reason: old}\n"
    "profiles:\n"
    "  nightly:\n"
    "    steps: {warmup: 5, min: 10}\n"
    "    inputs: {expect_ranks: 64}\n"
    "    defaults: {noise: {min_runs: 6}}\n"
    "    rules:\n"
    "      time: {fail: {and: 3ms, increase: 3%}, noise: {k: 4}}\n"
    "      top: {for_each: {top: 50, min_share: 1%}, fail: {increase_since_pin: 5us}}\n"
    "      drift: {top: 5}\n"
    "  quick: {steps: {min: 2}}\n";

static void with_profile(const char *profile, struct rules *r)
{
	struct diag_log log;
	diag_init(&log);
	if (rules_read("f", (struct span[]){ span_of(nightly) }, profile, r, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	diag_release(&log);
}

static void test_noise(void **state)
{
	(void)state;
	struct rules r;
	with_profile(NULL, &r);
	assert_int_equal(r.rules.v[0].noise.k, 2500000);
	assert_int_equal(r.rules.v[0].noise.min_runs, 5);
	assert_int_equal(r.rules.v[1].noise.k, 0);
	assert_int_equal(r.rules.v[1].noise.min_runs, 7);
	rules_release(&r);
	accepted(HEAD RULE, &r);
	assert_int_equal(r.rules.v[0].noise.k, 1000000);
	assert_int_equal(r.rules.v[0].noise.min_runs, 5);
	rules_release(&r);
}

static void test_waivers(void **state)
{
	(void)state;
	struct rules r;
	with_profile(NULL, &r);
	assert_int_equal(r.waivers.nr, 2);
	const struct waiver *all = &r.waivers.v[0], *top = &r.waivers.v[1];
	assert_string_equal(all->rule, "t*");
	assert_false(select_any(&all->select));
	assert_string_equal(all->until_text, "2027-01-31");
	assert_int_equal(all->until, 20849);
	assert_string_equal(all->reason, "known, issue 7");
	assert_int_equal(all->line, 10);
	assert_string_equal(select_text(&top->select, &r.arena), "kernel=a*, class=compute");
	assert_string_equal(top->select.kernel, "a*");
	assert_int_equal(top->until, 0);
	rules_release(&r);
}

static void test_profiles(void **state)
{
	(void)state;
	struct rules r;
	with_profile(NULL, &r);
	assert_null(r.profile);
	assert_int_equal(r.profiles.nr, 2);
	assert_int_equal(r.warmup, -1);
	assert_int_equal(r.rules.v[0].fail.list.v[0].value, PERCENT(5));
	rules_release(&r);
	with_profile("nightly", &r);
	assert_string_equal(r.profile, "nightly");
	assert_int_equal(r.profiles.nr, 2);
	assert_string_equal(r.profiles.v[0].text,
	                    "steps.warmup 5, steps.min 10, inputs.expect_ranks 64, "
	                    "defaults.noise.min_runs 6, time.fail.and 3ms, time.fail.increase 3%, "
	                    "time.noise.k 4, top.for_each.top 50, top.for_each.min_share 1%, "
	                    "top.fail.increase_since_pin 5us, drift.top 5");
	assert_int_equal(r.warmup, 5);
	assert_int_equal(r.min_steps, 10);
	assert_int_equal(r.expect_ranks, 64);
	const struct rule *time = &r.rules.v[0], *top = &r.rules.v[1];
	assert_int_equal(time->fail.list.nr, 2);
	/* limits stay in the order in which the rules file has them */
	assert_int_equal(time->fail.list.v[0].value, PERCENT(3));
	assert_int_equal(time->fail.and_value, 3000000);
	assert_int_equal(time->fail.list.v[1].value, 1000000000);
	assert_int_equal(time->warn.list.v[0].value, PERCENT(2));
	assert_int_equal(time->noise.k, 4000000);
	assert_int_equal(time->noise.min_runs, 6);
	assert_int_equal(top->top, 50);
	assert_int_equal(top->min_share, PERCENT(1));
	assert_int_equal(top->fail.list.v[0].condition, COND_INCREASE_SINCE_PIN);
	assert_int_equal(top->fail.list.v[0].value, 5000);
	assert_int_equal(top->noise.k, 0);
	assert_int_equal(top->noise.min_runs, 7);
	assert_int_equal(r.rules.v[2].top, 5);
	assert_int_equal(r.waivers.nr, 2);
	rules_release(&r);
	with_profile("quick", &r);
	assert_int_equal(r.min_steps, 2);
	assert_int_equal(r.rules.v[1].top, 9);
	rules_release(&r);
}

static void test_unknown_profile(void **state)
{
	(void)state;
	static const struct {
		const char *text, *profile, *error;
	} rows[] = {
		{ nightly, "nigtly", "f: there is no profile 'nigtly'; did you mean 'nightly'?" },
		{ nightly, "weekly", "f: there is no profile 'weekly'; it has 'nightly', 'quick'" },
		{ HEAD RULE, "nightly", "f: there is no profile 'nightly'; the file has no 'profiles'" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rules r;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(
		    rules_read("f", (struct span[]){ span_of(rows[i].text) }, rows[i].profile, &r, &log),
		    ST_USAGE);
		assert_string_equal(diag_first_error(&log), rows[i].error);
		rules_release(&r);
		diag_release(&log);
	}
}

/* Rules of one's own in a file of differences ask for their figure, unless the file says otherwise.
   Limits that are the same for any baseline need none, whatever a built-in rule limits beside them.
 */
static void test_own_rules(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum on_missing on_missing;
		bool absolute;
	} rows[] = {
		{ "rules: {own: {metric: memory.peak_allocated, fail: {max: 6GiB}}}", ON_MISSING_FAIL,
		  true },
		{ "rules: [{id: own, metric: memory.peak_allocated, fail: {max: 6GiB}}]", ON_MISSING_FAIL,
		  true },
		{ "rules: {own: {metric: memory.peak_allocated, fail: {max: 6GiB}, on_missing: skip}}",
		  ON_MISSING_SKIP, true },
		{ "defaults: {on_missing: skip}\n"
		  "rules: {own: {metric: memory.peak_allocated, fail: {max: 6GiB}}}",
		  ON_MISSING_SKIP, true },
		{ "rules: {own: {metric: memory.peak_allocated, fail: {max: 6GiB}, warn: {increase: 1%}}}",
		  ON_MISSING_FAIL, false },
		{ "rules: {peak-memory: {fail: {max: 6GiB}}}", ON_MISSING_SKIP, true },
		{ "rules: {peak-memory: {fail: {max: 6GiB}, warn: {increase: 1%}}}", ON_MISSING_SKIP,
		  false },
		{ "rules: {step-period: {noise: {k: 2}}}", ON_MISSING_SKIP, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rules r;
		const struct rule *own = NULL;
		struct strbuf text = STRBUF_INIT;
		strbuf_addf(&text, "version: 2\n%s\n", rows[i].text);
		accepted(strbuf_str(&text), &r);
		for (size_t k = 0; k < r.rules.nr; k++)
			if (r.rules.v[k].own)
				own = &r.rules.v[k];
		if (!own || own->on_missing != rows[i].on_missing ||
		    rules_are_absolute(&r) != rows[i].absolute)
			fail_msg("%s", rows[i].text);
		rules_release(&r);
		strbuf_release(&text);
	}
}

/* ---- errors, and the places at which they are reported ---- */

#define PROFILE(map) HEAD RULE "profiles:\n  nightly:\n    " map "\n"
#define LIMIT(metric, map) HEAD "  - id: a\n    metric: " metric "\n    fail: " map "\n"

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
		/* refused: errors in the YAML itself */
		{ "", "f:1:1: the file is empty" },
		{ "# only a comment\n", "f:2:1: the file is empty" },
		{ "- a\n", "f:1:1: the rules file is a map of keys" },
		{ "version: &a 1\n", "f:1:10: anchors are not allowed" },
		{ "version: 2\nrules: {creep: 3}\n", "f:2:16: a rule is a map of keys, or off" },
		{ "version: 2\nrules: {crep: off}\n", "f:2:9: no built-in rule is called 'crep': did you" },
		{ "version: 2\nrules: {own: {fail: {max: 1s}}}\n",
		  "f:2:9: no built-in rule is called 'own'" },
		{ "version: 2\nonly: true\nrules: {creep: {fail: {increase: 5%}}}\n",
		  "f:3:9: 'only: true' leaves the built-in rule 'creep' out: give it a 'metric'" },
		{ "version: 2\nrules: {creep: {id: own}}\n", "f:2:21: 'id' stands before the rule" },
		{ "version: 2\nrules: [{id: leak}, {id: leak}]\n", "f:2:26: two rules are called 'leak'" },
		{ "version: 2\nrules: {leak: off, leak: off}\n", "f:2:20: 'leak' is written twice" },
		{ "version: 2\nprofiles: {p: {rules: {slow-steps: [1]}}}\n",
		  "f:2:36: 'slow-steps' must be a map of keys, not a list" },
		{ "version: 2\nrules: [[a], b]\n", "f:2:9: 'rules' must be a map of keys" },
		{ "version: 2\nrules: {leak: {fail: {max: 1s}}}\n",
		  "f:2:28: '1s' does not fit 'memory.growth" },
		{ "version: 2\nenvironment: off\n", "f:2:14: 'environment' must be a map" },
		{ "version: 2\nonly: maybe\n", "f:2:7: 'only' is true or false" },
		{ "[version: 2]\n", "f:1:1: the rules file is a map of keys" },
		{ "version: 1\nrules: *a\n", "f:2:8: aliases are not allowed: put a pattern" },
		{ HEAD "  - {id: *, metric: step.time}\n",
		  "f:3:11: while scanning an alias: did not find expected alphabetic "
		  "or numeric character; put a pattern" },
		{ "version: !!int 1\n", "f:1:10: tags are not allowed" },
		{ "version: ! 1\n", "f:1:10: tags are not allowed" },
		{ "workload: \xC3\xA9\nbaseline: ! \"1\"\n", "f:2:11: tags are not allowed" },
		{ "! {version: 1}\n", "f:1:1: tags are not allowed" },
		{ "%YAML 1.1\n---\nversion: 1\n", "f:1:1: directives are not allowed" },
		{ "%TAG ! tag:x,2000:\n---\nversion: 1\n", "f:1:1: directives are not allowed" },
		{ "version: 1\n---\nversion: 1\n", "f:2:1: a second document begins here" },
		{ "version: [1\n",
		  "f:2:1: while parsing a flow sequence: did not find expected ',' or ']'" },
		{ "a: \xC3\xA9\n\n x\xFFy\n", "f:3:3: invalid leading UTF-8 octet" },
		{ "a: \x01\n", "f:1:4: control characters are not allowed" },
		{ "\xFF\xFE"
		  "a\0:\0",
		  "f:1:1: invalid leading UTF-8 octet" },
		{ "? {a: b}\n: 1\n", "f:1:3: a key must be a word" },
		/* refused: errors in keys of the file */
		{ "verson: 1\n", "f:1:1: unknown key 'verson' in the rules file: did you mean 'version'?" },
		{ "VERSION: 1\n",
		  "f:1:1: unknown key 'VERSION' in the rules file: did you mean 'version'?" },
		{ "version: 1\nversion: 1\n", "f:2:1: 'version' is written twice, first in line 1" },
		{ "version: 1\n", "f:1:1: the rules file lacks 'rules'" },
		{ "rules:\n" RULE, "f:1:1: the rules file lacks 'version'" },
		{ "version: 3\n", "f:1:10: 'version' must be from 1 to 2" },
		{ "version: \"1\"\n", "f:1:10: 'version' is a whole number, not '1'" },
		{ "version: 1.0\n", "f:1:10: 'version' is a whole number, not '1.0'" },
		{ "version: 0x1\n", "f:1:10: 'version' is a whole number, not '0x1'" },
		{ "version:\n", "f:1:9: 'version' has no value" },
		{ "workload: ~\n", "f:1:11: 'workload' has no value" },
		{ "workload: null\n", "f:1:11: 'workload' has no value" },
		{ "workload: \"\"\n", "f:1:11: 'workload' has no value" },
		{ "workload: [a]\n", "f:1:11: 'workload' must be one value, not a list" },
		{ "rules: a\n", "f:1:8: 'rules' must be a list, not one value" },
		{ "rules: [a]\n", "f:1:9: 'rules' must be a map of keys, not one value" },
		{ "rules: []\n", "f:1:8: 'rules' is empty" },
		{ "rules: {a: {metric: b}}\n",
		  "f:1:8: 'rules' is a map in 'version: 2', which the file lacks" },
		{ "name: s\ncases:\n  - {workload: w, runs: [a]}\n",
		  "f:3:3: 'cases' is of a suite file, which 'gpugate suite' reads" },
		{ "steps: {}\n", "f:1:8: 'steps' is empty" },
		{ "waver: []\n", "f:1:1: unknown key 'waver' in the rules file: did you mean 'waivers'?" },
		{ "defaults: {noise: {k: -1}}\n", "f:1:23: 'k' must be from 0 to 100" },
		{ "defaults: {noise: {k: 100.1}}\n", "f:1:23: 'k' must be from 0 to 100" },
		{ "defaults: {noise: {k: 1e1}}\n", "f:1:23: 'k' is a number like 3 or 2.5, not '1e1'" },
		{ "defaults: {noise: {k: 1.2345678}}\n", "f:1:23: 'k' is a number like 3 or 2.5" },
		{ "defaults: {noise: {k: \"3\"}}\n", "f:1:23: 'k' is a number like 3 or 2.5" },
		{ "defaults: {noise: {k: nan}}\n", "f:1:23: 'k' is a number like 3 or 2.5" },
		{ "defaults: {noise: {min_runs: 1}}\n", "f:1:30: 'min_runs' must be from 2 to 20" },
		/* faulty values of keys at the top level */
		{ "workload: a/b\n", "f:1:11: 'workload' must not hold '/'" },
		{ "workload: a..b\n", "f:1:11: 'workload' must not hold '..'" },
		{ "workload: .a\n", "f:1:11: 'workload' must not begin with '.'" },
		{ "workload: \"a\\0b\"\n", "f:1:11: 'workload' holds a control character" },
		{ "workload: \"a\\x1bb\"\n", "f:1:11: 'workload' holds a control character" },
		{ "workload: \"a\\x7fb\"\n", "f:1:11: 'workload' holds a control character" },
		{ "baseline: \"{gpus}\"\n" HEAD RULE,
		  "f:1:11: 'baseline' can fill in {workload}, {gpu} and {world_size} only" },
		{ "baseline: \"a}\"\n" HEAD RULE, "f:1:11: 'baseline' has a '}'" },
		{ "inputs: {expect_ranks: 0}\n", "f:1:24: 'expect_ranks' must be from 1 to 1000000" },
		{ "inputs: {expect_ranks: -1}\n", "f:1:24: 'expect_ranks' must be from 1 to 1000000" },
		{ "inputs: {expect_ranks: 99999999999999999999}\n",
		  "f:1:24: 'expect_ranks' is a whole number" },
		{ "steps: {min: 0}\n", "f:1:14: 'min' must be from 1" },
		{ "environment: {must_match: [1, 2]}\n" HEAD RULE,
		  "f:1:28: '1' is not a key of the environment: a key is lower-case letters, digits, '_' "
		  "and "
		  "'.', a letter first" },
		{ "environment: {should_match: [gpu.nam]}\n" HEAD RULE,
		  "f:1:30: 'gpu.nam' is not a key of the environment: did you mean 'gpu.name'?" },
		{ "environment: {must_match: [a, b, a]}\n" HEAD RULE,
		  "f:1:34: 'a' is in 'must_match' already" },
		{ "environment: {should_match: [1, 2]}\n" HEAD RULE,
		  "f:1:30: '1' is not a key of the environment: a key is lower-case letters, digits, '_' "
		  "and '.', a letter first" },
		{ "environment: {must_match: [a], should_match: [b, a]}\n" HEAD RULE,
		  "f:1:50: 'a' is in 'must_match' already" },
		{ "environment: {should_match: [a, [b]]}\n",
		  "f:1:33: 'should_match' must be one value, not a list" },
		{ "environment: {should_match: [a, ]}\nkernels: {match: norm}\n",
		  "f:2:18: 'norm' is not a known match: normalized, exact" },
		{ "kernels: {alias: [{match: a}]}\n", "f:1:19: an alias lacks 'as'" },
		{ "kernels: {categories: [{category: a}]}\n",
		  "f:1:24: an addition to a category lacks 'match'" },
		{ HEAD RULE "kernels: {categories: [{category: a, match: [b c]}]}\n",
		  "f:4:46: 'b c': such texts must not be empty or hold blanks" },
		{ "defaults: {on_missing: fial}\n",
		  "f:1:24: 'fial' is not a known on_missing: did you mean 'fail'?" },
		/* refused: errors in rules */
		{ HEAD "  - {metric: step.time, fail: {increase: 5%}}\n", "f:3:5: a rule lacks 'id'" },
		{ HEAD "  - {id: a, fail: {increase: 5%}}\n", "f:3:5: a rule lacks 'metric'" },
		{ HEAD "  - {id: a b, metric: step.time, fail: {increase: 5%}}\n",
		  "f:3:10: 'id' is 1 to 100 letters" },
		{ HEAD RULE RULE, "f:4:10: two rules are called 'a': the other is in line 3" },
		{ HEAD "  - {id: a, metric: step.tme, fail: {increase: 5%}}\n",
		  "f:3:21: 'step.tme' is not a known metric: did you mean 'step.time'?" },
		{ HEAD "  - {id: a, metric: cuda_time, fail: {increase: 5%}}\n",
		  "f:3:21: 'cuda_time' is not a known metric: did you mean 'step.cuda_time', or "
		  "input.cuda_time of a file?" },
		{ HEAD "  - {id: a, metric: step.time, max: 5ms}\n",
		  "f:3:32: unknown key 'max' in a rule: it belongs in 'fail'" },
		{ "version: 1\nmust_match: []\n",
		  "f:2:1: unknown key 'must_match' in the rules file: it belongs in 'environment'" },
		{ HEAD "  - {id: a, metric: xxxxxxxxxxx, fail: {increase: 5%}}\n",
		  "f:3:21: 'xxxxxxxxxxx' is not a known metric: see 'gpugate explain'; figures of "
		  "files are called input.NAME" },
		{ HEAD "  - {id: a, metric: step.time, stat: medain, fail: {increase: 5%}}\n",
		  "f:3:38: 'medain' is not a known stat: did you mean 'median'?" },
		{ HEAD "  - {id: a, metric: kernel.time, stat: max, fail: {increase: 5%}}\n",
		  "f:3:40: 'stat' is for step.* metrics" },
		{ HEAD "  - {id: a, metric: step.time}\n",
		  "f:3:5: a rule needs at least one of 'fail', 'warn', 'on_new', 'on_gone'" },
		{ HEAD "  - {id: a, metric: step.time, on_new: warn}\n",
		  "f:3:32: 'on_new' needs 'for_each'" },
		{ HEAD "  - {id: a, metric: kernel.time, fail: {max: 1s}, on_gone: warn}\n",
		  "f:3:51: 'on_gone' needs 'for_each'" },
		{ HEAD "  - {id: a, metric: step.time, for_each: {top: 3}, fail: {increase: 5%}}\n",
		  "f:3:32: 'step.time' has no kernels, categories, operators, collectives, functions, "
		  "modules, annotations or places for 'for_each'" },
		{ HEAD "  - {id: a, metric: step.time, top: 3, fail: {increase: 5%}}\n",
		  "f:3:32: 'top' is for metrics of both sides, such as kernel.drift_pct: use 'for_each: "
		  "{top: "
		  "N}'" },
		{ HEAD
		  "  - {id: a, metric: kernel.time, top: 3, for_each: {top: 3}, fail: {increase: 5%}}\n",
		  "f:3:34: 'top' is for metrics of both sides, such as kernel.drift_pct: write it inside "
		  "'for_each'" },
		{ HEAD "  - {id: a, metric: op.time, for_each: {min_share: 1%}, fail: {increase: 5%}}\n",
		  "f:3:41: 'min_share' is a share of kernel time" },
		{ HEAD
		  "  - {id: a, metric: kernel.time, for_each: {min_share: 101%}, fail: {increase: 5%}}\n",
		  "f:3:56: '101%' must be a share from 0% to 100%" },
		{ HEAD "  - {id: a, metric: kernel.time, for_each: {top: 0}, fail: {increase: 5%}}\n",
		  "f:3:50: 'top' must be from 1 to 10000" },
		{ HEAD "  - {id: a, metric: step.time, select: {kernel: \"*\"}, fail: {increase: 5%}}\n",
		  "f:3:41: 'step.time' has no kernel to select: it has rank" },
		{ HEAD
		  "  - {id: a, metric: memory.peak_allocated, select: {device: 0}, fail: {increase: 5%}}\n",
		  "f:3:53: 'memory.peak_allocated' has no device to select: it has rank and memory" },
		{ HEAD "  - {id: a, metric: kernel.drift_pct, select: {rank: 0}, fail: {max: 5%}}\n",
		  "f:3:39: 'kernel.drift_pct' is formed from all kernels" },
		/* refused: errors in limits */
		{ LIMIT("step.time", "{}"), "f:5:11: 'fail' is empty" },
		{ HEAD "  - {}\n", "f:3:5: a rule lacks 'id'" },
		{ "{}\n", "f:1:1: the rules file lacks 'version'" },
		{ LIMIT("step.time", "{and: 2ms}"), "f:5:11: a limit needs at least one of 'increase'" },
		{ LIMIT("step.time", "{increase: 5%, inrease: 5%}"),
		  "f:5:26: unknown key 'inrease' in a limit: did you mean 'increase'?" },
		{ LIMIT("step.time", "{increase_since_pins: 5%}"),
		  "f:5:12: unknown key 'increase_since_pins' in a limit: did you mean "
		  "'increase_since_pin'?" },
		{ LIMIT("kernel.drift_pct", "{increase_since_pin: 5%}"),
		  "f:5:12: 'kernel.drift_pct' is a comparison of both sides already" },
		{ HEAD "  - {id: a, metric: step.kernel_count, fail: {increase: 5%}, noise: {k: 2}}\n",
		  "f:3:62: 'step.kernel_count' is exact: there is no noise in it" },
		{ HEAD "  - {id: a, metric: step.time, fail: {max: 5s}, noise: {k: 2}}\n",
		  "f:3:49: 'noise' belongs to an increase or decrease in 'fail', and there is none" },
		{ HEAD "  - {id: a, metric: step.time, warn: {increase: 5%}, noise: {k: 2}}\n",
		  "f:3:54: 'noise' belongs to an increase or decrease in 'fail', and there is none" },
		{ HEAD "  - {id: a, metric: comm.time, for_each: {min_share: 1%}, fail: {increase: 5%}}\n",
		  "f:3:43: 'min_share' is a share of kernel time" },
		{ HEAD
		  "  - {id: a, metric: rank.straggler_pct, select: {collective: a}, fail: {max: 5%}}\n",
		  "f:3:50: 'rank.straggler_pct' has no collective to select: it has rank" },
		{ HEAD "  - {id: a, metric: step.span, select: {phase: decode}, fail: {increase: 5%}}\n",
		  "f:3:41: 'step.span' has no phase to select: it has rank" },
		{ HEAD "  - {id: a, metric: kernel.time, select: {phase: decode}, fail: {increase: 5%}}\n",
		  "f:3:43: 'kernel.time' has no phase to select: it has kernel and category and class and "
		  "rank" },
		{ HEAD "  - {id: a, metric: step.time, select: {phase: back*}, fail: {increase: 5%}}\n",
		  "f:3:48: 'step.time' has no phase 'back*': it has prefill, decode, mixed" },
		{ HEAD
		  "  - {id: a, metric: step.comm_time, select: {phase: forward}, fail: {increase: 5%}}\n",
		  "f:3:53: 'step.comm_time' has no phase 'forward': it has communication, prefill, decode, "
		  "mixed" },
		/* refused: errors in `except` and `overrides` */
		{ EACH("except: a", "step.time"), "f:3:54: 'except' needs 'for_each'" },
		{ EACH("overrides: [{match: a, fail: {max: 1s}}]", "step.time"),
		  "f:3:54: 'overrides' needs 'for_each'" },
		{ EACH("for_each: {top: 3}, except: []", "op.time"), "f:3:80: 'except' is empty" },
		{ EACH("for_each: {top: 3}, except: {a: b}", "op.time"),
		  "f:3:80: 'except' must be one value, not a map of keys" },
		{ EACH("for_each: {top: 3}, except: [a, b, a]", "op.time"),
		  "f:3:87: 'a' is in 'except' or 'overrides' of the rule already, in line 3" },
		{ EACH("for_each: {top: 3}, except: a, overrides: [{match: a, fail: {max: 1s}}]",
		       "op.time"),
		  "f:3:103: 'a' is in 'except' or 'overrides' of the rule already, in line 3" },
		{ EACH("for_each: {top: 3}, overrides: [{match: a, fail: {max: 1s}}, {match: [b, a], "
		       "warn: {max: 1s}}]",
		       "op.time"),
		  "f:3:125: 'a' is in 'except' or 'overrides' of the rule already, in line 3" },
		{ EACH("for_each: {top: 3}, overrides: [{match: a}]", "op.time"),
		  "f:3:84: an override needs at least one of 'fail', 'warn'" },
		{ EACH("for_each: {top: 3}, overrides: [{fail: {max: 1s}}]", "op.time"),
		  "f:3:84: an override lacks 'match'" },
		{ EACH("for_each: {top: 3}, overrides: [{match: a, fail: {max: 1GiB}}]", "op.time"),
		  "f:3:107: '1GiB' does not fit 'op.time'" },
		{ HEAD RULE "waivers:\n  - {rule: a, up_to: 0%, until: 2027-01-31, reason: x}\n",
		  "f:5:22: 'up_to' must be above 0%" },
		{ HEAD RULE "waivers:\n  - {rule: a, up_to: 2ms, until: 2027-01-31, reason: x}\n",
		  "f:5:22: '2ms' must be a share from 0% to 1000000%" },
		{ HEAD "  - {id: d, metric: kernel.drift_pct, fail: {max: 9%}}\n"
		       "waivers:\n  - {rule: d, up_to: 9%, until: 2027-01-31, reason: x}\n",
		  "f:5:15: 'd' compares both sides already" },
		/* refused: errors in waivers */
		{ HEAD RULE "waivers:\n  - {rule: a, until: 2027-01-31}\n",
		  "f:5:5: a waiver lacks 'reason'" },
		{ HEAD RULE "waivers:\n  - {rule: a, reason: x}\n", "f:5:5: a waiver lacks 'until'" },
		{ HEAD RULE "waivers:\n  - {until: 2027-01-31, reason: x}\n",
		  "f:5:5: a waiver lacks 'rule'" },
		{ HEAD RULE "waivers:\n  - {rule: a, until: 2027-02-29, reason: x}\n",
		  "f:5:22: 'until' is a day like 2027-01-31, not '2027-02-29'" },
		{ HEAD RULE "waivers:\n  - {rule: a, until: 31.1.2027, reason: x}\n",
		  "f:5:22: 'until' is a day like 2027-01-31" },
		{ HEAD RULE "waivers:\n  - {rule: a, until: 2027-01-31T00, reason: x}\n",
		  "f:5:22: 'until' is a day like 2027-01-31" },
		{ HEAD "  - {id: step-time, metric: step.time, fail: {increase: 5%}}\nwaivers:\n"
		       "  - {rule: step-tme, until: 2027-01-31, reason: x}\n",
		  "f:5:12: a waiver for 'step-tme', and no rule has this id: did you mean 'step-time'?" },
		{ HEAD RULE "waivers:\n  - {rule: \"b*\", until: 2027-01-31, reason: x}\n",
		  "f:5:12: a waiver for 'b*', and no rule has this id" },
		{ HEAD RULE "waivers:\n  - {rule: a, select: {kernel: x}, until: 2027-01-31, reason: x}\n",
		  "f:5:24: 'a' has no kernel to select: it has rank" },
		{ HEAD RULE "waivers:\n  - {rule: a, select: {rnk: x}, until: 2027-01-31, reason: x}\n",
		  "f:5:24: unknown key 'rnk' in 'select': did you mean 'rank'?" },
		{ HEAD RULE "waivers:\n  - {rule: a, until: 2027-01-31, reason: ''}\n",
		  "f:5:42: 'reason' has no value" },
		/* refused: errors in profiles */
		{ PROFILE("steps: {marker: x}"), "f:6:13: unknown key 'marker' in 'steps' of a profile" },
		{ PROFILE("workload: x"), "f:6:5: unknown key 'workload' in a profile: it has inputs, " },
		{ PROFILE("rules: {b: {fail: {max: 1s}}}"), "f:6:13: no rule has the id 'b'" },
		{ PROFILE("rules: {a: {warn: {increase: 1%}}}"),
		  "f:6:17: rule 'a' has no 'warn' that a profile could change" },
		{ PROFILE("rules: {a: {fail: {decrease: 1%}}}"),
		  "f:6:24: rule 'a' has no 'decrease' in 'fail' that a profile could change" },
		{ PROFILE("rules: {a: {for_each: {top: 3}}}"),
		  "f:6:17: rule 'a' has no 'for_each' that a profile could change" },
		{ PROFILE("rules: {a: {top: 3}}"), "f:6:17: 'top' is for metrics of both sides" },
		{ PROFILE("rules: {a: {metric: step.time}}"),
		  "f:6:17: unknown key 'metric' in a rule of a profile" },
		{ PROFILE("rules: {a: {fail: {increase: 1MiB}}}"),
		  "f:6:34: '1MiB' does not fit 'step.time'" },
		{ PROFILE("rules: {a: {fail: {}}}"), "f:6:23: 'fail' is empty" },
		{ PROFILE("rules: {}"), "f:6:12: 'rules' is empty" },
		{ PROFILE("rules: {a: {fail: {increase: 1%}}, a: {fail: {increase: 2%}}}"),
		  "f:6:40: 'a' is written twice, first in line 6" },
		{ HEAD RULE "profiles: {\"a b\": {steps: {min: 2}}}\n",
		  "f:4:12: 'profiles' is 1 to 100 letters" },
		{ HEAD RULE "profiles: {p: {steps: {min: 2}}, p: {steps: {min: 3}}}\n",
		  "f:4:34: 'p' is written twice, first in line 4" },
		{ HEAD RULE "profiles: {p: 1}\n", "f:4:15: 'p' must be a map of keys, not one value" },
		{ HEAD RULE "profiles: {p: }\n", "f:4:15: 'p' has no value" },
		{ LIMIT("step.time", "{increase: -5%}"), "f:5:22: '-5%' is negative" },
		{ LIMIT("step.time", "{increase: 5}"),
		  "f:5:22: '5' does not fit 'step.time', which is in ns: write ns, us, ms, s or %" },
		{ LIMIT("step.time", "{change: 0}"), "f:5:20: '0' does not fit 'step.time'" },
		{ LIMIT("step.time", "{increase: 5MiB}"), "f:5:22: '5MiB' does not fit 'step.time'" },
		{ LIMIT("step.time", "{increase: 5pp}"), "f:5:22: '5pp' does not fit 'step.time'" },
		{ LIMIT("step.time", "{max: 5%}"),
		  "f:5:17: '5%' does not fit 'step.time', which is in ns: write ns, us, ms or s" },
		{ LIMIT("step.time", "{increase: 5 msec}"),
		  "f:5:22: unknown unit 'msec': did you mean 'ms'?" },
		{ LIMIT("step.time", "{increase: 5parsecs}"),
		  "f:5:22: unknown unit 'parsecs': there are ns" },
		{ LIMIT("memory.peak_allocated", "{increase: 5gib}"),
		  "f:5:22: unknown unit 'gib': did you mean 'GiB'?" },
		{ LIMIT("memory.peak_allocated", "{increase: 5GB/s}"),
		  "f:5:22: unknown unit 'GB/s': did you mean 'GB'?" },
		{ LIMIT("step.time", "{increase: 1e3ms}"), "f:5:22: unknown unit 'e3ms'" },
		{ LIMIT("step.time", "{increase: .5%}"), "f:5:22: '.5%' must begin with a number" },
		{ LIMIT("step.time", "{increase: 5.%}"), "f:5:22: '5.%' must begin with a number" },
		{ LIMIT("step.time", "{increase: 05%}"), "f:5:22: '05%' must begin with a number" },
		{ LIMIT("step.time", "{increase: 1.2.3%}"), "f:5:22: '1.2.3%' must begin with a number" },
		{ LIMIT("step.time", "{increase: five}"), "f:5:22: 'five' must begin with a number" },
		{ LIMIT("step.time", "{increase: 0.0000001%}"),
		  "f:5:22: '0.0000001%' has more than 6 decimals" },
		{ LIMIT("step.time", "{increase: 9300000000000%}"),
		  "f:5:22: '9300000000000%' is too large" },
		{ LIMIT("step.time", "{max: 9223372037s}"), "f:5:17: '9223372037s' is too large" },
		{ LIMIT("step.time", "{decrease: 100%}"),
		  "f:5:22: nothing can decrease by more than '100%'" },
		{ LIMIT("gpu.utilization_pct", "{worse: 100%}"),
		  "f:5:19: nothing can decrease by more than '100%'" },
		{ LIMIT("gpu_counter.median_pct", "{worse: 5%}"),
		  "f:5:12: 'gpu_counter.median_pct' has no better direction" },
		{ LIMIT("step.time", "{max: 1s, and: 2ms}"),
		  "f:5:21: 'and' belongs to increases and decreases in %" },
		{ LIMIT("step.time", "{change: 5%, and: 2ms}"), "f:5:24: 'and' belongs to" },
		{ LIMIT("step.time", "{increase: 5ms, and: 2ms}"), "f:5:27: 'and' belongs to" },
		{ LIMIT("step.time", "{increase: 5%, and: 2%}"),
		  "f:5:31: '2%' does not fit 'step.time', which is in ns: write ns, us, ms, s, '% of "
		  "step' or spreads" },
		{ LIMIT("memory.peak_allocated", "{increase: 5%, and: 2% of step}"),
		  "f:5:31: '2% of step' does not fit" },
		{ LIMIT("step.time", "{increase: 5% of step}"), "f:5:22: '5% of step' does not fit" },
		{ LIMIT("step.time", "{increase: 2 spreads}"), "f:5:22: '2 spreads' does not fit" },
		{ LIMIT("step.sync_count", "{increase: 5%, and: 2 spreads}"),
		  "f:5:31: '2 spreads' does not fit" },
		{ LIMIT("step.kernel_count", "{increase: 5.5}"),
		  "f:5:22: '5.5': 'step.kernel_count' is a whole number" },
		{ LIMIT("step.kernel_count", "{increase: \"5\"}"), "f:5:22: '5' in quotes is a text" },
		{ LIMIT("gpu.utilization_pct", "{min: 5pp}"),
		  "f:5:17: '5pp' does not fit 'gpu.utilization_pct', which is in %: write %" },
		{ LIMIT("gpu.utilization_pct", "{decrease: 5%, and: 2%}"),
		  "f:5:31: '2%' does not fit 'gpu.utilization_pct', which is in %: write pp" },
		{ LIMIT("gpu.utilization_pct", "{decrease: 5}"),
		  "f:5:22: '5' does not fit 'gpu.utilization_pct', which is in %: write % (relative) or "
		  "pp" },
		{ LIMIT("kernel.drift_pct", "{increase: 5%}"),
		  "f:5:12: 'kernel.drift_pct' is a comparison of both sides already" },
	};
	bool ok = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok = refused(rows[i].text, strlen(rows[i].text), rows[i].error) && ok;
	assert_true(ok);
	assert_true(refused("version: 1\0", 11, "f:1:11: control characters are not allowed"));
}

/* ---- limits on sizes ---- */

static void repeat(struct strbuf *b, const char *s, int nr)
{
	for (int i = 0; i < nr; i++)
		strbuf_adds(b, s);
}

static enum status take_any(struct document *d, void *out)
{
	(void)out;
	assert_non_null(d->root);
	return ST_OK;
}

static void test_depth(void **state)
{
	(void)state;
	for (int depth = DOCUMENT_MAX_DEPTH; depth <= DOCUMENT_MAX_DEPTH + 1; depth++) {
		struct strbuf b = STRBUF_INIT;
		struct diag_log log;
		repeat(&b, "[", depth);
		repeat(&b, "]", depth);
		diag_init(&log);
		struct span text = strbuf_span(&b);
		enum status st = document_open("f", &text, NULL, take_any, NULL, &log);
		assert_int_equal(st, depth == DOCUMENT_MAX_DEPTH ? ST_OK : ST_USAGE);
		if (st)
			assert_string_equal(diag_first_error(&log), "f:1:33: nested deeper than 32 levels");
		diag_release(&log);
		strbuf_release(&b);
	}
}

static void same(const struct node *a, const struct node *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->plain, b->plain);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->column, b->column);
	assert_true(span_eq(a->text, b->text));
	assert_int_equal(!a->text.p, !b->text.p);
	same(a->key, b->key);
	same(a->first, b->first);
	same(a->next, b->next);
}

static enum status compare(struct document *d, void *other)
{
	same(d->root, ((struct document *)other)->root);
	return ST_OK;
}

static enum status compare_built_in(struct document *d, void *built_in)
{
	return document_open(NULL, NULL, built_in, compare, d, d->log);
}

/* Tables that were read at build time are what their files say. */
static void test_tables(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		const struct table *built_in;
	} tables[] = { { "../rules/default.yaml", &table_default },
		           { "../rules/categories.yaml", &table_categories },
		           { "../rules/formats.yaml", &table_formats },
		           { "../rules/sites.yaml", &table_sites },
		           { "../rules/diagnosis.yaml", &table_diagnosis } };
	struct diag_log log;
	diag_init(&log);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		assert_int_equal(document_open(tables[i].path, NULL, NULL, compare_built_in,
		                               (void *)tables[i].built_in, &log),
		                 ST_OK);
	diag_release(&log);
}

static void test_hostile_sizes(void **state)
{
	(void)state;
	static const struct {
		const char *unit;
		int nr;
		const char *error;
	} rows[] = {
		{ "[", 100000, "f:1:33: nested deeper" },
		{ "{", 100000, "f:1:2: a key must be a word" },
		{ "- ", 50000, "f:1:65: nested deeper" },
		{ "? ", 50000, "f:1:3: a key must be a word" },
		{ "a", DOCUMENT_MAX_BYTES, "f:1:1: the rules file is a map" },
		{ "a", DOCUMENT_MAX_BYTES + 1, "f: is larger than 1 MiB" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf b = STRBUF_INIT;
		repeat(&b, rows[i].unit, rows[i].nr);
		assert_true(refused(b.p, b.n, rows[i].error));
		strbuf_release(&b);
	}
}

static void test_counts(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	struct rules r;
	strbuf_adds(&b, HEAD);
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&b, "  - {id: r%d, metric: step.time, fail: {max: 1s}}\n", i);
	accepted(b.p, &r);
	assert_int_equal(r.rules.nr, 1000);
	rules_release(&r);
	strbuf_adds(&b, "  - {id: one-more, metric: step.time, fail: {max: 1s}}\n");
	assert_true(refused(b.p, b.n, "f:1003:5: 'rules' has more than 1000 items"));
	strbuf_release(&b);

	char id[102];
	memset(id, 'i', sizeof id);
	for (int n = 100; n <= 101; n++) {
		strbuf_addf(&b, HEAD "  - {id: %.*s, metric: step.time, fail: {max: 1s}}\n", n, id);
		if (n == 100) {
			accepted(b.p, &r);
			rules_release(&r);
		} else {
			assert_true(refused(b.p, b.n, "f:3:10: 'id' is 1 to 100 letters"));
		}
		strbuf_release(&b);
	}
}

static void test_text_length(void **state)
{
	(void)state;
	for (int n = 16384; n <= 16385; n++) {
		struct strbuf b = STRBUF_INIT;
		struct rules r;
		strbuf_adds(&b, "steps: {marker: ");
		repeat(&b, "m", n);
		strbuf_adds(&b, "}\n" HEAD RULE);
		if (n == 16384) {
			accepted(b.p, &r);
			assert_int_equal(strlen(r.marker), n);
			rules_release(&r);
		} else {
			assert_true(refused(b.p, b.n, "f:1:17: 'marker' is longer than 16384 bytes"));
		}
		strbuf_release(&b);
	}
}

/* ---- the built-in rules and other files ---- */

static void test_files(void **state)
{
	(void)state;
	char dir[] = "/tmp/gpugate-rules-XXXXXX", path[64], want[128];
	struct rules r;
	struct diag_log log;
	assert_non_null(mkdtemp(dir));
	static const char *const wants[] = {
		": cannot be opened: No such file or directory; name a YAML file",
		": is not a regular file; name a YAML file", NULL
	};
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, i == 1 ? "fifo" : "rules.yaml");
		if (i == 1)
			assert_int_equal(mkfifo(path, 0600), 0);
		if (i == 2) {
			FILE *f = fopen(path, "w");
			assert_non_null(f);
			fputs(everything, f);
			fclose(f);
		}
		diag_init(&log);
		assert_int_equal(rules_read(path, NULL, NULL, &r, &log), wants[i] ? ST_USAGE : ST_OK);
		snprintf(want, sizeof want, "%s%s", path, wants[i] ? wants[i] : "");
		if (wants[i])
			assert_string_equal(diag_first_error(&log), want);
		else
			assert_string_equal(r.source, path);
		rules_release(&r);
		diag_release(&log);
		if (i)
			unlink(path);
	}
	diag_init(&log);
	assert_int_equal(rules_read(dir, NULL, NULL, &r, &log), ST_USAGE);
	assert_non_null(strstr(diag_first_error(&log), "is not a regular file"));
	rules_release(&r);
	diag_release(&log);
	rmdir(dir);
}

static void test_built_in(void **state)
{
	(void)state;
	struct rules r;
	struct diag_log log;
	diag_init(&log);
	assert_int_equal(rules_read(NULL, NULL, NULL, &r, &log), ST_OK);
	assert_string_equal(r.source, "built in");
	assert_true(r.rules.nr >= 9);
	/* a run may have only a trace or only a snapshot, and no built-in rule may fail because of the
	   figures that it lacks; if only one side lacks them, a trust finding says so */
	for (size_t i = 0; i < r.rules.nr; i++)
		assert_int_equal(r.rules.v[i].on_missing, ON_MISSING_SKIP);
	rules_release(&r);
	diag_release(&log);
}

static void test_sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t want; ///< expected size in bytes; 0 if the text is refused
	} rows[] = {
		{ "80GiB", INT64_C(80) << 30 },
		{ "80 GiB", INT64_C(80) << 30 },
		{ "1.5kB", 1500 },
		{ "0.001953125KiB", 0 }, /* more than six decimals are refused */
		{ "85899345920", INT64_C(85899345920) },
		{ "1B", 1 },
		{ "0", 0 },
		{ "0.1B", 0 },
		{ "", 0 },
		{ "GiB", 0 },
		{ "-1GiB", 0 },
		{ "80Gib", 0 },
		{ "80GiB ", 0 },
		{ "80%", 0 },
		{ "80ms", 0 },
		{ "1e3", 0 },
		{ "0x10", 0 },
		{ "9223372036854GiB", 0 },
		{ "99999999999999999999", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t v = 0;
		if (bytes_parse(span_of(rows[i].text), &v) != (rows[i].want > 0) || v != rows[i].want)
			fail_msg("'%s': %lld", rows[i].text, (long long)v);
	}
}

/* ---- rules explained in words, and names of workloads ---- */

/* Joins the lines of a paragraph, after checking their lengths. */
static const char *unwrapped(struct arena *a, const char *text)
{
	char *copy = arena_dup(a, span_of(text)), *to = copy;
	size_t column = 0;
	for (const char *p = text; *p; p++, column++) {
		assert_true(column < 96 || *p == '\n');
		*to++ = *p == '\n' ? ' ' : *p;
		if (*p != '\n')
			continue;
		assert_memory_equal(p + 1, "    ", 4);
		p += 4;
		column = 3;
	}
	*to = '\0';
	return copy;
}

static void test_explain(void **state)
{
	(void)state;
	struct rules r;
	struct arena a = ARENA_INIT;
	accepted(everything, &r);
	assert_string_equal(
	    unwrapped(&a, rule_explain(&a, &r.rules.v[0])),
	    "step-cuda_time.1: the p95 over steps of step.cuda_time (sum of the durations of a step's "
	    "GPU "
	    "activities (kernels, memcpy, memset)), the max over devices and ranks, where rank=0. "
	    "Lower "
	    "is worse. Fails when it is more than 5% above the baseline, and also by more than 2ms. "
	    "Warns when it is more than 2.000001% above the baseline, or when it is more than 1.5us "
	    "below the baseline. A change that noise may explain is undecided: exit code 3. Warns "
	    "where a side lacks it.");
	assert_string_equal(
	    unwrapped(&a, rule_explain(&a, &r.rules.v[2])),
	    "top: kernel.time of each kernel (time of one kernel per step), where kernel=*gemm*, "
	    "category=GE?M. One check for each of the top 7 of the baseline or the run with at least "
	    "0.5% of kernel time; one that is new is a failure, one that is gone is a warning. Higher "
	    "is "
	    "worse. Warns when it is more than 15% above the baseline, and also by more than 0.5% of "
	    "step (the baseline's GPU time per step). Skipped where neither side has it.");
	arena_release(&a);
	rules_release(&r);
}

static void test_explain_all(void **state)
{
	(void)state;
	struct rules r;
	struct arena a = ARENA_INIT;
	with_profile(NULL, &r);
	const char *all = rules_explain(&a, &r, NULL), *top = rules_explain(&a, &r, &r.rules.v[1]),
	           *drift = rules_explain(&a, &r, &r.rules.v[2]);
	assert_non_null(strstr(all, "\nwaiver for 't*', until 2027-01-31: known, issue 7\n"));
	assert_non_null(strstr(all,
	                       "\nwaiver for 'top' where kernel=a*, class=compute, until 1970-01-01: "
	                       "old\n"));
	assert_non_null(strstr(all, "\nprofile 'nightly': steps.warmup 5, "));
	assert_non_null(strstr(all, "\nprofile 'quick': steps.min 2\n"));
	assert_non_null(strstr(top, "approved run"));
	assert_non_null(strstr(top, "waiver for 't*'"));
	assert_non_null(strstr(top, "profile 'nightly'"));
	assert_null(strstr(top, "profile 'quick'"));
	assert_null(strstr(top, "time: "));
	assert_null(strstr(drift, "waiver"));
	arena_release(&a);
	rules_release(&r);
}

/* A profile is told of a rule that it changes, not of one whose id ends alike. */
static void test_explain_profile(void **state)
{
	(void)state;
	struct rules r;
	struct arena a = ARENA_INIT;
	accepted(HEAD "  - {id: time, metric: step.time, fail: {increase: 5%}}\n  - {id: step-time, "
	              "metric: step.time, fail: {increase: 5%}}\n"
	              "profiles:\n  p: {rules: {step-time: {fail: {increase: 1%}}}}\n",
	         &r);
	assert_null(strstr(rules_explain(&a, &r, &r.rules.v[0]), "profile"));
	assert_non_null(strstr(rules_explain(&a, &r, &r.rules.v[1]), "profile 'p'"));
	arena_release(&a);
	rules_release(&r);
}

/* Rules of --limit with long names have ids of their own, which are not too long. */
static void test_limit_ids(void **state)
{
	(void)state;
	struct rules r;
	struct diag_log log;
	char limit[200];
	diag_init(&log);
	accepted(HEAD RULE, &r);
	for (int i = 0; i < 2; i++) {
		snprintf(limit, sizeof limit, "input.%0120d:+3%%", i);
		if (rules_add_limit(limit, &r, &log) != ST_OK)
			fail_msg("%s", diag_first_error(&log));
	}
	size_t nr = r.rules.nr;
	assert_true(strcmp(r.rules.v[nr - 1].id, r.rules.v[nr - 2].id) != 0);
	diag_release(&log);
	rules_release(&r);
}

static void test_explain_exceptions(void **state)
{
	(void)state;
	struct rules r;
	struct arena a = ARENA_INIT;
	accepted(exceptions, &r);
	struct strbuf one = STRBUF_INIT; /* the explanation without line breaks and indentation */
	for (const char *p = rules_explain(&a, &r, &r.rules.v[0]); *p; p++)
		if (*p != '\n')
			strbuf_addch(&one, *p);
		else if (p[1] == ' ')
			p += 3;
	const char *text = strbuf_str(&one);
	assert_non_null(strstr(text, " Items that fit 'a*' or 'b?' are not checked. Instead, an item "
	                             "that fits 'gemm*' fails when it is more than 50% above the "
	                             "baseline, and also by more than 1% of step (the baseline's GPU "
	                             "time per step). Instead, an item that fits 'x' or 'y*' "
	                             "fails when it is above 3ms, and warns when it is more than 2% "
	                             "above the baseline."));
	assert_non_null(strstr(text, "waiver for 'top', until 2027-01-31, up to 120.5%: known"));
	strbuf_release(&one);
	arena_release(&a);
	rules_release(&r);
}

static void test_workload(void **state)
{
	(void)state;
	assert_null(workload_fault(SPAN("resnet50-h100.v2 (nightly)")));
	char name[101];
	memset(name, 'w', sizeof name);
	assert_null(workload_fault((struct span){ name, 100 }));
	assert_non_null(workload_fault((struct span){ name, 101 }));
	assert_non_null(workload_fault(SPAN("")));
	assert_non_null(workload_fault(SPAN("a\\b")));
	assert_non_null(workload_fault(SPAN("a\xFF")));
	assert_non_null(workload_fault(SPAN("a\nb")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_and),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_hostile_sizes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_text_length),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_explain),
		cmocka_unit_test(test_explain_profile),
		cmocka_unit_test(test_limit_ids),
		cmocka_unit_test(test_workload),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_waivers),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_explain_exceptions),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_unknown_profile),
		cmocka_unit_test(test_own_rules),
		cmocka_unit_test(test_explain_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Trust findings at the edges of their conditions: counts of 1, ties, many ranks. */
#include <inttypes.h>

#include "gate_fixture.h"
#include "model/fold.h"
#include "ranks_rig.h"
#include "trust/trust.h"

/* ---- findings on one rank by its counts ---- */

struct change {
	size_t at; ///< 1 + offset of an int64_t in struct digest; 0: no change
	int64_t value;
};
#define SET(member, value)                         \
	{                                              \
		offsetof(struct digest, member) + 1, value \
	}

static void apply(struct digest *d, const struct change *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (v[i].at)
			memcpy((char *)d + v[i].at - 1, &v[i].value, sizeof v[i].value);
}

/* Expects that the findings of the report are the lines of `want`, each "id: message". */
static void assert_findings(size_t row, const struct report *r, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < r->trust.nr; i++)
		strbuf_addf(&b, "%s%s: %s", i ? "\n" : "", r->trust.v[i].id, r->trust.v[i].message);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("row %zu: '%s' instead of '%s'", row, strbuf_str(&b), want);
	strbuf_release(&b);
}

static void test_counts(void **state)
{
	(void)state;
	static const struct activity gemm[] = { { EVENT_KERNEL, "gemm", 50, MS(500) } };
	static const struct {
		struct change set[5];
		const char *want;
	} rows[] = {
		/* if lost_ns is known, its share of the GPU time decides, and not the share of launches */
		{ { SET(trust.launches, 10), SET(trust.launches_without_kernel, 2), SET(trust.lost_ns, 1) },
		  "" },
		{ { SET(trust.launches, 10), SET(trust.launches_without_kernel, 2), SET(trust.lost_ns, 1),
		    SET(trust.gpu_ns, 9) },
		  "lost-kernels: the run has 2 of 10 kernel launches without a kernel, about 1 ns or 10.00 "
		  "% of its GPU time" },
		{ { SET(trust.launches, 10), SET(trust.launches_without_kernel, 2) },
		  "lost-kernels: the run has 2 of 10 kernel launches without a kernel" },
		/* one launch is enough to know that launches were recorded */
		{ { SET(trust.with_launch, 1), SET(trust.launches, 0), SET(trust.dropped, 2),
		    SET(trust.dropped_ns, MS(50)) },
		  "dropped-kernels: the run has 2 GPU activities of no known launch, 10.00 % of its GPU "
		  "time" },
		{ { SET(trust.with_launch, 0), SET(trust.launches, 1), SET(trust.dropped, 1),
		    SET(trust.dropped_ns, MS(50)) },
		  "dropped-kernels: the run has 1 GPU activity of no known launch, 10.00 % of its GPU "
		  "time" },
		{ { SET(trust.with_launch, 0), SET(trust.launches, 0), SET(trust.dropped_ns, MS(50)) },
		  "" },
		{ { SET(trust.malformed, 1), SET(trust.json_faults, 1), SET(trust.fault_byte, 7),
		    SET(trust.negative_durations, 1) },
		  "malformed-events: the run has 1 event without a usable time or form, left out\n"
		  "json-faults: the run has 1 tolerated fault of JSON, the first at byte 7\n"
		  "negative-durations: the run has 1 event of negative duration, taken as 0" },
		{ { SET(trust.malformed, 2), SET(trust.json_faults, 2), SET(trust.negative_durations, 2) },
		  "malformed-events: the run has 2 events without a usable time or form, left out\n"
		  "json-faults: the run has 2 tolerated faults of JSON, the first at byte 0\n"
		  "negative-durations: the run has 2 events of negative duration, taken as 0" },
		{ { SET(trust.gpu_events, 100), SET(trust.twice, 1) }, "" },
		{ { SET(trust.gpu_events, 99), SET(trust.twice, 1) },
		  "recorded-twice: the run has 1 of 99 GPU activities twice, 0.00 % of its GPU time: sums "
		  "and counts are too high" },
		/* activities begin early if more than 1 % do, by more than 1 % of a step */
		{ { SET(trust.gpu_events, 99), SET(trust.early, 1), SET(trust.early_ns, 2),
		    SET(window_ns, 500) },
		  "early-activities: the run has 1 of 99 GPU activities that begin before their launch, by "
		  "up to 2 ns: the clocks of GPU and host disagree" },
		{ { SET(trust.gpu_events, 99), SET(trust.early, 1), SET(trust.early_ns, 1),
		    SET(window_ns, 500) },
		  "" },
		{ { SET(trust.gpu_events, 100), SET(trust.early, 1), SET(trust.early_ns, 2),
		    SET(window_ns, 500) },
		  "" },
		{ { SET(trust.gpu_events, 99), SET(trust.early, 1), SET(trust.early_ns, 2),
		    SET(window_ns, 199), SET(total_steps, 0) },
		  "early-activities: the run has 1 of 99 GPU activities that begin before their launch, by "
		  "up to 2 ns: the clocks of GPU and host disagree" },
		{ { SET(trust.gpu_events, 99), SET(trust.early, 1), SET(trust.early_ns, 2),
		    SET(window_ns, 200), SET(total_steps, 0) },
		  "" },
		/* without another run, it is not known whether copies were recorded */
		{ { SET(trust.lost_copies, 5) }, "" },
		{ { SET(usable_steps, 4) },
		  "short-last-step: the run ends within a step: step 104 has 10 GPU activities, less than "
		  "half of what is usual, and is left out" },
		{ { SET(usable_steps, 1) },
		  "short-last-step: the run ends within a step: step 101 has 10 GPU activities, less than "
		  "half of what is usual, and is left out" },
		{ { SET(usable_steps, 0) },
		  "too-few-steps: the run has 0 usable steps after warm-up, and statistics over them need "
		  "1\n"
		  "short-last-step: the run ends within a step: step 100 has 10 GPU activities, less than "
		  "half of what is usual, and is left out" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = fixture_digest(5, gemm, 1);
		struct run run = fixture_run(d);
		struct report r;
		apply(d, rows[i].set, NR_OF(rows[i].set));
		report_init(&r);
		trust_findings(NULL, &run, 1, &(struct rules){ .min_steps = 0 }, &r);
		assert_findings(i, &r, rows[i].want);
		report_release(&r);
		run_release(&run);
	}
}

/* ---- whether both sides ran the same batch ---- */

struct work {
	enum event_kind kind;
	const char *name;
	int64_t weight; ///< ns of a kernel, bytes of a copy
	int64_t grid[3], block[3], count;
};

static struct run run_of_work(const struct work *w, size_t nr)
{
	static const struct activity none[] = { { EVENT_KERNEL, "a", 5, 0 } };
	struct digest *d = fixture_digest(1, none, 0);
	d->trust.gpu_events = d->trust.with_launch = d->trust.launches = 10;
	for (size_t i = 0; i < nr && w[i].name; i++) {
		struct kernel_stat *k = vec_push_zero(&d->kernels);
		k->kind = w[i].kind;
		k->name = span_of(w[i].name);
		k->step_count = w[i].count ? w[i].count : 1;
		k->occupancy = -1;
		if (w[i].kind == EVENT_MEMCPY)
			k->step_bytes = w[i].weight;
		else
			k->step_total_ns = w[i].weight;
		memcpy(k->grid, w[i].grid, sizeof k->grid);
		memcpy(k->block, w[i].block, sizeof k->block);
	}
	vec_sort(&d->kernels, kernel_stat_cmp);
	return fixture_run(d);
}

#define K(name, weight, grid)                                      \
	{                                                              \
		EVENT_KERNEL, name, weight, { grid, 1, 1 }, { 1, 1, 1 }, 0 \
	}
#define COPY(name, weight)                          \
	{                                               \
		EVENT_MEMCPY, name, weight, { 0 }, { 0 }, 0 \
	}
#define KERNELS "context-differs: the run seems to run another batch than the baseline: "

static void test_batches(void **state)
{
	(void)state;
	static const struct {
		struct work work[NR_SIDES][5];
		const char *want;
	} rows[] = {
		/* three kernels, each of 1 ns, whose grids of one thread become twice as large */
		{ { { K("a", 1, 1), K("b", 1, 1), K("c", 1, 1) },
		    { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		{ { { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2) },
		    { K("a", 1, 1), K("b", 1, 1), K("c", 1, 1) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 0.5 times as large" },
		/* fewer than three kernels are enough only if a copy grew by the same factor */
		{ { { K("a", 1, 1), K("b", 1, 1) }, { K("a", 1, 2), K("b", 1, 2) } }, "" },
		{ { { K("a", 1, 1), K("b", 1, 1), COPY("copy", 1) },
		    { K("a", 1, 2), K("b", 1, 2), COPY("copy", 2) } },
		  KERNELS "2 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		{ { { K("a", 1, 1), COPY("copy", 8) }, { K("a", 1, 2), COPY("copy", 16) } },
		  KERNELS "1 grid of a kernel, 100.00 % of the kernel time, is 2 times as large" },
		{ { { K("a", 1, 1), COPY("copy", 8) }, { K("a", 1, 2), COPY("copy", 8) } }, "" },
		/* factors of 0.97 and 1.03 are still the same work */
		{ { { K("a", 1, 100), K("b", 1, 100), K("c", 1, 100) },
		    { K("a", 1, 103), K("b", 1, 103), K("c", 1, 103) } },
		  "" },
		{ { { K("a", 1, 100), K("b", 1, 100), K("c", 1, 100) },
		    { K("a", 1, 97), K("b", 1, 97), K("c", 1, 97) } },
		  "" },
		{ { { K("a", 1, 100), K("b", 1, 100), K("c", 1, 100) },
		    { K("a", 1, 104), K("b", 1, 104), K("c", 1, 104) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 1.04 times as large" },
		{ { { K("a", 1, 100), K("b", 1, 100), K("c", 1, 100) },
		    { K("a", 1, 96), K("b", 1, 96), K("c", 1, 96) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 0.96 times as large" },
		/* grids that grow by one factor must have more than half of the kernel time */
		{ { { K("a", 10, 1), K("b", 20, 1), K("c", 20, 1), K("d", 50, 9) },
		    { K("a", 10, 2), K("b", 20, 2), K("c", 20, 2), K("d", 50, 9) } },
		  "" },
		{ { { K("a", 11, 1), K("b", 20, 1), K("c", 20, 1), K("d", 49, 9) },
		    { K("a", 11, 2), K("b", 20, 2), K("c", 20, 2), K("d", 49, 9) } },
		  KERNELS "3 grids of kernels, 51.00 % of the kernel time, are 2 times as large" },
		{ { { K("a", 1, 1), K("b", 1, 1), K("c", 1, 1), K("d", 2, 9) },
		    { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2), K("d", 2, 9) } },
		  KERNELS "3 grids of kernels, 60.00 % of the kernel time, are 2 times as large" },
		/* a kernel's ratio counts as the common factor only if it is within a tenth of it */
		{ { { K("a", 10, 100), K("b", 10, 100), K("c", 10, 100) },
		    { K("a", 10, 190), K("b", 10, 200), K("c", 10, 219) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		{ { { K("a", 10, 100), K("b", 10, 100), K("c", 10, 100) },
		    { K("a", 10, 179), K("b", 10, 200), K("c", 10, 221) } },
		  "" },
		/* and within half of the growth: 1.04 times as large is not 1.1 times */
		{ { { K("a", 1, 100), K("b", 1, 100), K("c", 1, 100) },
		    { K("a", 1, 104), K("b", 1, 104), K("c", 1, 110) } },
		  "" },
		/* the median is that of the sorted ratios */
		{ { { K("a", 20, 9), K("b", 20, 9), K("c", 20, 9), K("d", 20, 9), K("e", 20, 9) },
		    { K("a", 20, 18), K("b", 20, 9), K("c", 20, 72), K("d", 20, 18), K("e", 20, 18) } },
		  KERNELS "3 grids of kernels, 60.00 % of the kernel time, are 2 times as large" },
		/* a dimension of a block that is unknown counts as 1 */
		{ { { { EVENT_KERNEL, "a", 1, { 1, 1, 1 }, { 4, 0, 0 }, 0 },
		      { EVENT_KERNEL, "b", 1, { 1, 1, 1 }, { 4, 0, 0 }, 0 },
		      { EVENT_KERNEL, "c", 1, { 1, 1, 1 }, { 4, 0, 0 }, 0 } },
		    { { EVENT_KERNEL, "a", 1, { 1, 1, 1 }, { 4, 2, 1 }, 0 },
		      { EVENT_KERNEL, "b", 1, { 1, 1, 1 }, { 4, 2, 1 }, 0 },
		      { EVENT_KERNEL, "c", 1, { 1, 1, 1 }, { 4, 2, 1 }, 0 } } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		/* the number of threads is the product of all dimensions of grid and block; a kernel whose
		 * grid is unknown is left out */
		{ { { { EVENT_KERNEL, "a", 1, { 1, 2, 3 }, { 4, 5, 6 }, 0 },
		      { EVENT_KERNEL, "b", 1, { 1, 2, 3 }, { 0, 0, 0 }, 0 },
		      { EVENT_KERNEL, "c", 1, { 2, 2, 2 }, { 2, 2, 2 }, 0 } },
		    { { EVENT_KERNEL, "a", 1, { 2, 2, 3 }, { 4, 5, 6 }, 0 },
		      { EVENT_KERNEL, "b", 1, { 1, 2, 6 }, { 0, 0, 0 }, 0 },
		      { EVENT_KERNEL, "c", 1, { 2, 2, 2 }, { 2, 4, 2 }, 0 } } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		{ { { K("a", 1, -1), K("b", 1, 1), K("c", 1, 1) },
		    { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2) } },
		  "" },
		{ { { K("a", 1, 1), K("b", 1, 1), K("c", 1, 1) },
		    { K("a", 1, 0), K("b", 1, 2), K("c", 1, 2) } },
		  "" },
		/* if no kernels can be compared: all kinds of copies must have grown by one factor, with as
		   many copies as before */
		{ { { COPY("x", 1), COPY("y", 3) }, { COPY("x", 2), COPY("y", 6) } },
		  KERNELS "2 kinds of copies, 100.00 % of the bytes copied, are 2 times as large" },
		{ { { COPY("x", 1) }, { COPY("x", 2) } },
		  KERNELS "1 kind of copy, 100.00 % of the bytes copied, is 2 times as large" },
		{ { { COPY("x", 1), COPY("y", 4) }, { COPY("x", 1), COPY("y", 8) } }, "" },
		{ { { COPY("x", 2) }, { COPY("x", 1) } },
		  KERNELS "1 kind of copy, 100.00 % of the bytes copied, is 0.5 times as large" },
		{ { { COPY("x", 2) }, { COPY("x", 0) } }, "" },
		{ { { COPY("x", 2) }, { { EVENT_MEMCPY, "x", 4, { 0 }, { 0 }, 2 } } }, "" },
		/* nothing is found if kernels that only the baseline has take 3/4 of the time */
		{ { { K("a", 1, 1), K("b", 1, 1), K("c", 2, 1), K("only", 12, 1) },
		    { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2) } },
		  "" },
		{ { { K("a", 1, 1), K("b", 1, 1), K("c", 2, 1), K("only", 11, 1) },
		    { K("a", 1, 2), K("b", 1, 2), K("c", 1, 2) } },
		  KERNELS "3 grids of kernels, 100.00 % of the kernel time, are 2 times as large" },
		/* communication kernels are not counted, and two other kernels are too few for a finding */
		{ { { K("a", 1, 1), K("b", 1, 1), K("nccl", 1, 1) },
		    { K("a", 1, 2), K("b", 1, 2), K("nccl", 1, 2) } },
		  "" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run base = run_of_work(rows[i].work[0], 5), other = run_of_work(rows[i].work[1], 5);
		struct report r;
		report_init(&r);
		trust_findings(&base, &other, 1, &(struct rules){ .min_steps = 0 }, &r);
		for (size_t k = 0; k < r.trust.nr; k++) /* messages as on a single run: "the run …" */
			if (strncmp(r.trust.v[k].message, "the candidate", 13) == 0)
				r.trust.v[k].message =
				    arena_printf(&r.arena, "the run%s", r.trust.v[k].message + 13);
		assert_findings(i, &r, rows[i].want);
		report_release(&r);
		run_release(&base);
		run_release(&other);
	}
}

/* A finding on the whole run makes the figures of each rank unreliable, too. */
static void test_spoiler_of_run(void **state)
{
	(void)state;
	const char *spoils[] = { metric_table[METRIC_STEP_CUDA_TIME].name };
	struct report r;
	report_init(&r);
	struct trust_finding *f = vec_push_zero(&r.trust);
	vec_push(&f->spoils, spoils[0]);
	const struct metric *m = &metric_table[METRIC_STEP_CUDA_TIME];
	static const struct {
		int64_t of_finding, rank;
		bool spoils;
	} rows[] = { { -1, 0, true }, { -1, -1, true }, { 0, -1, true },
		         { 0, 0, true },  { 0, 1, false },  { 1, 0, false } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		r.trust.v[0].rank = rows[i].of_finding;
		if (!!trust_spoiler(&r, &(struct rule){ .metric = m }, rows[i].rank) != rows[i].spoils)
			fail_msg("row %zu", i);
	}
	report_release(&r);
}

/* How much a rule lets a share fall: a third of the lowest of its limits on an increase or the
   like; nothing, if it has other limits, too. */
static void test_tolerance(void **state)
{
	(void)state;
	static const struct {
		struct limit fail[2], warn;
		size_t nr[2]; ///< number of limits that fail and that warn
		int64_t want;
	} rows[] = {
		{ { { COND_INCREASE, .relative = true, .value = 9 * MICRO } }, { 0 }, { 1, 0 }, 3 * MICRO },
		{ { { 0 } }, { COND_WORSE, .relative = true, .value = 6 * MICRO }, { 0, 1 }, 2 * MICRO },
		{ { { COND_DECREASE, .relative = true, .value = 9 * MICRO } },
		  { COND_DECREASE, .relative = true, .value = 6 * MICRO },
		  { 1, 1 },
		  3 * MICRO },
		{ { { COND_INCREASE, .relative = true, .value = 9 * MICRO },
		    { COND_DECREASE, .relative = true, .value = 3 * MICRO } },
		  { 0 },
		  { 2, 0 },
		  MICRO },
		{ { { COND_INCREASE, .relative = true, .value = 9 * MICRO },
		    { COND_MAX, .value = 9 * MICRO } },
		  { 0 },
		  { 2, 0 },
		  0 },
		{ { { COND_INCREASE, .value = 9 * MICRO } }, { 0 }, { 1, 0 }, 0 },
		{ { { COND_CHANGE, .relative = true, .value = 9 * MICRO } }, { 0 }, { 1, 0 }, 0 },
		{ { { 0 } }, { 0 }, { 0, 0 }, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule rule = fixture_rule(METRIC_STEP_CUDA_TIME);
		struct report r;
		for (size_t k = 0; k < rows[i].nr[0]; k++)
			vec_push(&rule.fail.list, rows[i].fail[k]);
		if (rows[i].nr[1])
			vec_push(&rule.warn.list, rows[i].warn);
		if (trust_tolerance(&rule) != rows[i].want)
			fail_msg("row %zu: %" PRId64, i, trust_tolerance(&rule));
		/* a finding on a share that fell no more spoils nothing */
		report_init(&r);
		struct trust_finding *f = vec_push_zero(&r.trust);
		f->rank = -1;
		vec_push(&f->spoils, metric_table[METRIC_STEP_CUDA_TIME].name);
		assert_non_null(trust_spoiler(&r, &rule, 0));
		f->fallen = rows[i].want + 1;
		assert_non_null(trust_spoiler(&r, &rule, 0));
		f->fallen = rows[i].want;
		assert_int_equal(trust_spoiler(&r, &rule, 0) == NULL, rows[i].want > 0);
		/* a finding on other kinds of steps does not spoil what is judged by kind */
		f->fallen = 0;
		f->of_kinds = true;
		assert_non_null(trust_spoiler(&r, &rule, 0));
		rule.query.phase = "decode";
		assert_null(trust_spoiler(&r, &rule, 0));
		f->of_kinds = false;
		assert_non_null(trust_spoiler(&r, &rule, 0));
		vec_release(&rule.fail.list);
		vec_release(&rule.warn.list);
		report_release(&r);
	}
}

/* A rule must name all items of work that may differ, each by its name or its whole path. */
static void test_excused(void **state)
{
	(void)state;
	static const struct {
		const char *work, *same_work[2];
		bool spoils;
	} rows[] = {
		{ "n, m", { "n", NULL }, true },       { "n, m", { "m", NULL }, true },
		{ "n, m", { "n", "m" }, false },       { "n, m", { "config.m", "n" }, false },
		{ "n", { "m", "n" }, false },          { "n", { "config.n", NULL }, false },
		{ "n", { "n.config", NULL }, true },   { "n", { NULL, NULL }, true },
		{ "config.n", { "config.n" }, false }, { NULL, { "n", NULL }, true },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		report_init(&r);
		struct trust_finding *f = vec_push_zero(&r.trust);
		struct rule rule = fixture_rule(METRIC_STEP_CUDA_TIME);
		f->work = rows[i].work;
		vec_push(&f->spoils, metric_table[METRIC_STEP_CUDA_TIME].name);
		for (size_t k = 0; k < 2 && rows[i].same_work[k]; k++)
			vec_push(&rule.same_work, span_of(rows[i].same_work[k]));
		if (!!trust_spoiler(&r, &rule, 0) != rows[i].spoils)
			fail_msg("row %zu", i);
		vec_release(&rule.same_work);
		report_release(&r);
	}
}

/* ---- runs of several ranks ---- */

enum { RANKS = 20 };

/* A run of up to 20 ranks with the same steps each. */
static struct run run_of_ranks(size_t nr, const char *steps)
{
	const char *lines[RANKS + 1] = { NULL };
	for (size_t i = 0; i < nr; i++)
		lines[i] = steps;
	return rig_run(lines);
}

static size_t count(const struct report *r, const char *id)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->trust.nr; i++)
		nr += strcmp(r->trust.v[i].id, id) == 0;
	return nr;
}

/* Up to 16 absent ranks are named; of the others, only the number is given. */
static void test_many_absent(void **state)
{
	(void)state;
	for (size_t absent = 15; absent <= 18; absent++) {
		struct run base = run_of_ranks(RANKS, "4: a9"),
		           other = run_of_ranks(RANKS - absent, "4: a9");
		struct report r;
		report_init(&r);
		trust_findings(&base, &other, 1, &(struct rules){ .min_steps = 1 }, &r);
		assert_int_equal(count(&r, "absent-rank"), absent > 16 ? 16 : absent);
		assert_int_equal(count(&r, "absent-ranks"), absent > 16);
		for (size_t i = 0; i < r.trust.nr; i++)
			if (strcmp(r.trust.v[i].id, "absent-ranks") == 0) {
				struct arena a = ARENA_INIT;
				assert_int_equal(r.trust.v[i].rank, -1);
				assert_string_equal(
				    r.trust.v[i].message,
				    arena_printf(&a, "the candidate lacks %zu ranks in all that the baseline has",
				                 absent));
				arena_release(&a);
			}
		report_release(&r);
		run_release(&base);
		run_release(&other);
	}
}

/* A finding names at most eight missing steps; "…" at the end says that there are more. */
static void test_many_steps(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"1: a1 | 2: | 3: | 4: | 5: | 6: | 7: | 8: | 9: | 10: | 11: | 12: a1",
		"1: a1 | 2: | 3: | 4: | 5: | 6: | 7: | 8: | 9: | 10: | 11: | 12: a1",
		"1: a1 | 2: | 3: | 4: | 5: | 6: | 7: | 8: | 9: | 10: | 11: | 12: a1",
		"1: a1 | 2: | 3: | 12: a1",
		"1: a1 | 2: | 12: a1",
		"1: a1 | 12: a1",
		NULL
	};
	static const char *const want[] = {
		"lacks steps 4, 5, 6, 7, 8, 9, 10, 11, which other ranks have",
		"lacks steps 3, 4, 5, 6, 7, 8, 9, 10, …, which other ranks have",
		"lacks steps 2, 3, 4, 5, 6, 7, 8, 9, …, which other ranks have"
	};
	static const char *const without_one[] = { "1: a1 | 2: | 3: a1", "1: a1 | 2: | 3: a1",
		                                       "1: a1 | 3: a1", NULL };
	struct run run = rig_run(lines);
	struct report r;
	report_init(&r);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_int_equal(count(&r, "missing-steps"), 3);
	for (size_t i = 0; i < 3; i++)
		assert_non_null(strstr(r.trust.v[i].message, want[i]));
	report_release(&r);
	run_release(&run);
	run = rig_run(without_one);
	report_init(&r);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_non_null(strstr(r.trust.v[0].message, "lacks step 2, which other ranks have"));
	report_release(&r);
	run_release(&run);
}

/* If the world size is known, a run with another number of ranks is partial. */
static void test_world(void **state)
{
	(void)state;
	static const struct {
		int64_t world;
		bool partial;
	} rows[] = { { -1, false }, { 0, false }, { 1, true }, { 2, false }, { 3, true } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = run_of_ranks(2, "4: a9 | 5: a9");
		struct report r;
		for (size_t k = 0; k < 2; k++)
			run.ranks.v[k]->world_size = rows[i].world;
		report_init(&r);
		trust_findings(NULL, &run, 1, NULL, &r);
		if (count(&r, "absent-rank") != rows[i].partial)
			fail_msg("row %zu: %zu findings", i, r.trust.nr);
		report_release(&r);
		run_release(&run);
	}
}

/* A rank with one collective less than its peers is named, even if each peer has only one. */
static void test_one_collective(void **state)
{
	(void)state;
	struct run run = run_of_ranks(3, "4: a9");
	struct report r;
	run.ranks.v[1]->comms.v[0].count = 0;
	report_init(&r);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_int_equal(count(&r, "fewer-collectives"), 1);
	assert_string_equal(r.trust.v[0].message, "the run has 0 of all_reduce in process group "
	                                          "'world', and its peers 1 in the same steps");
	report_release(&r);
	run_release(&run);
}

/* How a rank ended: number of launches, of launches that did not end, of collectives that it
   entered. */
struct end {
	int64_t launches, pending, collectives;
	const char *waits_in; ///< collective that runs on the rank's GPU at the end; NULL if none runs
};

/* A rank that stops in a step in which the others go on, or wait for it. */
static void test_stuck(void **state)
{
	(void)state;
	static const struct {
		struct end ranks[4];
		const char *message; ///< finding on rank 1, up to its ';'; NULL: rank 1 is not stuck
	} rows[] = {
		/* the other ranks wait in a collective that rank 1 never entered */
		{ { { 100, 60, 3, "r0" }, { 40, 0, 1, NULL }, { 100, 60, 3, "r2" }, { 100, 60, 3, NULL } },
		  "the run stopped in step 6 and never entered what the others wait in: 'r0' on rank 0" },
		{ { { 100, 60, 3, NULL }, { 40, 0, 1, NULL }, { 100, 60, 3, "r2" }, { 100, 60, 3, "r3" } },
		  "the run stopped in step 6 and never entered what the others wait in: 'r2' on rank 2" },
		{ { { 100, 0, 3, "r0" }, { 40, 0, 1, NULL }, { 100, 60, 3, "r2" }, { 100, 60, 3, NULL } },
		  "the run stopped in step 6 and never entered what the others wait in: 'r2' on rank 2" },
		{ { { 100, 60, 3, NULL }, { 40, 9, 1, "r1" }, { 100, 60, 3, NULL }, { 100, 60, 3, NULL } },
		  "the run stopped in step 6 and never entered what the others wait in" },
		/* rank 1 launched the 40 kernels that have ended on the others (100 - 60), and no more */
		{ { { 100, 60, 3, NULL }, { 40, 0, 3, NULL }, { 100, 60, 3, NULL }, { 100, 60, 3, NULL } },
		  "the run stopped in step 6 and never entered what the others wait in" },
		{ { { 100, 60, 3, NULL }, { 40, 0, 4, NULL }, { 100, 60, 3, NULL }, { 100, 60, 3, NULL } },
		  NULL },
		{ { { 100, 60, 3, NULL }, { 41, 0, 3, NULL }, { 100, 60, 3, NULL }, { 100, 60, 3, NULL } },
		  NULL },
		/* the others' hosts run ahead: a stopped rank has less than 90 % of their launches, and
		 * fewer collectives */
		{ { { 100, 90, 9, NULL }, { 89, 0, 8, NULL }, { 100, 90, 9, NULL }, { 100, 90, 9, NULL } },
		  "the run stopped in step 6 where the others went on, whose GPUs wait with what they "
		  "launched" },
		{ { { 100, 90, 9, NULL }, { 90, 0, 8, NULL }, { 100, 90, 9, NULL }, { 100, 90, 9, NULL } },
		  NULL },
		{ { { 100, 90, 9, NULL }, { 89, 0, 9, NULL }, { 100, 90, 9, NULL }, { 100, 90, 9, NULL } },
		  NULL },
		/* of two others, what both have in the mean */
		{ { { 80, 70, 9, NULL }, { 80, 0, 8, NULL }, { 120, 110, 10, NULL } },
		  "the run stopped in step 6 where the others went on, whose GPUs wait with what they "
		  "launched" },
		{ { { 80, 70, 9, NULL }, { 80, 0, 8, NULL }, { 96, 86, 10, NULL } }, NULL },
		{ { { 100, 1, 9, NULL }, { 89, 0, 8, NULL }, { 100, 1, 9, NULL }, { 100, 1, 9, NULL } },
		  "the run stopped in step 6 and never entered what the others wait in" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		size_t nr = rows[i].ranks[3].launches ? 4 : 3;
		struct run run = run_of_ranks(nr, "4: a9 | 5: a9 | 6: a9");
		struct report r;
		for (size_t k = 0; k < nr; k++) {
			const struct end *e = &rows[i].ranks[k];
			struct progress *p = &run.ranks.v[k]->progress;
			p->launches = e->launches;
			p->pending = e->pending;
			p->collectives = e->collectives;
			p->waits_in = span_of(e->waits_in ? e->waits_in : "");
		}
		report_init(&r);
		trust_findings(NULL, &run, 1, NULL, &r);
		const struct trust_finding *f = r.trust.nr ? &r.trust.v[0] : NULL;
		bool stuck = f && strcmp(f->id, "stuck") == 0;
		if (stuck != (rows[i].message != NULL) || (stuck && f->rank != 1))
			fail_msg("row %zu: %s", i, f ? f->message : "nothing");
		size_t n = stuck ? strlen(rows[i].message) : 0;
		if (stuck && (strncmp(f->message, rows[i].message, n) != 0 || f->message[n] != ';'))
			fail_msg("row %zu: %s", i, f->message);
		report_release(&r);
		run_release(&run);
	}
}

/* If the traces have no steps, the message about a stuck rank names no step. */
static void test_stuck_in_window(void **state)
{
	(void)state;
	struct run run = run_of_ranks(3, "");
	struct report r;
	for (size_t k = 0; k < 3; k++) {
		struct digest *d = run.ranks.v[k];
		d->window = true;
		digest_set_steps(d, 1);
		d->usable_steps = 1;
		d->progress = (struct progress){ .step = -1,
			                             .launches = k == 1 ? 40 : 100,
			                             .pending = k == 1 ? 0 : 60,
			                             .collectives = k == 1 ? 1 : 3,
			                             .op = SPAN(""),
			                             .activity = SPAN(""),
			                             .waits_in = SPAN("") };
	}
	report_init(&r);
	trust_findings(NULL, &run, 1, &(struct rules){ .min_steps = 0 }, &r);
	assert_int_equal(r.trust.nr, 1);
	assert_string_equal(r.trust.v[0].message,
	                    "the run stopped and never entered what the others wait in; in its last "
	                    "step it launched 40 kernels and entered 1 collective");
	report_release(&r);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),          cmocka_unit_test(test_batches),
		cmocka_unit_test(test_spoiler_of_run),  cmocka_unit_test(test_tolerance),
		cmocka_unit_test(test_excused),         cmocka_unit_test(test_many_absent),
		cmocka_unit_test(test_many_steps),      cmocka_unit_test(test_world),
		cmocka_unit_test(test_one_collective),  cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_stuck_in_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

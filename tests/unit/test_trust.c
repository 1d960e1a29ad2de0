#include "trust/trust.h"

#include "memory_fixture.h"
#include "model/fold.h"

static const struct activity gemm[] = { { EVENT_KERNEL, "gemm", 50, MS(500) } };

struct sides {
	struct run baseline, candidate;
	struct digest *b, *c;
	struct report report;
};

static void setup(struct sides *s)
{
	s->b = fixture_digest(5, gemm, NR_OF(gemm));
	s->c = fixture_digest(5, gemm, NR_OF(gemm));
	s->b->total_steps = s->c->total_steps = 5;
	s->b->trust.launches = s->c->trust.launches = 10000;
	s->baseline = fixture_run(s->b);
	s->candidate = fixture_run(s->c);
	report_init(&s->report);
}

static void release(struct sides *s)
{
	run_release(&s->baseline);
	run_release(&s->candidate);
	report_release(&s->report);
}

static const struct trust_finding *find(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->trust.nr; i++)
		if (strcmp(r->trust.v[i].id, id) == 0)
			return &r->trust.v[i];
	return NULL;
}

static bool spoils(const struct trust_finding *f, enum metric_id id)
{
	for (size_t i = 0; i < f->spoils.nr; i++)
		if (strcmp(f->spoils.v[i], metric_table[id].name) == 0)
			return true;
	return false;
}

/* ---- ways to damage a digest ---- */

#define DAMAGE(name, member, value)           \
	static void name(struct digest *d)        \
	{                                         \
		d->trust.timed = d->trust.gpu_events; \
		d->trust.member = (value);            \
	}
/* the digest has 500 ms of GPU time */
DAMAGE(contained_1, contained_ns, MS(5))
DAMAGE(contained_more, contained_ns, MS(5) + 1)
DAMAGE(twice_1, twice_ns, MS(5))
DAMAGE(twice_more, twice_ns, MS(5) + 1)
DAMAGE(untimed_1, untimed_ns, MS(5))
DAMAGE(untimed_more, untimed_ns, MS(6))
DAMAGE(left_over_1, left_over, d->trust.launches / 100)
DAMAGE(left_over_more, left_over, d->trust.launches / 100 + 1)
DAMAGE(outside_half, unattributed_ns, MS(250))
DAMAGE(outside_more, unattributed_ns, MS(250) + 1)
DAMAGE(graphs_lost, lost_unknown, 1)

static void wall_5(struct digest *d)
{
	d->trust.marker_ns = MS(100);
	d->trust.completion_ns = MS(95);
}
static void wall_more(struct digest *d)
{
	d->trust.marker_ns = MS(100);
	d->trust.completion_ns = MS(95) - 1;
}

static void nothing(struct digest *d)
{
	(void)d;
}
static void no_gpu(struct digest *d)
{
	d->trust.gpu_events = 0;
	d->trust.gpu_ns = 0;
}
static void dropped_1(struct digest *d)
{
	d->trust.dropped = 3;
	d->trust.dropped_ns = MS(5);
}
static void dropped_more(struct digest *d)
{
	d->trust.dropped = 3;
	d->trust.dropped_ns = MS(5) + 1;
}
static void no_launches(struct digest *d)
{
	d->trust.with_launch = d->trust.launches = 0;
	d->trust.dropped = 50;
	d->trust.dropped_ns = MS(500);
}
/* No activity of one kernel has a duration. They are 1 % of all activities, and more of the time.
 */
static void untimed_kernel(struct digest *d)
{
	struct kernel_stat *k = &d->kernels.v[0];
	k->step_total_ns = 0;
	d->trust.untimed = k->step_count;
	d->trust.gpu_events = d->trust.timed = 100 * k->step_count;
}
static void lost_1(struct digest *d)
{
	d->trust.launches = 200;
	d->trust.launches_without_kernel = 2;
}
static void lost_more(struct digest *d)
{
	d->trust.launches = 199;
	d->trust.launches_without_kernel = 2;
}
static void lost_time_1(struct digest *d)
{
	d->trust.launches = 10;
	d->trust.launches_without_kernel = 2;
	d->trust.lost_ns = MS(5); /* lost kernels took 5 ms of the 505 ms of GPU time */
}
static void lost_time(struct digest *d)
{
	d->trust.launches = 10000;
	d->trust.launches_without_kernel = 2;
	d->trust.lost_ns = MS(6);
}
static void three_steps(struct digest *d)
{
	d->nr_steps = 3;
	d->usable_steps = 3;
}
/* On the side that is damaged, half as many steps of as many launches, or of fewer launches. */
static void other_unit(struct digest *d)
{
	d->trust.launches = 12000;
	d->total_steps = 3;
}
static void same_unit(struct digest *d)
{
	d->trust.launches = 6000;
	d->total_steps = 3;
}
static void overlap_1(struct digest *d)
{
	d->trust.overlap_ns = MS(5);
}
static void overlap_more(struct digest *d)
{
	d->trust.overlap_ns = MS(5) + 1;
}
static void short_step(struct digest *d)
{
	d->step_activities[4] = 4;
	d->usable_steps = 4;
}
static void short_to_2(struct digest *d)
{
	d->nr_steps = 3;
	d->usable_steps = 2;
}
static void two_steps(struct digest *d)
{
	d->nr_steps = 2;
	d->usable_steps = 2;
}
static void no_steps(struct digest *d)
{
	d->nr_steps = 0;
	d->usable_steps = 0;
}
static void window(struct digest *d)
{
	d->nr_steps = 1;
	d->usable_steps = 1;
	d->window = true;
}
static void period(struct digest *d)
{
	d->unmarked = UNMARKED_PERIOD;
	d->period_count = 3;
}
static void period_of_window(struct digest *d)
{
	window(d);
	d->period_count = 3;
}
static void truncated(struct digest *d)
{
	d->trust.truncated = true;
}
static void partial(struct digest *d)
{
	d->trust.partial = true;
}
static void malformed(struct digest *d)
{
	d->trust.malformed = 1;
	d->trust.gpu_events = 100;
}
static void malformed_more(struct digest *d)
{
	d->trust.malformed = 1;
	d->trust.gpu_events = 98;
}
static void faults(struct digest *d)
{
	d->trust.json_faults = 1;
}
static void negative(struct digest *d)
{
	d->trust.negative_durations = 1;
}
static void timestamp(struct digest *d)
{
	d->attribution = ATTRIBUTION_TIMESTAMP;
}
static void carried(struct digest *d)
{
	d->trust.carried_over = 40;
	d->trust.unattributed = 40;
	d->trust.unattributed_ns = MS(300);
}

/* Give memory "0" a sound history, which can then be damaged. */
static struct memory_evidence *history(struct digest *d)
{
	vec_push(
	    &d->memory_evidence,
	    (struct memory_evidence){ .memory = "0", .history = true, .midway = true, .allocs = 100 });
	return &d->memory_evidence.v[0];
}
static void sound_history(struct digest *d)
{
	history(d)->unseen_frees = 50; /* frees of blocks that existed before the recording */
	/* a device without any activity in its history */
	vec_push(&d->memory_evidence, (struct memory_evidence){ .memory = "1" });
}
static void no_history(struct digest *d)
{
	history(d)->history = false;
}
static void cut_history(struct digest *d)
{
	history(d)->truncated = true;
}
static void unseen_1(struct digest *d)
{
	struct memory_evidence *e = history(d);
	e->midway = false;
	e->unseen_frees = 1;
}
static void unseen_more(struct digest *d)
{
	unseen_1(d);
	d->memory_evidence.v[0].unseen_frees = 2;
}
static void contradicted_1(struct digest *d)
{
	history(d)->contradicted_frees = 1;
}
static void contradicted_more(struct digest *d)
{
	contradicted_1(d);
	d->memory_evidence.v[0].lost_allocs = 1;
}
static void negative_memory(struct digest *d)
{
	history(d)->lowest_allocated = -512;
}

static const struct row {
	const char *name;
	void (*damage)(struct digest *);
	int64_t min_steps;
	const char *id; /* id of the expected finding; NULL if there is none */
	bool warning;
	/* metrics that must be unreliable, or must stay reliable; 0 if not checked */
	enum metric_id spoils, keeps;
} rows[] = {
	{ "nothing", nothing, 5, NULL, 0, 0, 0 },
	{ "no gpu", no_gpu, 1, "no-gpu-activity", 0, METRIC_GPU_UTILIZATION_PCT, METRIC_STEP_TIME },
	{ "no gpu: comm", no_gpu, 1, "no-gpu-activity", 0, METRIC_COMM_OVERLAP_PCT,
	  METRIC_MEMORY_PEAK_ALLOCATED },
	{ "dropped 1 %", dropped_1, 1, NULL, 0, 0, 0 },
	{ "dropped", dropped_more, 1, "dropped-kernels", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_WINDOW_BUSY_TIME },
	{ "dropped: launches", dropped_more, 1, "dropped-kernels", 0, METRIC_STEP_LAUNCH_TIME,
	  METRIC_FUNCTION_EXCLUSIVE_PCT },
	{ "dropped: collectives", dropped_more, 1, "dropped-kernels", 0, METRIC_COMM_TIME,
	  METRIC_RANK_MISSING_STEPS },
	{ "dropped: kernels", dropped_more, 1, "dropped-kernels", 0, METRIC_KERNEL_TIME,
	  METRIC_STEP_TIME },
	{ "launches not recorded", no_launches, 1, NULL, 0, 0, 0 },
	{ "lost 1 %", lost_1, 1, NULL, 0, 0, 0 },
	{ "lost", lost_more, 1, "lost-kernels", 0, METRIC_GPU_UTILIZATION_PCT,
	  METRIC_STEP_LAUNCH_TIME },
	{ "lost launches of little time", lost_time_1, 1, NULL, 0, 0, 0 },
	{ "lost time of few launches", lost_time, 1, "lost-kernels", 0, METRIC_GPU_UTILIZATION_PCT,
	  METRIC_STEP_LAUNCH_TIME },
	{ "overlap 1 %", overlap_1, 1, NULL, 0, 0, 0 },
	{ "overlap", overlap_more, 1, "overlapping-activities", 0, METRIC_STEP_COMPUTE_TIME,
	  METRIC_STEP_TIME },
	{ "overlap: one launch", overlap_more, 1, "overlapping-activities", 0, METRIC_KERNEL_MEAN,
	  METRIC_STEP_LAUNCH_TIME },
	{ "overlap: counts", overlap_more, 1, "overlapping-activities", 0, METRIC_KERNEL_TIME,
	  METRIC_KERNEL_COUNT },
	{ "overlap: ends", overlap_more, 1, "overlapping-activities", 0, METRIC_STEP_PERIOD,
	  METRIC_STEP_KERNEL_COUNT },
	{ "contained 1 %", contained_1, 1, NULL, 0, 0, 0 },
	{ "contained", contained_more, 1, "overlapping-activities", 0, METRIC_STEP_LATENCY,
	  METRIC_STEP_KERNEL_COUNT },
	{ "twice 1 %", twice_1, 1, NULL, 0, 0, 0 },
	{ "twice", twice_more, 1, "recorded-twice", 0, METRIC_STEP_KERNEL_COUNT, METRIC_STEP_TIME },
	{ "twice: calls", twice_more, 1, "recorded-twice", 0, METRIC_STEP_SYNC_COUNT,
	  METRIC_STEP_TIME },
	{ "untimed 1 %", untimed_1, 1, NULL, 0, 0, 0 },
	{ "untimed", untimed_more, 1, "unknown-durations", 0, METRIC_STEP_PERIOD,
	  METRIC_STEP_KERNEL_COUNT },
	{ "a kernel that is untimed", untimed_kernel, 1, "unknown-durations", 0, METRIC_STEP_PERIOD,
	  METRIC_STEP_KERNEL_COUNT },
	{ "another unit", other_unit, 1, "context-differs", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_MEMORY_PEAK_ALLOCATED },
	{ "fewer steps of the same unit", same_unit, 1, NULL, 0, 0, 0 },
	{ "5 % sooner", wall_5, 1, NULL, 0, 0, 0 },
	{ "sooner", wall_more, 1, "unknown-wall-time", 0, METRIC_THROUGHPUT_STEPS,
	  METRIC_STEP_CUDA_TIME },
	{ "left over 1 %", left_over_1, 1, NULL, 0, 0, 0 },
	{ "left over", left_over_more, 1, "unsure-launches", 0, METRIC_OP_GPU_TIME,
	  METRIC_STEP_CUDA_TIME },
	{ "half outside", outside_half, 1, NULL, 0, 0, 0 },
	{ "outside", outside_more, 1, "outside-steps", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_WINDOW_BUSY_TIME },
	{ "graphs lost", graphs_lost, 1, "lost-kernels", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_STEP_LAUNCH_TIME },
	{ "less than half", short_step, 1, "short-last-step", true, 0, 0 },
	{ "too few", two_steps, 3, "too-few-steps", 0, METRIC_STEP_TIME, METRIC_GPU_UTILIZATION_PCT },
	{ "enough", three_steps, 3, NULL, 0, 0, 0 },
	{ "no step", no_steps, 0, "too-few-steps", 0, METRIC_STEP_TIME, METRIC_MEMORY_PEAK_ALLOCATED },
	{ "no step: use", no_steps, 0, "too-few-steps", 0, METRIC_GPU_UTILIZATION_PCT, 0 },
	{ "truncated", truncated, 1, "truncated", 0, METRIC_WINDOW_BUSY_TIME, 0 },
	{ "truncated: step", truncated, 1, "truncated", 0, METRIC_STEP_TIME, 0 },
	{ "partial", partial, 1, "partial", 0, METRIC_STEP_TIME, 0 },
	{ "malformed", malformed, 1, "malformed-events", true, 0, 0 },
	{ "more malformed", malformed_more, 1, "malformed-events", 0, METRIC_STEP_CUDA_TIME, 0 },
	{ "faults", faults, 1, "json-faults", true, 0, 0 },
	{ "negative", negative, 1, "negative-durations", true, 0, 0 },
	{ "timestamp", timestamp, 1, "attribution-differs", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_STEP_TIME },
	{ "period", period, 3, "period-against-marker", 0, METRIC_GPU_UTILIZATION_PCT,
	  METRIC_WINDOW_BUSY_TIME },
	{ "a period that is not used", period_of_window, 3, "window-against-steps", 0, METRIC_STEP_TIME,
	  METRIC_WINDOW_BUSY_TIME },
	{ "window", window, 3, "window-against-steps", 0, METRIC_STEP_TIME, METRIC_WINDOW_BUSY_TIME },
	{ "carried over", carried, 1, NULL, 0, 0, 0 },
	{ "sound history", sound_history, 1, NULL, 0, 0, 0 },
	{ "no history", no_history, 1, "no-memory-history", 0, METRIC_MEMORY_PEAK_ALLOCATED,
	  METRIC_MEMORY_END_ALLOCATED },
	{ "no history: growth", no_history, 1, "no-memory-history", 0, METRIC_MEMORY_GROWTH_PER_STEP,
	  METRIC_STEP_TIME },
	{ "no history: churn", no_history, 1, "no-memory-history", 0, METRIC_MEMORY_SEGMENT_CHURN,
	  METRIC_MEMORY_SEGMENT_COUNT },
	{ "cut", cut_history, 1, "history-cut", 0, METRIC_MEMORY_PEAK_RESERVED,
	  METRIC_MEMORY_GROWTH_PER_STEP },
	{ "cut: counts", cut_history, 1, "history-cut", 0, METRIC_MEMORY_OOM_COUNT,
	  METRIC_MEMORY_FRAGMENTATION_PCT },
	{ "unseen 1 %", unseen_1, 1, NULL, 0, 0, 0 },
	{ "unseen", unseen_more, 1, "unseen-frees", 0, METRIC_MEMORY_CHURN_BYTES,
	  METRIC_MEMORY_PEAK_ALLOCATED },
	{ "contradicted 1 %", contradicted_1, 1, "memory-contradictions", true, 0, 0 },
	{ "contradicted", contradicted_more, 1, "memory-contradictions", 0,
	  METRIC_MEMORY_PEAK_ALLOCATED, METRIC_MEMORY_END_RESERVED },
	{ "negative memory", negative_memory, 1, "negative-memory", 0,
	  METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT, METRIC_MEMORY_ALLOC_COUNT },
};

static void check_row(const struct row *row, bool candidate)
{
	struct sides s;
	setup(&s);
	row->damage(candidate ? s.c : s.b);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = row->min_steps },
	               &s.report);
	size_t expected = row->id ? 1 : 0;
	const struct trust_finding *f = row->id ? find(&s.report, row->id) : NULL;
	if (s.report.trust.nr != expected || (row->id && !f))
		fail_msg("%s: %zu findings, first '%s'", row->name, s.report.trust.nr,
		         s.report.trust.nr ? s.report.trust.v[0].id : "");
	if (f) {
		assert_int_equal(f->warning_only, row->warning);
		assert_int_equal(f->spoils.nr == 0, row->warning);
		if (row->spoils && !spoils(f, row->spoils))
			fail_msg("%s does not spoil %s", row->name, metric_table[row->spoils].name);
		if (row->keeps && spoils(f, row->keeps))
			fail_msg("%s spoils %s", row->name, metric_table[row->keeps].name);
	}
	release(&s);
}

/* The damage of each row gives the expected trust finding, on either side. */
static void test_findings(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		check_row(&rows[i], true);
		check_row(&rows[i], false);
	}
}

static void test_side_and_words(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	dropped_more(s.b);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
	const struct trust_finding *f = find(&s.report, "dropped-kernels");
	assert_false(f->candidate);
	assert_string_equal(
	    f->message, "the baseline has 3 GPU activities of no known launch, 1.00 % of its GPU time");
	release(&s);

	static const struct {
		int64_t nr;
		const char *says;
	} counts[] = {
		{ 1, "the candidate frees 1 block of memory 0 that was never allocated: the history began "
		     "with nothing allocated" },
		{ 2, "the candidate frees 2 blocks of memory 0 that were never allocated: the history "
		     "began with nothing allocated" },
	};
	for (size_t i = 0; i < NR_OF(counts); i++) {
		setup(&s);
		unseen_1(s.c);
		s.c->memory_evidence.v[0].unseen_frees = counts[i].nr;
		s.c->memory_evidence.v[0].allocs = 10;
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		assert_string_equal(find(&s.report, "unseen-frees")->message, counts[i].says);
		release(&s);
	}
}

/* A last step that is left out because it was cut short does not count for steps.min. */
static void test_short_and_too_few(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	short_to_2(s.c);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 3 }, &s.report);
	assert_non_null(find(&s.report, "short-last-step"));
	assert_non_null(find(&s.report, "too-few-steps"));
	release(&s);
}

static void test_spoiler(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	s.c->rank = 3;
	negative(s.c);
	overlap_more(s.c);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
	const struct metric *m = &metric_table[METRIC_STEP_CUDA_TIME];
	assert_string_equal(trust_spoiler(&s.report, &(struct rule){ .metric = m }, -1)->id,
	                    "overlapping-activities");
	assert_non_null(trust_spoiler(&s.report, &(struct rule){ .metric = m }, 3));
	assert_null(trust_spoiler(&s.report, &(struct rule){ .metric = m }, 2));
	assert_null(
	    trust_spoiler(&s.report, &(struct rule){ .metric = &metric_table[METRIC_STEP_TIME] }, -1));
	release(&s);
}

/* Replaces the digest of a run by that of a memory snapshot; `*d` becomes the new digest. */
static void replace(struct run *run, struct digest **d)
{
	digest_free(*d);
	*d = run->ranks.v[0] = memory_digest(0, "0", MIB(9), MIB(1));
}

/* If the rules do not say how many steps are needed, three are, or as many as the baseline has if
 * it has fewer. In any case, at least half of the baseline's steps are needed. */
static void test_few_steps(void **state)
{
	(void)state;
	static const struct {
		size_t baseline, candidate;
		int64_t min_steps;
		bool few;
	} cases[] = { { 6, 1, 0, true },  { 6, 2, 0, true },  { 4, 2, 0, true },  { 6, 3, 0, false },
		          { 7, 3, 0, true },  { 2, 2, 0, false }, { 1, 1, 0, false }, { 2, 1, 0, true },
		          { 2, 6, 0, false }, { 4, 2, 2, false }, { 5, 2, 2, true },  { 2, 2, 3, true } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		digest_set_steps(s.b, cases[i].baseline);
		fixture_samples(s.b);
		s.b->usable_steps = (int64_t)cases[i].baseline;
		digest_set_steps(s.c, cases[i].candidate);
		fixture_samples(s.c);
		s.c->usable_steps = (int64_t)cases[i].candidate;
		trust_findings(&s.baseline, &s.candidate, 1,
		               &(struct rules){ .min_steps = cases[i].min_steps }, &s.report);
		const struct trust_finding *f = find(&s.report, "too-few-steps");
		if (!f != !cases[i].few || (f && !spoils(f, METRIC_STEP_COMPUTE_TIME)))
			fail_msg("case %zu: %s", i, f ? f->message : "nothing");
		release(&s);
	}
}

/* Another batch size: most kernels launch more or fewer threads by one factor. */
static void test_context(void **state)
{
	(void)state;
	static const struct activity work[] = {
		{ EVENT_KERNEL, "gemm", 50, MS(300) }, { EVENT_KERNEL, "norm", 50, MS(100) },
		{ EVENT_KERNEL, "relu", 50, MS(90) },  { EVENT_KERNEL, "adam", 50, MS(10) },
		{ EVENT_KERNEL, "idle", 50, 0 },       { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(1) }
	};
	static const struct {
		const char *name;
		int64_t grid[4]; /* grids of the candidate's kernels; those of the baseline are 1000 */
		int64_t bytes; /* bytes of the candidate's copies, where the baseline's are 1000 */
		bool differs;
		const char *says;
	} cases[] = {
		{ "a smaller batch",
		  { 750, 752, 748, 1000 },
		  750,
		  true,
		  "3 grids of kernels, 98.00 % of the kernel time, are 0.75 times as large" },
		{ "a larger batch",
		  { 2000, 2000, 2000, 1000 },
		  1000,
		  true,
		  "3 grids of kernels, 98.00 % of the kernel time, are 2 times as large" },
		{ "the same", { 1000, 1000, 1000, 1000 }, 1000, false, NULL },
		{ "another type of the inputs", { 1000, 1000, 1000, 1000 }, 500, false, NULL },
		{ "one kernel written anew", { 500, 1000, 1000, 1000 }, 1000, false, NULL },
		{ "one kernel with most of the time, and the copies",
		  { 500, 1000, 1000, 1000 },
		  500,
		  true,
		  "1 grid of a kernel, 60.00 % of the kernel time, is 0.5 times as large" },
		{ "the first alone is as before", { 1000, 500, 500, 500 }, 1000, false, NULL },
		{ "scaled, but not alike", { 500, 750, 900, 1000 }, 1000, false, NULL },
		{ "no grids, fewer bytes",
		  { -1, -1, -1, -1 },
		  750,
		  true,
		  "1 kind of copy, 100.00 % of the bytes copied, is 0.75 times as large" },
		{ "no grids, nearly as many bytes", { -1, -1, -1, -1 }, 990, false, NULL },
		{ "no grids, just beyond", { -1, -1, -1, -1 }, 969, true, "is 0.969 times as large" },
		{ "few grids, fewer bytes",
		  { -1, -1, 1000, 1000 },
		  500,
		  true,
		  "1 kind of copy, 100.00 % of the bytes copied, is 0.5 times as large" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s = { .b = fixture_digest(5, work, NR_OF(work)),
			               .c = fixture_digest(5, work, NR_OF(work)) };
		for (size_t k = 0; k < s.b->kernels.nr; k++) {
			struct kernel_stat *x = &s.b->kernels.v[k], *y = &s.c->kernels.v[k];
			x->step_bytes = x->kind == EVENT_MEMCPY ? 1000 : 0;
			y->step_bytes = x->kind == EVENT_MEMCPY ? cases[i].bytes : 0;
			for (size_t n = 0; n < 4; n++)
				/* "idle", a kernel without time, gets the same grids as the first kernel; it must
				 * not be counted */
				if (span_eq(x->name, span_of(n || x->step_total_ns ? work[n].name : "idle")) &&
				    cases[i].grid[n] > 0) {
					x->grid[0] = 1000;
					y->grid[0] = cases[i].grid[n];
					x->grid[1] = x->grid[2] = y->grid[1] = y->grid[2] = 1;
					/* twice the blocks with half as many threads each are the same work */
					x->block[0] = n == 2 ? 64 : 0;
					y->block[0] = n == 2 ? 32 : 0;
					y->grid[1] = n == 2 ? 2 : 1;
				}
		}
		s.baseline = fixture_run(s.b);
		s.candidate = fixture_run(s.c);
		report_init(&s.report);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "context-differs");
		if (!f != !cases[i].differs || (f && !spoils(f, METRIC_MEMORY_PEAK_ALLOCATED)) ||
		    (f && !strstr(f->message, cases[i].says)))
			fail_msg("%s: %s", cases[i].name, f ? f->message : "nothing");
		release(&s);
	}
}

/* A baseline of many ranks has their sums: what is found in it is of no rank. */
static void test_folded_baseline(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	s.b->fold = mem_calloc(1, sizeof *s.b->fold);
	dropped_more(s.b);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
	assert_int_equal(find(&s.report, "dropped-kernels")->rank, -1);
	release(&s);
}

/* Launches and nodes of graphs without their kernels are counted in one finding. */
static void test_lost_words(void **state)
{
	(void)state;
	static const struct {
		int64_t launches, nodes;
		const char *says;
	} cases[] = {
		{ 2, 0, "has 2 of 10000 kernel launches without a kernel, about " },
		{ 0, 1, "has graph launches that lack 1 kernel, which others of the same graph have, " },
		{ 2, 3, "without a kernel and graph launches that lack 3 kernels, which" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		s.c->trust.launches_without_kernel = cases[i].launches;
		s.c->trust.lost_nodes = cases[i].nodes;
		s.c->trust.lost_ns = MS(6);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "lost-kernels");
		if (!f || !strstr(f->message, cases[i].says))
			fail_msg("%zu: %s", i, f ? f->message : "nothing");
		release(&s);
	}
}

/* Fewer iterations of a recording without steps: most kernels ran less often by one factor. */
static void test_fewer_iterations(void **state)
{
	(void)state;
	static const struct {
		/* of the candidate's kernels; those of the baseline ran 100 times; the last: ms of a kernel
		   that the baseline lacks */
		int64_t counts[7];
		const char *says; /* NULL: nothing is found */
	} cases[] = {
		{ { 50, 50, 50, 100, 9, 100, 5 }, "launches of 45.00 % of the kernel time are gone" },
		{ { 48, 52, 50, 52, 0, 0 }, "launches of 51.04 % of the kernel time are gone" },
		{ { 50, 100, 50, 50, 0, 0 }, NULL }, /* one with much of the time ran as often */
		{ { 50, 50, 100, 50, 0, 0 }, NULL },
		{ { 50, 50, 60, 100, 0, 0 }, NULL }, /* two alike are too few */
		{ { 98, 98, 98, 98, 98, 98 }, NULL },
		{ { 200, 200, 200, 200, 0, 0 }, NULL }, /* more is judged */
		/* more than a tenth of the candidate's time is new */
		{ { 0, 50, 100, 100, 0, 50, 66 }, "launches of 56.00 % of the kernel time are gone" },
		{ { 0, 50, 100, 100, 0, 50, 67 }, NULL },
		{ { 0, 100, 100, 50, 0, 50 }, NULL }, /* half of the time is left */
		{ { 0, 60, 100, 100, 0, 200 }, "launches of 52.00 % of the kernel time are gone" },
		{ { 0, 50, 200, 100, 0, 50 }, NULL }, /* much of what is left runs more often */
		{ { 100, 100, 100, 100, 100, 100 }, NULL },
		/* three that ran half as often have just half of the time, or more */
		{ { 50, 0, 0, 50, 0, 50, 1000 }, NULL },
		{ { 50, 0, 50, 0, 0, 50, 1000 }, "launches of 69.00 % of the kernel time are gone" },
	};
	static const struct activity work[] = {
		{ EVENT_KERNEL, "a", 100, MS(400) },    { EVENT_KERNEL, "b", 100, MS(300) },
		{ EVENT_KERNEL, "c", 100, MS(200) },    { EVENT_KERNEL, "d", 100, MS(80) },
		{ EVENT_KERNEL, "nccl", 100, MS(900) }, { EVENT_KERNEL, "x", 100, MS(20) },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s = { .b = fixture_digest(1, work, NR_OF(work)) };
		struct activity own[NR_OF(work) + 1] = { { EVENT_KERNEL, "a0", 7,
			                                       MS(cases[i].counts[6]) } };
		size_t nr = 1;
		for (size_t k = 0; k < NR_OF(work); k++) {
			own[nr] = work[k];
			own[nr].count = cases[i].counts[k];
			nr += own[nr].count > 0;
		}
		s.c = fixture_digest(1, own, nr);
		s.b->window = s.c->window = true;
		s.baseline = fixture_run(s.b);
		s.candidate = fixture_run(s.c);
		report_init(&s.report);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "context-differs");
		if (!f != !cases[i].says || (f && !strstr(f->message, cases[i].says)))
			fail_msg("%zu: %s", i, f ? f->message : "nothing");
		release(&s);
	}
}

/* Figures of files are compared if both sides did the same work. */
static void test_work(void **state)
{
	(void)state;
	static const struct {
		struct input_stat b, c;
		const char *says; /* NULL: the work is the same */
	} cases[] = {
		{ { .work = "n=8" }, { .work = "n=8" }, NULL },
		{ { .work = "n=8" }, { .work = "n=8.0" }, NULL },
		{ { .work = "n=8" }, { .work = "n=9" }, "n 8 → 9" },
		{ { .work = "n=100" }, { .work = "n=101" }, "n 100 → 101" },
		{ { .work = "n=100000000" }, { .work = "n=100000001" }, "n 100000000 → 100000001" },
		{ { .work = "n~100" }, { .work = "n~105" }, NULL },
		{ { .work = "n~100" }, { .work = "n~106" }, "n 100 → 106" },
		{ { .work = "n~1_000" }, { .work = "n~1001" }, NULL },
		{ { .work = "n=1_000" }, { .work = "n=1000" }, "n 1_000 → 1000" },
		{ { .work = "model=a\nn=8" }, { .work = "n=9\nmodel=b" }, "model a → b, n 8 → 9" },
		{ { .work = "n=8" }, { .work = "m=9" }, NULL },
		{ { .work = "n=8" }, { .work = NULL }, NULL },
		{ { .work = NULL }, { .work = "n=8" }, NULL },
		{ { .work = "n" }, { .work = "n=5" }, "n  → 5" },
		{ { .work = "n=a" }, { .work = "n=b" }, "n a → b" },
		{ { .work = "n=8" }, { .work = "n=x" }, "n 8 → x" },
		{ { .work = "n=x" }, { .work = "n=8" }, "n x → 8" },
		/* a text of 40 characters or more is not read as a number */
		{ { .work = "n=8.0000000000000000000000000000000000000" }, { .work = "n=8" }, NULL },
		{ { .work = "n=8.00000000000000000000000000000000000000" },
		  { .work = "n=8" },
		  "n 8.00000000000000000000000000000000000000 → 8" },
		{ { .work = "n=8.000000000000000000000000000000000000000" },
		  { .work = "n=8" },
		  "n 8.000000000000000000000000000000000000000 → 8" },
		{ { .work = "n+a" }, { .work = "n+b" }, "n a → b" },
		/* a sum that did not move as the number of things did is of other work, and judged */
		{ { .work = "n+10", .value = 10 }, { .work = "n+20", .value = 20 }, "n 10 → 20" },
		{ { .work = "n+10", .value = 20 }, { .work = "n+20", .value = 10 }, NULL },
		{ { .work = "n+20", .value = 20 }, { .work = "n+10", .value = 10 }, "n 20 → 10" },
		{ { .work = "n+10", .value = 100 }, { .work = "n+20", .value = 105 }, NULL },
		{ { .work = "n+100", .value = 10 }, { .work = "n+105", .value = 20 }, NULL },
		/* 5.4 % more, of values that are the same as whole numbers */
		{ { .work = "n+10", .value = 8 },
		  { .work = "n+20", .value = 846, .digits = 2 },
		  "n 10 → 20" },
		{ { .work = "n+10", .value = 846, .digits = 2 }, { .work = "n+20", .value = 8 }, NULL },
		{ { .work = "n+1.5", .value = 10 }, { .work = "n+20", .value = 20 }, "n 1.5 → 20" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		for (size_t k = 0; k < 2; k++) {
			static const char *const names[2][3] = { { "a", "b", "c" }, { "b", "c", "d" } };
			for (size_t n = 0; n < 3; n++) {
				struct input_stat x = k ? cases[i].c : cases[i].b;
				x.name = names[k][n];
				x.unit = "s";
				vec_push(&(k ? s.c : s.b)->inputs, x);
			}
		}
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "context-differs");
		if (!f != !cases[i].says || (f && !strstr(f->message, cases[i].says)))
			fail_msg("%zu: %s", i, f ? f->message : "nothing");
		if (f) { /* the figures that both sides have are spoiled, and no others */
			assert_int_equal(f->spoils.nr, 2);
			assert_string_equal(f->spoils.v[0], "input.b");
			assert_string_equal(f->spoils.v[1], "input.c");
			assert_false(f->warning_only);
			assert_int_equal(f->work[0], cases[i].says[0]);
		}
		release(&s);
	}
}

/* A figure of another scale, of fewer samples, or that counts other things. */
static void test_figures_of_other_work(void **state)
{
	(void)state;
	enum { HIGHER, LOWER, NEITHER };
	static const struct {
		const char *name, *unit;
		int better;
		int64_t value[2], digits[2], samples[2];
		const char *work[2], *says; /* says: NULL: the work is the same */
	} cases[] = {
	/* from a share to a percentage, at least 50 times better */
#define BARE(better, was, digits, now, says) \
	{ "f", "1", better, { was, now }, { digits, 0 }, { 0, 0 }, { NULL, NULL }, says }
		BARE(HIGHER, 5, 1, 25, "did other work than the baseline: scale 0.5 → 25"),
		BARE(HIGHER, 5, 1, 24, NULL),
		BARE(HIGHER, 1, 0, 50, "did other work than the baseline: scale 1 → 50"),
		BARE(HIGHER, 11, 1, 100, NULL),
		BARE(HIGHER, 9, 1, 100, "did other work than the baseline: scale 0.9 → 100"),
		BARE(HIGHER, 9, 1, 101, NULL),
		BARE(HIGHER, 0, 1, 50, NULL),
		BARE(HIGHER, -1, 1, 50, NULL),
		BARE(HIGHER, 1, 2, 1, NULL),
		BARE(HIGHER, 1, 2, 2, "did other work than the baseline: scale 0.01 → 2"),
		BARE(LOWER, 5, 1, 25, NULL),
		BARE(NEITHER, 5, 1, 25, NULL),
	/* the reverse, if lower is better; 1 is then not a share */
#define LESS(was, now, digits, says) \
	{ "f", "1", LOWER, { was, now }, { 0, digits }, { 0, 0 }, { NULL, NULL }, says }
		LESS(25, 5, 1, "did other work than the baseline: scale 25 → 0.5"),
		LESS(24, 5, 1, NULL),
		LESS(50, 1, 0, NULL),
		LESS(100, 99, 2, "did other work than the baseline: scale 100 → 0.99"),
		LESS(101, 99, 2, NULL),
		LESS(1, 1, 2, NULL),
		{ "f", "s", HIGHER, { 5, 25 }, { 1, 0 }, { 0, 0 }, { NULL, NULL }, NULL },
		{ "f", NULL, HIGHER, { 5, 25 }, { 1, 0 }, { 0, 0 }, { NULL, NULL }, NULL },
	/* better, but of less than half of the samples */
#define FEWER(better, was, now, samples, samples_now, says) \
	{ "f", "s", better, { was, now }, { 0, 0 }, { samples, samples_now }, { NULL, NULL }, says }
		FEWER(LOWER, 100, 90, 10, 4, "did other work than the baseline: samples 10 → 4"),
		FEWER(LOWER, 100, 90, 10, 5, NULL),
		FEWER(LOWER, 100, 90, 4, 0, "did other work than the baseline: samples 4 → 1"),
		FEWER(LOWER, 100, 96, 10, 4, NULL),
		FEWER(LOWER, 100, 110, 10, 4, NULL),
		FEWER(HIGHER, 100, 110, 10, 4, "did other work than the baseline: samples 10 → 4"),
		FEWER(HIGHER, 100, 90, 10, 4, NULL),
		FEWER(NEITHER, 100, 90, 10, 4, NULL),
		/* all at once */
		{ "f",
		  "1",
		  HIGHER,
		  { 5, 25 },
		  { 1, 0 },
		  { 9, 2 },
		  { "n=8", "n=9" },
		  "did other work than the baseline: n 8 → 9, samples 9 → 2, scale 0.5 → 25" },
	/* what was counted may differ by 5 %, and what a tool repeats may double or halve */
#define COUNTS(name, better, was, now, says) \
	{ name, "1", better, { was, now }, { 0, 0 }, { 0, 0 }, { NULL, NULL }, says }
		COUNTS("requests", NEITHER, 105, 100, NULL),
		COUNTS("requests", NEITHER, 106, 100,
		       "counted other things than the baseline: requests 106 → 100"),
		COUNTS("requests", NEITHER, 95, 100, NULL),
		COUNTS("requests", NEITHER, 94, 100,
		       "counted other things than the baseline: requests 94 → 100"),
		COUNTS("requests", LOWER, 200, 100, NULL),
		COUNTS("case/requests", NEITHER, 200, 100,
		       "counted other things than the baseline: case/requests 200 → 100"),
		COUNTS("iterations", NEITHER, 100, 50, NULL),
		COUNTS("iterations", NEITHER, 100, 49,
		       "counted other things than the baseline: iterations 100 → 49"),
		COUNTS("loss", NEITHER, 200, 100, NULL),
	};
	static const char *const better[] = { "higher", "lower", NULL };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		for (int k = 0; k < 2; k++)
			vec_push(&(k ? s.c : s.b)->inputs,
			         (struct input_stat){ .name = cases[i].name,
			                              .unit = cases[i].unit,
			                              .better = better[cases[i].better],
			                              .value = cases[i].value[k],
			                              .digits = cases[i].digits[k],
			                              .samples = cases[i].samples[k],
			                              .work = cases[i].work[k] });
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "context-differs");
		const char *got = f ? f->message + strlen("the candidate ") : NULL;
		if (!f != !cases[i].says || (f && strcmp(got, cases[i].says) != 0))
			fail_msg("%zu: %s", i, f ? got : "nothing");
		release(&s);
	}
	/* several counts are one finding, which is of the first, and makes nothing unreliable */
	struct sides s;
	setup(&s);
	for (int k = 0; k < 4; k++)
		vec_push(&(k < 2 ? s.b : s.c)->inputs,
		         (struct input_stat){ .name = k % 2 ? "requests" : "images",
		                              .unit = "1",
		                              .value = k < 2 ? 15 : 40,
		                              .digits = 1 });
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
	assert_int_equal(s.report.trust.nr, 1);
	assert_string_equal(s.report.trust.v[0].message,
	                    "the candidate counted other things than the baseline: images 1.5 → 4, "
	                    "requests 1.5 → 4");
	assert_string_equal(s.report.trust.v[0].work, "images");
	assert_true(s.report.trust.v[0].warning_only);
	release(&s);
}

/* Figures whose work differs in the same items are one finding. */
static void test_kinds_of_work(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	static const char *const work[2][3] = { { "n=8", "m=8", "n=8" }, { "n=9", "m=9", "n=9" } };
	static const char *const names[] = { "b", "c", "d" };
	for (size_t k = 0; k < 6; k++)
		vec_push(
		    &(k < 3 ? s.b : s.c)->inputs,
		    (struct input_stat){ .name = names[k % 3], .unit = "s", .work = work[k / 3][k % 3] });
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
	assert_int_equal(s.report.trust.nr, 2);
	const struct trust_finding *n = &s.report.trust.v[0], *m = &s.report.trust.v[1];
	assert_non_null(strstr(n->message, "n 8 → 9"));
	assert_int_equal(n->spoils.nr, 2);
	assert_string_equal(n->spoils.v[1], "input.d");
	assert_non_null(strstr(m->message, "m 8 → 9"));
	assert_int_equal(m->spoils.nr, 1);
	assert_string_equal(m->spoils.v[0], "input.c");
	release(&s);
}

/* 12 operations in 1 ns are 120 % of a peak of 10 TFLOP/s. */
static void test_beyond_peak(void **state)
{
	(void)state;
	for (int n = 10; n <= 12; n += 2) {
		struct sides s;
		setup(&s);
		digest_set_env(s.c, SPAN("peak_tflops"), SPAN("10"));
		digest_set_env(s.c, SPAN("flops_per_step"), n == 10 ? SPAN("10000") : SPAN("12000"));
		for (size_t i = 0; i < s.c->nr_steps; i++)
			s.c->samples[METRIC_STEP_PERIOD][i] = 1;
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "beyond-peak");
		assert_int_equal(f != NULL, n > 10);
		assert_true(!f || (f->spoils.nr == 1 && spoils(f, METRIC_MFU_PCT)));
		release(&s);
	}
}

static void add_machine(struct digest *d, const char *id, int64_t throttled_pct,
                        const char *reasons, int64_t others)
{
	vec_push(&d->machines, (struct machine_stat){ .id = id,
	                                              .samples = 9,
	                                              .throttled_pct = throttled_pct,
	                                              .other_processes = others,
	                                              .reasons = reasons });
}

/* Throttling is a finding if it takes more than 1 % of the time of a GPU, in any run; another
 * process on a GPU gives a warning. */
static void test_machines(void **state)
{
	(void)state;
	static const char *const want[] = {
		"the candidate was throttled for 1.00 % of the time that GPU 0 was watched (sw_power_cap): "
		"its times are not those of the code",
		"the candidate shared GPU 1 with 1 other process",
		"the candidate was throttled for 50.00 % of the time that GPU 2 was watched: its times are "
		"not those of the code",
		"the candidate shared GPU 2 with 3 other processes",
		"the baseline was throttled for 2.00 % of the time that GPU 0 was watched: its times are "
		"not those of the code",
	};
	const char *advice =
	    "; if it is normal here, add 'throttled: warn' to 'environment' in the rules";
	for (int warns = 0; warns < 2; warns++) {
		struct sides s;
		setup(&s);
		add_machine(s.c, "0", MICRO + 1, "sw_power_cap", 0);
		add_machine(s.c, "1", MICRO, "gpu_idle", 1);
		add_machine(s.c, "2", 50 * MICRO, NULL, 3);
		add_machine(s.c, "3", -1, NULL, -1);
		add_machine(s.b, "0", 2 * MICRO, NULL, 0);
		trust_find_machines(&s.baseline, &s.candidate, 1,
		                    warns ? THROTTLED_WARNS : THROTTLED_STRICT, &s.report);
		assert_int_equal(s.report.trust.nr, NR_OF(want));
		for (size_t i = 0; i < NR_OF(want); i++) {
			const struct trust_finding *f = &s.report.trust.v[i];
			bool stops = strcmp(f->id, "throttled") == 0 && !warns;
			const char *message =
			    arena_printf(&s.report.arena, "%s%s", want[i], stops ? advice : "");
			assert_string_equal(f->message, message);
			assert_int_equal(f->rank, -1);
			assert_int_equal(f->candidate, i < 4);
			assert_int_equal(spoils(f, METRIC_STEP_COMPUTE_TIME), stops);
			assert_int_equal(f->spoils.nr > 0, stops);
			assert_int_equal(f->warning_only, !stops);
		}
		release(&s);
	}
}

/* Power that was sampled in less than 80 % of the steps' time gives no energy per step. */
static void test_power_in_part(void **state)
{
	(void)state;
	static const struct {
		int64_t energy_ns;
		const char *share; ///< NULL: no finding
	} cases[] = { { -1, NULL },           { 0, NULL },
		          { 1, "0.00 %" }, /* of 5 steps of 100 ms */
		          { MS(399), "79.80 %" }, { MS(400), NULL },
		          { MS(900), NULL } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		for (size_t k = 0; k < 5; k++)
			s.c->samples[METRIC_STEP_PERIOD][k] = MS(100);
		add_machine(s.c, "0", 0, NULL, 0);
		s.c->machines.v[0].energy_ns = cases[i].energy_ns;
		trust_find_machines(&s.baseline, &s.candidate, 1, THROTTLED_STRICT, &s.report);
		assert_int_equal(s.report.trust.nr, cases[i].share != NULL);
		if (cases[i].share)
			assert_true(s.report.trust.v[0].warning_only && !s.report.trust.v[0].spoils.nr);
		if (cases[i].share)
			assert_string_equal(
			    s.report.trust.v[0].message,
			    arena_printf(
			        &s.report.arena,
			        "the candidate has power samples of GPU 0 for %s of the steps' time: too "
			        "little for an energy per step",
			        cases[i].share));
		release(&s);
	}
}

/* GPUs at their power cap for about as long and at about the same clock on both sides are said
 * once, and spoil nothing unless the rules are strict. Whatever differs makes both sides
 * unreliable. */
static void test_capped_alike(void **state)
{
	(void)state;
	enum { GHZ = 1000000000 };
	static const struct {
		int64_t share,
		    clock; // of the candidate; the baseline has 60 % and 2 GHz, or no clock either
		const char *reasons, *reasons_before;
		enum throttled how;
		bool alike;
	} cases[] = {
		{ 80 * MICRO, 2 * GHZ, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, true },
		{ 40 * MICRO, 2 * GHZ, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, true },
		{ 60 * MICRO, 196 * (GHZ / 100), "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE,
		  true },
		{ 60 * MICRO, 204 * (GHZ / 100), "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE,
		  true },
		{ 80 * MICRO + 1, 2 * GHZ, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, false },
		{ 40 * MICRO - 1, 2 * GHZ, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, false },
		{ 60 * MICRO, 195 * (GHZ / 100), "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE,
		  false },
		{ 60 * MICRO, 205 * (GHZ / 100), "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE,
		  false },
		{ 60 * MICRO, -1, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, false },
		{ 60 * MICRO, 2 * GHZ, "sw_power_cap, hw_slowdown", "sw_power_cap", THROTTLED_UNLESS_ALIKE,
		  false },
		{ 60 * MICRO, 2 * GHZ, "sw_power_cap", "sw_thermal_slowdown", THROTTLED_UNLESS_ALIKE,
		  false },
		{ 60 * MICRO, 2 * GHZ, NULL, NULL, THROTTLED_UNLESS_ALIKE, false },
		{ 60 * MICRO, 2 * GHZ, "sw_power_cap", "sw_power_cap", THROTTLED_STRICT, false },
		{ 60 * MICRO, 0, "sw_power_cap", "sw_power_cap", THROTTLED_UNLESS_ALIKE, false },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		add_machine(s.c, "0", cases[i].share, cases[i].reasons, 0);
		add_machine(s.b, "4", 60 * MICRO, cases[i].reasons_before, 0);
		s.c->machines.v[0].sm_clock_hz = cases[i].clock;
		s.b->machines.v[0].sm_clock_hz = cases[i].clock > 0 ? 2LL * GHZ : cases[i].clock;
		trust_find_machines(&s.baseline, &s.candidate, 1, cases[i].how, &s.report);
		assert_int_equal(s.report.trust.nr, cases[i].alike ? 1 : 2);
		assert_true(s.report.trust.v[0].candidate);
		for (size_t k = 0; k < s.report.trust.nr; k++)
			assert_int_equal(spoils(&s.report.trust.v[k], METRIC_STEP_COMPUTE_TIME),
			                 !cases[i].alike);
		assert_int_equal(s.report.trust.v[0].spoils.nr == 0, cases[i].alike);
		release(&s);
	}
}

/* Times are of comparable GPUs only if the other side has the GPU, on the same rank. */
static void test_capped_alone(void **state)
{
	(void)state;
	enum { GHZ = 1000000000 };
	for (int of_rank = 0; of_rank < 2; of_rank++) {
		struct sides s;
		setup(&s);
		add_machine(s.c, "", 60 * MICRO, "sw_power_cap", 0);
		add_machine(of_rank ? s.b : s.c, "1", 60 * MICRO, "sw_power_cap", 0);
		s.c->machines.v[0].sm_clock_hz = GHZ;
		(of_rank ? s.b->machines.v : &s.c->machines.v[1])->sm_clock_hz = GHZ;
		s.c->rank = of_rank ? 3 : 0;
		trust_find_machines(&s.baseline, &s.candidate, 1, THROTTLED_UNLESS_ALIKE, &s.report);
		assert_int_equal(s.report.trust.nr, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct trust_finding *f = &s.report.trust.v[k];
			const char *says = arena_printf(
			    &s.report.arena,
			    "the %s was throttled for 60.00 %% of the time that %s was watched (sw_power_cap):",
			    of_rank && k ? "baseline" : "candidate", k ? "GPU 1" : "its GPU");
			assert_int_equal(strncmp(f->message, says, strlen(says)), 0);
			assert_true(spoils(f, METRIC_STEP_COMPUTE_TIME));
		}
		release(&s);
	}
}

/* A finding on one of several ranks names the rank; one on a repeat names the repeat. */
static void test_machines_of_ranks(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	struct run repeats[] = { s.candidate, fixture_run(fixture_digest(5, gemm, NR_OF(gemm))) };
	for (int i = 0; i < 2; i++) {
		vec_push(&repeats[i].ranks, fixture_digest(5, gemm, NR_OF(gemm)));
		repeats[i].ranks.v[1]->rank = 1;
		add_machine(repeats[i].ranks.v[1], "0", 2 * MICRO, NULL, 0);
	}
	trust_find_machines(NULL, repeats, 2, THROTTLED_WARNS, &s.report);
	assert_int_equal(s.report.trust.nr, 2);
	for (int i = 0; i < 2; i++) {
		const struct trust_finding *f = &s.report.trust.v[i];
		const char *who =
		    i == 0 ? "the run was throttled " : "run 2 of the candidate was throttled ";
		assert_int_equal(f->rank, 1);
		assert_int_equal(strncmp(f->message, who, strlen(who)), 0);
	}
	s.candidate = repeats[0];
	run_release(&repeats[1]);
	release(&s);
}

/* 16 of 17 or of 20 throttled ranks of a folded run are named. The others become one finding on the
 * whole run, so that checks on these ranks are inconclusive too. */
static void check_many_throttled(size_t nr, const char *further)
{
	enum { NAMED = 16 };
	struct sides s;
	setup(&s);
	struct fold *f = s.c->fold = mem_calloc(1, sizeof *f);
	struct fold_figure *g = vec_push_zero(&f->figures);
	f->nr = nr;
	f->by_rank = true;
	f->rank = mem_calloc(nr, sizeof *f->rank);
	for (size_t i = 0; i < NR_FOLD_NUMBERS; i++)
		f->number[i] = mem_calloc(nr, sizeof *f->number[i]);
	vec_push(&f->patterns, (struct fold_pattern){ 0 });
	vec_push(&f->deeds,
	         (struct fold_deed){ .throttled = SPAN("3"), .reasons = SPAN("sw_power_cap") });
	*g = (struct fold_figure){ .metric = METRIC_MACHINE_THROTTLED_PCT, .within = REDUCE_EACH };
	g->value = mem_calloc(nr, sizeof *g->value);
	for (size_t i = 0; i < nr; i++) {
		f->rank[i] = (int64_t)i;
		g->value[i] = 5 * MICRO;
	}
	trust_find_machines(NULL, &s.candidate, 1, THROTTLED_UNLESS_ALIKE, &s.report);
	assert_int_equal(s.report.trust.nr, NAMED + 1);
	for (size_t i = 0; i <= NAMED; i++) {
		const struct trust_finding *t = &s.report.trust.v[i];
		assert_string_equal(t->id, i < NAMED ? "throttled" : "further-findings");
		assert_int_equal(t->rank, i < NAMED ? (int64_t)i : -1);
		assert_true(spoils(t, METRIC_STEP_COMPUTE_TIME) && !t->warning_only);
		assert_int_equal(t->spoils.nr, s.report.trust.v[0].spoils.nr);
		assert_true(i == NAMED || strstr(t->message, "GPU 3 was watched (sw_power_cap)"));
	}
	assert_string_equal(s.report.trust.v[NAMED].message, further);
	release(&s);
}

static void test_many_throttled(void **state)
{
	(void)state;
	check_many_throttled(17, "the run has 1 further finding of the same kinds");
	check_many_throttled(20, "the run has 4 further findings of the same kinds");
}

static void test_snapshots_alone(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	replace(&s.baseline, &s.b);
	replace(&s.candidate, &s.c);
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 5 }, &s.report);
	assert_int_equal(s.report.trust.nr, 0);
	release(&s);
}

/* A check never passes if only one side has recorded its figure. */
static void test_snapshot_against_trace(void **state)
{
	(void)state;
	for (int candidate = 0; candidate < 2; candidate++) {
		struct sides s;
		setup(&s);
		candidate ? replace(&s.candidate, &s.c) : replace(&s.baseline, &s.b);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 5 }, &s.report);
		const struct trust_finding *f = find(&s.report, "no-trace");
		assert_int_equal(s.report.trust.nr, 1);
		assert_int_equal(f->candidate, candidate);
		assert_string_equal(strstr(f->message, " has "),
		                    " has a snapshot and no trace: what only a trace records cannot be "
		                    "compared");
		assert_true(spoils(f, METRIC_STEP_TIME) && spoils(f, METRIC_GPU_UTILIZATION_PCT));
		assert_true(spoils(f, METRIC_KERNEL_DRIFT_PCT) && spoils(f, METRIC_MFU_PCT));
		assert_false(spoils(f, METRIC_MEMORY_PEAK_ALLOCATED));
		release(&s);
	}
}

/* A digest of figures alone, beside a trace; with kernels or steps, it is one of a trace. */
static void test_figures_against_trace(void **state)
{
	(void)state;
	for (int of_trace = 0; of_trace < 3; of_trace++) {
		struct sides s;
		setup(&s);
		digest_free(s.c);
		s.c = s.candidate.ranks.v[0] = digest_new();
		s.c->metrics_file = "bench.json";
		digest_set_steps(s.c, of_trace == 1);
		if (of_trace == 2)
			fixture_activity(s.c, SPAN("gemm"), gemm);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 5 }, &s.report);
		const struct trust_finding *f = find(&s.report, "no-trace");
		assert_int_equal(f != NULL, !of_trace);
		assert_int_equal(find(&s.report, "no-gpu-activity") != NULL, of_trace > 0);
		if (f)
			assert_string_equal(f->message,
			                    "the candidate has a result file and no trace: what only a trace "
			                    "records cannot be compared");
		release(&s);
	}
}

/* Without a baseline, no finding on differences is possible. */
static void test_no_baseline(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	timestamp(s.c);
	trust_findings(NULL, &s.candidate, 1, &(struct rules){ .min_steps = 5 }, &s.report);
	assert_int_equal(s.report.trust.nr, 0);
	dropped_more(s.c);
	trust_findings(NULL, &s.candidate, 1, &(struct rules){ .min_steps = 6 }, &s.report);
	assert_int_equal(s.report.trust.nr, 2);
	release(&s);
	/* steps without work may be usual, and so may be the number of steps */
	setup(&s);
	s.c->step_activities[1] = 0;
	trust_findings(NULL, &s.candidate, 1,
	               &(struct rules){ .min_steps = 1, .outside_allowed = true }, &s.report);
	assert_int_equal(s.report.trust.nr, 0);
	release(&s);
}

/* A finding on any run of the candidate makes checks inconclusive. */
static void test_repeats(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	struct run runs[] = { s.candidate, fixture_run(fixture_digest(5, gemm, NR_OF(gemm))),
		                  fixture_run(fixture_digest(5, gemm, NR_OF(gemm))) };
	dropped_more(runs[2].ranks.v[0]);
	window(runs[1].ranks.v[0]);
	trust_findings(&s.baseline, runs, 3, &(struct rules){ .min_steps = 1 }, &s.report);
	assert_int_equal(s.report.trust.nr, 2);
	assert_string_equal(s.report.trust.v[0].message,
	                    "run 2 of the candidate has no steps and the baseline has: per-step "
	                    "figures do not compare");
	assert_string_equal(s.report.trust.v[1].message,
	                    "run 3 of the candidate has 3 GPU activities of no known launch, 1.00 % "
	                    "of its GPU time");
	assert_true(s.report.trust.v[1].candidate);
	run_release(&runs[1]);
	run_release(&runs[2]);
	release(&s);
}

/* One rank without a trace, in a run in which others have one. */
static void test_rank_without_trace(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	vec_push(&s.candidate.ranks, memory_digest(1, "0", MIB(9), MIB(1)));
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 5 }, &s.report);
	assert_int_equal(find(&s.report, "no-trace")->rank, 1);
	release(&s);
}

/* The sources of the figures of memory of two ranks: of a trace, a snapshot, both, or of none. */
static void add_sources(struct run *run, const char *sources)
{
	for (size_t i = 0; sources[i]; i++) {
		struct digest *d = run->ranks.v[0];
		if (i) {
			d = fixture_digest(5, gemm, NR_OF(gemm));
			d->rank = (int64_t)i;
			d->trust.launches = 10000;
			vec_push(&run->ranks, d);
		}
		if (sources[i] != '-')
			vec_push(
			    &d->memories,
			    sample_memory("0", sources[i] == 't' ? MEMORY_OF_TRACE : MEMORY_OF_SNAPSHOT, 1000));
		if (sources[i] == 'b')
			vec_push(&d->trace_memories, sample_memory("0", MEMORY_OF_TRACE, 1000));
	}
}

static void test_memory_sources(void **state)
{
	(void)state;
	static const struct {
		const char *sources[2];
		const char *says; ///< what the finding says of the sources; NULL: there is none
		bool warns; ///< memory is judged by traces although there are snapshots
	} cases[] = {
		{ { "tt", "ss" }, "(snapshot) than the baseline (trace)", false },
		{ { "ss", "tt" }, "(trace) than the baseline (snapshot)", false },
		{ { "tt", "ts" }, "(several) than the baseline (trace)", false },
		{ { "st", "ss" }, "(snapshot) than the baseline (several)", false },
		{ { "--", "ts" }, NULL, false },
		{ { "ts", "--" }, NULL, false },
		{ { "tt", "tt" }, NULL, false },
		{ { "tt", "tb" }, NULL, true },
		{ { "bt", "bt" }, NULL, true },
		{ { "bb", "bb" }, NULL, false },
		{ { "bb", "ss" }, NULL, false },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		add_sources(&s.baseline, cases[i].sources[0]);
		add_sources(&s.candidate, cases[i].sources[1]);
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "memory-source-differs");
		if (s.report.trust.nr != (cases[i].says != NULL) || !f != !cases[i].says ||
		    (f && !strstr(f->message, cases[i].says)) || !s.report.warnings.nr != !cases[i].warns)
			fail_msg("%zu: %s, %zu findings, %zu warnings", i, f ? f->message : "nothing",
			         s.report.trust.nr, s.report.warnings.nr);
		if (f)
			assert_true(spoils(f, METRIC_MEMORY_PEAK_ALLOCATED) && !spoils(f, METRIC_STEP_TIME));
		release(&s);
	}
}

/* The finding names the one of two runs that has another source, or both if the baseline has the
   sources of both. */
static void test_memory_source_of_one(void **state)
{
	(void)state;
	static const char *const sources[][2] = { { "ss",
		                                        "has memory figures of another source (trace)" },
		                                      { "bb", "of another source than another run" } };
	for (size_t k = 0; k < NR_OF(sources); k++) {
		struct sides s;
		struct run runs[2];
		setup(&s);
		add_sources(&s.baseline, sources[k][0]);
		for (int i = 0; i < 2; i++) {
			struct digest *d = fixture_digest(5, gemm, NR_OF(gemm));
			d->total_steps = 5;
			d->trust.launches = 10000;
			runs[i] = fixture_run(d);
			add_sources(&runs[i], i ? "tt" : "ss");
		}
		trust_findings(&s.baseline, runs, 2, &(struct rules){ .min_steps = 1 }, &s.report);
		assert_int_equal(s.report.trust.nr, k + 1);
		const struct trust_finding *f = &s.report.trust.v[k];
		assert_string_equal(f->id, "memory-source-differs");
		assert_non_null(strstr(f->message, sources[k][1]));
		assert_true(strstr(f->message, "run 2 of the candidate") ||
		            strstr(s.report.trust.v[0].message, "run 2 of the candidate"));
		run_release(&runs[0]);
		run_release(&runs[1]);
		release(&s);
	}
}

/* The peak of a snapshot may be above that of the trace beside it, and less than 1 % below. */
static void test_foreign_snapshot(void **state)
{
	(void)state;
	for (int64_t peak = 989; peak <= 1001; peak++) {
		struct sides s;
		setup(&s);
		vec_push(&s.c->memories, sample_memory("0", MEMORY_OF_SNAPSHOT, peak));
		vec_push(&s.c->trace_memories, sample_memory("0", MEMORY_OF_TRACE, 1000));
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "foreign-snapshot");
		assert_int_equal(f != NULL, peak < 990);
		assert_true(!f ||
		            (spoils(f, METRIC_MEMORY_FRAGMENTATION_PCT) && !spoils(f, METRIC_STEP_TIME)));
		release(&s);
	}
}

/* Only the trace's own figures of the same memory say that a snapshot is of another run. */
static void test_not_foreign(void **state)
{
	(void)state;
	static const struct {
		const char *memory;
		enum memory_source source;
		bool foreign;
	} cases[] = { { "0", MEMORY_OF_TRACE, true },
		          { "1", MEMORY_OF_TRACE, false },
		          { "0", MEMORY_OF_TIMELINE, false } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		vec_push(&s.c->memories, sample_memory("0", MEMORY_OF_SNAPSHOT, 500));
		vec_push(&s.c->trace_memories, sample_memory(cases[i].memory, cases[i].source, 1000));
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		assert_int_equal(find(&s.report, "foreign-snapshot") != NULL, cases[i].foreign);
		release(&s);
	}
}

/* Sums over whole recordings compare only if neither side has 5 % fewer steps. */
static void test_fewer_steps(void **state)
{
	(void)state;
	for (int64_t steps = 90; steps <= 101; steps++)
		for (int side = 0; side < 2; side++) {
			struct sides s;
			setup(&s);
			s.b->total_steps = s.c->total_steps = 100;
			(side ? s.c : s.b)->total_steps = steps <= 100 ? steps : 0; /* 0: not known */
			trust_findings(&s.baseline, &s.candidate, 1,
			               &(struct rules){ .min_steps = 1, .outside_allowed = true }, &s.report);
			const struct trust_finding *f = find(&s.report, "fewer-steps");
			assert_int_equal(f != NULL, steps < 95);
			assert_true(!f || (f->candidate == side && spoils(f, METRIC_WINDOW_IDLE_TIME) &&
			                   !spoils(f, METRIC_STEP_CUDA_TIME)));
			release(&s);
		}
}

static void test_out_of_memory_risk(void **state)
{
	(void)state;
	static const struct {
		int64_t left;
		const char *words; /* expected words of the finding; NULL if there is none */
	} cases[] = { { 2000000000, NULL },
		          { 1999999999, "may run out" },
		          { 1000000000, "may run out" },
		          { 999999999, "nearly runs out" },
		          { -5, "nearly runs out" },
		          { INT64_MAX, "ran out of memory: 3 allocations of memory 0 failed" } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct sides s;
		setup(&s);
		replace(&s.baseline, &s.b);
		replace(&s.candidate, &s.c);
		struct memory_stat *m = &s.c->memories.v[0];
		m->reserved_at_peak = MIB(12); /* 3 MiB of the reserved memory are not in use */
		bool failed = cases[i].left == INT64_MAX;
		m->source = s.b->memories.v[0].source = MEMORY_OF_TRACE;
		m->oom_count = failed ? 3 : 0;
		m->capacity = s.b->memories.v[0].capacity = MIB(12) + (failed ? 2000000000 : cases[i].left);
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			struct memory_stat second = d->memories.v[0];
			second.id = "1";
			vec_push(&d->memories, second);
		}
		trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = 1 }, &s.report);
		const struct trust_finding *f = find(&s.report, "out-of-memory-risk");
		assert_int_equal(s.report.trust.nr, cases[i].words ? 2 : 0);
		if (f) {
			assert_true(f->warning_only && f->candidate);
			assert_non_null(strstr(f->message, cases[i].words));
			assert_true(failed ||
			            strstr(f->message, "9.00 MiB are allocated and 3.00 MiB held unused"));
		}
		release(&s);
	}
}

/* Sums at the ends of int64 neither overflow nor hide a finding. */
static void test_extremes(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	s.c->trust.gpu_ns = s.c->trust.dropped_ns = s.c->trust.overlap_ns = INT64_MAX;
	s.c->trust.launches = s.c->trust.launches_without_kernel = INT64_MAX;
	struct memory_evidence *e = history(s.c);
	e->contradicted_frees = e->lost_allocs = e->unseen_frees = INT64_MAX;
	s.c->step_activities[4] = INT64_MAX / 2;
	s.c->usable_steps = 4;
	trust_findings(&s.baseline, &s.candidate, 1, &(struct rules){ .min_steps = INT64_MAX },
	               &s.report);
	assert_non_null(find(&s.report, "dropped-kernels"));
	assert_non_null(find(&s.report, "lost-kernels"));
	assert_non_null(find(&s.report, "overlapping-activities"));
	assert_non_null(find(&s.report, "short-last-step"));
	assert_non_null(find(&s.report, "too-few-steps"));
	release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_side_and_words),
		cmocka_unit_test(test_short_and_too_few),
		cmocka_unit_test(test_spoiler),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_few_steps),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_lost_words),
		cmocka_unit_test(test_folded_baseline),
		cmocka_unit_test(test_fewer_iterations),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_figures_of_other_work),
		cmocka_unit_test(test_kinds_of_work),
		cmocka_unit_test(test_beyond_peak),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_power_in_part),
		cmocka_unit_test(test_capped_alike),
		cmocka_unit_test(test_capped_alone),
		cmocka_unit_test(test_machines_of_ranks),
		cmocka_unit_test(test_many_throttled),
		cmocka_unit_test(test_snapshots_alone),
		cmocka_unit_test(test_snapshot_against_trace),
		cmocka_unit_test(test_figures_against_trace),
		cmocka_unit_test(test_rank_without_trace),
		cmocka_unit_test(test_no_baseline),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_memory_sources),
		cmocka_unit_test(test_memory_source_of_one),
		cmocka_unit_test(test_foreign_snapshot),
		cmocka_unit_test(test_not_foreign),
		cmocka_unit_test(test_fewer_steps),
		cmocka_unit_test(test_out_of_memory_risk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

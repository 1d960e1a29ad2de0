#include "gate/trust.h"

#include "gate_fixture.h"

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

static const struct finding *find(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->trust.nr; i++)
		if (strcmp(r->trust.v[i].id, id) == 0)
			return &r->trust.v[i];
	return NULL;
}

static bool spoils(const struct finding *f, enum metric_id id)
{
	for (size_t i = 0; i < f->spoils.nr; i++)
		if (strcmp(f->spoils.v[i], metric_table[id].name) == 0)
			return true;
	return false;
}

/* ---- one way to damage a digest each ---- */

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
}
static void half_step(struct digest *d)
{
	d->step_activities[4] = 5;
}
static void short_first(struct digest *d)
{
	d->step_activities[0] = 0;
}
static void short_of_two(struct digest *d)
{
	d->nr_steps = 2;
	d->step_activities[1] = 1;
}
static void short_to_2(struct digest *d)
{
	d->nr_steps = 3;
	d->step_activities[2] = 4;
}
static void two_steps(struct digest *d)
{
	d->nr_steps = 2;
}
static void no_steps(struct digest *d)
{
	d->nr_steps = 0;
}
static void window(struct digest *d)
{
	d->nr_steps = 1;
	d->window = true;
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

static const struct row {
	const char *name;
	void (*damage)(struct digest *);
	int64_t min_steps;
	const char *id; /* the one finding; NULL none */
	bool warning;
	enum metric_id spoils, keeps; /* 0: nothing is asked */
} rows[] = {
	{ "nothing", nothing, 5, NULL, 0, 0, 0 },
	{ "no gpu", no_gpu, 1, "no-gpu-activity", 0, METRIC_GPU_UTILIZATION_PCT, METRIC_STEP_TIME },
	{ "no gpu: comm", no_gpu, 1, "no-gpu-activity", 0, METRIC_COMM_OVERLAP_PCT,
	  METRIC_MEMORY_PEAK_ALLOCATED },
	{ "dropped 1 %", dropped_1, 1, NULL, 0, 0, 0 },
	{ "dropped", dropped_more, 1, "dropped-kernels", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_WINDOW_BUSY_TIME },
	{ "dropped: kernels", dropped_more, 1, "dropped-kernels", 0, METRIC_KERNEL_TIME,
	  METRIC_STEP_TIME },
	{ "launches not recorded", no_launches, 1, NULL, 0, 0, 0 },
	{ "lost 1 %", lost_1, 1, NULL, 0, 0, 0 },
	{ "lost", lost_more, 1, "lost-kernels", 0, METRIC_STEP_KERNEL_COUNT,
	  METRIC_GPU_UTILIZATION_PCT },
	{ "overlap 1 %", overlap_1, 1, NULL, 0, 0, 0 },
	{ "overlap", overlap_more, 1, "overlapping-activities", 0, METRIC_STEP_COMPUTE_TIME,
	  METRIC_STEP_BUSY_TIME },
	{ "overlap: counts", overlap_more, 1, "overlapping-activities", 0, METRIC_KERNEL_TIME,
	  METRIC_KERNEL_COUNT },
	{ "half a last step", half_step, 1, NULL, 0, 0, 0 },
	{ "less than half", short_step, 1, "short-last-step", 0, METRIC_KERNEL_TIME,
	  METRIC_STEP_CUDA_TIME },
	{ "short first step", short_first, 1, NULL, 0, 0, 0 },
	{ "short of two", short_of_two, 1, NULL, 0, 0, 0 },
	{ "too few", two_steps, 3, "too-few-steps", 0, METRIC_STEP_TIME, METRIC_WINDOW_BUSY_TIME },
	{ "enough", two_steps, 2, NULL, 0, 0, 0 },
	{ "no step", no_steps, 0, "too-few-steps", 0, METRIC_STEP_TIME, METRIC_MEMORY_PEAK_ALLOCATED },
	{ "truncated", truncated, 1, "truncated", 0, METRIC_WINDOW_BUSY_TIME, 0 },
	{ "truncated: step", truncated, 1, "truncated", 0, METRIC_STEP_TIME, 0 },
	{ "partial", partial, 1, "partial", 0, METRIC_STEP_TIME, 0 },
	{ "malformed", malformed, 1, "malformed-events", true, 0, 0 },
	{ "faults", faults, 1, "json-faults", true, 0, 0 },
	{ "negative", negative, 1, "negative-durations", true, 0, 0 },
	{ "timestamp", timestamp, 1, "attribution-differs", 0, METRIC_STEP_CUDA_TIME,
	  METRIC_STEP_TIME },
	{ "window", window, 3, "window-against-steps", 0, METRIC_STEP_TIME, METRIC_WINDOW_BUSY_TIME },
	{ "carried over", carried, 1, NULL, 0, 0, 0 },
};

static void check_row(const struct row *row, bool candidate)
{
	struct sides s;
	setup(&s);
	row->damage(candidate ? s.c : s.b);
	trust_findings(&s.baseline, &s.candidate, row->min_steps, &s.report);
	size_t expected = row->id ? 1 : 0;
	const struct finding *f = row->id ? find(&s.report, row->id) : NULL;
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

/* What one side shows spoils as well as what the other does. */
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
	trust_findings(&s.baseline, &s.candidate, 1, &s.report);
	const struct finding *f = find(&s.report, "dropped-kernels");
	assert_false(f->candidate);
	assert_string_equal(
	    f->message,
	    "the baseline has 3 GPU activities whose launch was lost, 1.00 % of its GPU time");
	release(&s);
}

/* A step that is left out does not count towards steps.min. */
static void test_short_and_too_few(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	short_to_2(s.c);
	assert_int_equal(trust_usable_steps(s.c), 2);
	trust_findings(&s.baseline, &s.candidate, 3, &s.report);
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
	trust_findings(&s.baseline, &s.candidate, 1, &s.report);
	const struct metric *m = &metric_table[METRIC_STEP_CUDA_TIME];
	assert_string_equal(trust_spoiler(&s.report, m, -1)->id, "overlapping-activities");
	assert_non_null(trust_spoiler(&s.report, m, 3));
	assert_null(trust_spoiler(&s.report, m, 2));
	assert_null(trust_spoiler(&s.report, &metric_table[METRIC_STEP_TIME], -1));
	release(&s);
}

/* Sums at the ends of int64 neither overflow nor hide. */
static void test_extremes(void **state)
{
	(void)state;
	struct sides s;
	setup(&s);
	s.c->trust.gpu_ns = s.c->trust.dropped_ns = s.c->trust.overlap_ns = INT64_MAX;
	s.c->trust.launches = s.c->trust.launches_without_kernel = INT64_MAX;
	for (int i = 0; i < 5; i++)
		s.c->step_activities[i] = i < 4 ? INT64_MAX : INT64_MAX / 2;
	trust_findings(&s.baseline, &s.candidate, INT64_MAX, &s.report);
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
		cmocka_unit_test(test_findings),          cmocka_unit_test(test_side_and_words),
		cmocka_unit_test(test_short_and_too_few), cmocka_unit_test(test_spoiler),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a report tells about the runs of both sides, and the changes that a comparison shows. */
#include "gate/sides.h"

#include "breakdown_sums.h"
#include "judge_rig.h"

/* ---- what a report says about the runs of the baseline and of the candidate ---- */

static void assert_notes(size_t row, const struct side *s, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < s->notes.nr; i++)
		strbuf_addf(&b, "%s%.*s", i ? "; " : "", (int)s->notes.v[i].n, s->notes.v[i].p);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("row %zu: '%s' instead of '%s'", row, strbuf_str(&b), want);
	strbuf_release(&b);
}

#define LAUNCHED "GPU work belongs to the step that launched it"

static void test_notes(void **state)
{
	(void)state;
	static const struct {
		struct trust_counts counts;
		enum attribution attribution;
		bool window;
		const char *notes;
	} rows[] = {
		{ { .gpu_events = 1 }, ATTRIBUTION_LAUNCH, false, LAUNCHED },
		{ { .gpu_events = 1 },
		  ATTRIBUTION_TIMESTAMP,
		  false,
		  "GPU work belongs to the step during which it ran, by timestamps" },
		{ { .gpu_events = 1 }, ATTRIBUTION_NONE, false, "" },
		{ { .gpu_events = 0 }, ATTRIBUTION_LAUNCH, false, "" },
		{ { .gpu_events = 1 },
		  ATTRIBUTION_LAUNCH,
		  true,
		  "no steps: figures are those of the whole trace" },
		{ { .gpu_events = 1, .carried_over = 1 },
		  ATTRIBUTION_LAUNCH,
		  false,
		  LAUNCHED "; 1 activity carried over from before the trace" },
		{ { .gpu_events = 1, .carried_over = 2, .dropped = 2 },
		  ATTRIBUTION_LAUNCH,
		  false,
		  LAUNCHED "; 2 activities carried over from before the trace; 2 activities without a "
		           "launch" },
		{ { .gpu_events = 1, .dropped = 1, .unattributed = 1, .unattributed_ns = 5 },
		  ATTRIBUTION_LAUNCH,
		  false,
		  LAUNCHED "; 1 activity without a launch; 1 activity (5 ns) outside all steps" },
		{ { .gpu_events = 1, .unattributed = 2, .unattributed_ns = 9 },
		  ATTRIBUTION_LAUNCH,
		  false,
		  LAUNCHED "; 2 activities (9 ns) outside all steps" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = fixture_digest(5, usual, NR_OF(usual));
		struct run run = fixture_run(d);
		struct report out;
		d->trust = rows[i].counts;
		d->attribution = rows[i].attribution;
		d->window = rows[i].window;
		report_init(&out);
		sides_fill(NULL, &run, 1, &out);
		assert_notes(i, &out.candidate, rows[i].notes);
		assert_int_equal(out.candidate.steps, rows[i].window ? 0 : 5);
		assert_int_equal(out.candidate.window, rows[i].window);
		assert_string_equal(out.baseline.label, "none yet");
		report_release(&out);
		run_release(&run);
	}
}

/* One run of either side that was read in part makes the report partial. */
static void test_partial(void **state)
{
	(void)state;
	for (int which = -1; which < 4; which++) {
		struct run runs[3] = { fixture_run(fixture_digest(5, usual, 1)),
			                   fixture_run(fixture_digest(5, usual, 1)),
			                   fixture_run(fixture_digest(4, usual, 1)) };
		struct report out;
		vec_push(&runs[0].ranks, fixture_digest(5, usual, 1));
		if (which >= 0) /* 3: the other rank of the baseline */
			runs[which % 3].ranks.v[which / 3]->trust.partial = true;
		report_init(&out);
		sides_fill(&runs[0], &runs[1], 2, &out);
		assert_int_equal(out.partial, which >= 0);
		assert_false(out.same_artifact);
		assert_int_equal(out.candidate.runs, 2);
		report_release(&out);
		for (int i = 0; i < 3; i++)
			run_release(&runs[i]);
	}
}

/* At most two files that were not read are named, without their folders. */
static void test_ignored(void **state)
{
	(void)state;
	static const char *const files[] = { "a/x.log", "y.txt", "b/c/z.png", "u" }, *const want[] = {
		"", "x.log", "x.log, y.txt", "x.log, y.txt and 1 more", "x.log, y.txt and 2 more"
	};
	for (size_t nr = 0; nr < NR_OF(want); nr++) {
		struct run run = fixture_run(fixture_digest(5, usual, 1));
		struct report out;
		for (size_t i = 0; i < nr; i++)
			vec_push(&run.ignored, files[i]);
		report_init(&out);
		sides_fill(NULL, &run, 1, &out);
		assert_string_equal(out.candidate.ignored, want[nr]);
		report_release(&out);
		run_release(&run);
	}
}

/* Two runs are the same artifact if all their ranks have the same source hashes. */
static void test_same_artifact(void **state)
{
	(void)state;
	static const struct {
		uint64_t x[2], y[2]; ///< source hashes of the ranks; 0: no such rank
		bool same;
	} rows[] = { { { 5 }, { 5 }, true },       { { 5 }, { 6 }, false },
		         { { 5, 6 }, { 5, 6 }, true }, { { 5, 6 }, { 5, 7 }, false },
		         { { 5, 6 }, { 5 }, false },   { { 5 }, { 5, 6 }, false },
		         { { 0 }, { 0 }, false } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run[2] = { { .label = "x" }, { .label = "y" } };
		for (int s = 0; s < 2; s++)
			for (int r = 0; r < 2 && (s ? rows[i].y : rows[i].x)[r]; r++) {
				struct digest *d = fixture_digest(5, usual, 1);
				d->source_hash = (s ? rows[i].y : rows[i].x)[r];
				vec_push(&run[s].ranks, d);
			}
		assert_int_equal(sides_same_artifact(&run[0], &run[1]), rows[i].same);
		run_release(&run[0]);
		run_release(&run[1]);
	}
}

/* Runs with the same figures are not the same recording if the CUDA versions that both know differ,
 * or the numbers of host calls, which gpugate did not always store. */
static void test_same_surroundings(void **state)
{
	(void)state;
	static const struct {
		const char *driver[2], *runtime[2];
		int64_t calls[2][2]; ///< counts of two rows of calls; 0: no such row
		bool same;
	} rows[] = {
		{ { "12.1", "12.1" }, { "12.0", "12.0" }, { { 0 } }, true },
		{ { "12.1", "12.2" }, { "12.0", "12.0" }, { { 0 } }, false },
		{ { "12.1", "12.1" }, { "12.0", "12.2" }, { { 0 } }, false },
		{ { "12.1", NULL }, { NULL, "12.0" }, { { 0 } }, true },
		{ { NULL, NULL }, { NULL, NULL }, { { 3, 4 }, { 7 } }, true },
		{ { NULL, NULL }, { NULL, NULL }, { { 3, 4 }, { 3, 5 } }, false },
		{ { NULL, NULL }, { NULL, NULL }, { { 3 }, { 2 } }, false },
		{ { NULL, NULL }, { NULL, NULL }, { { 3, 4 }, { 0 } }, true },
		{ { NULL, NULL }, { NULL, NULL }, { { 0 }, { 3, 4 } }, true },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run[2];
		for (int s = 0; s < 2; s++) {
			struct digest *d = fixture_digest(5, usual, 1);
			d->source_hash = 5;
			if (rows[i].driver[s])
				digest_set_env(d, SPAN("cuda.driver"), span_of(rows[i].driver[s]));
			if (rows[i].runtime[s])
				digest_set_env(d, SPAN("cuda.runtime"), span_of(rows[i].runtime[s]));
			for (size_t k = 0; k < 2 && rows[i].calls[s][k]; k++) {
				struct call_stat *c = vec_push_zero(&d->calls);
				c->name = k ? SPAN("b") : SPAN("a");
				c->count = rows[i].calls[s][k];
			}
			run[s] = fixture_run(d);
		}
		if (sides_same_artifact(&run[0], &run[1]) != rows[i].same)
			fail_msg("row %zu", i);
		run_release(&run[0]);
		run_release(&run[1]);
	}
}

/* The report names the step marker that would fit a trace without steps. */
static void test_proposed_marker(void **state)
{
	(void)state;
	for (int proposed = 0; proposed < 2; proposed++) {
		struct digest *d = fixture_digest(5, usual, 1);
		struct run run = fixture_run(d);
		struct report out;
		d->proposed_marker = proposed ? "it\033*" : NULL;
		d->proposed_steps = proposed ? 7 : 0;
		report_init(&out);
		sides_fill(NULL, &run, 1, &out);
		if (proposed)
			assert_string_equal(out.candidate.marker, "it\uFFFD*");
		else
			assert_null(out.candidate.marker);
		assert_int_equal(out.candidate.marker_steps, proposed ? 7 : 0);
		report_release(&out);
		run_release(&run);
	}
}

/* A side without traces is `snapshot_only`. If it has no memory snapshots either, only metrics
   files, it is also `metrics_only`. */
static void test_kinds_of_side(void **state)
{
	(void)state;
	static const struct {
		const char *kinds; ///< a letter for each rank: t trace, s snapshot, m result file
		bool snapshot_only, metrics_only;
	} rows[] = { { "t", false, false },  { "s", true, false },  { "m", true, true },
		         { "ts", false, false }, { "ms", true, false }, { "mm", true, true },
		         { "", false, false } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = { .label = "x" };
		struct report out;
		for (const char *p = rows[i].kinds; *p; p++) {
			struct digest *d = *p == 't' ? fixture_digest(5, usual, 1) : digest_new();
			d->marker = d->communication = "";
			d->snapshot = *p == 's' ? "s" : NULL;
			d->metrics_file = *p == 'm' ? "m" : NULL;
			vec_push(&run.ranks, d);
		}
		report_init(&out);
		sides_fill(NULL, &run, 1, &out);
		if (out.candidate.snapshot_only != rows[i].snapshot_only ||
		    out.candidate.metrics_only != rows[i].metrics_only)
			fail_msg("%s", rows[i].kinds);
		report_release(&out);
		run_release(&run);
	}
}

/* ---- the headline of a comparison ---- */

/* Set the metric `id` of every step of a digest to `ns`. */
static void set(struct digest *d, enum metric_id id, int64_t ns)
{
	for (size_t i = 0; i < d->nr_steps; i++)
		d->samples[id][i] = ns;
}

/* The largest part of a change of the wall time, if it is more than half of it. */
static void test_causes(void **state)
{
	(void)state;
	static const struct {
		int64_t period[2], compute[2], loading[2]; ///< ms of both sides
		const char *headline;
	} rows[] = {
		{ { 100, 110 },
		  { 50, 56 },
		  { 10, 10 },
		  "wall time per step 10.00 % longer: compute per step 50.00 ms → 56.00 ms" },
		{ { 100, 110 }, { 50, 55 }, { 10, 10 }, "wall time per step 10.00 % longer" },
		{ { 100, 110 }, { 50, 44 }, { 10, 10 }, "wall time per step 10.00 % longer" },
		{ { 100, 110 },
		  { 50, 56 },
		  { 10, 18 },
		  "wall time per step 10.00 % longer: data loading 10.00 ms → 18.00 ms" },
		{ { 100, 110 },
		  { 50, 58 },
		  { 10, 16 },
		  "wall time per step 10.00 % longer: compute per step 50.00 ms → 58.00 ms" },
		{ { 100, 110 },
		  { 50, 57 },
		  { 10, 17 },
		  "wall time per step 10.00 % longer: compute per step 50.00 ms → 57.00 ms" },
		{ { 110, 100 },
		  { 56, 50 },
		  { 10, 10 },
		  "wall time per step 9.09 % shorter: compute per step 56.00 ms → 50.00 ms" },
		{ { 100, 101 }, { 50, 55 }, { 10, 10 }, "compute per step 10.00 % longer" },
		{ { 100, 105 },
		  { 50, 55 },
		  { 10, 10 },
		  "wall time per step 5.00 % longer: compute per step 50.00 ms → 55.00 ms" },
		{ { 100, 100 }, { 50, 50 }, { 10, 10 }, "wall time per step as before" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			set(d, METRIC_STEP_PERIOD, MS(rows[i].period[side]));
			set(d, METRIC_STEP_COMPUTE_TIME, MS(rows[i].compute[side]));
			set(d, METRIC_STEP_DATALOADER_TIME, MS(rows[i].loading[side]));
		}
		assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
		                 ST_OK);
		s.judged = true;
		if (strcmp(s.report.headline, rows[i].headline) != 0)
			fail_msg("row %zu: '%s'", i, s.report.headline);
		release(&s);
	}
}

/* The idle GPU waits for data if that explains most of the change of the wall time. */
static void test_idle(void **state)
{
	(void)state;
	static const struct {
		int64_t period, loading, comm, idle; ///< ms more in the candidate
		const char *detail;
	} rows[] = {
		{ 10, 6, 11, 6, "data loading 10.00 ms → 16.00 ms" },
		{ 10, 6, 0, 10, "data loading 10.00 ms → 16.00 ms" },
		{ 10, 6, 11, 5, "" },
		{ 10, 5, 11, 6, "" },
		{ -10, -6, -11, -6, "data loading 10.00 ms → 4.000 ms" },
		{ 10, 6, 21, -6, "" },
	};
	static const int64_t had[] = { 100, 10, 30, 30 };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			int64_t period = had[0] + side * rows[i].period, comm = had[2] + side * rows[i].comm;
			int64_t idle = had[3] + side * rows[i].idle;
			set(d, METRIC_STEP_PERIOD, MS(period));
			set(d, METRIC_STEP_DATALOADER_TIME, MS(had[1] + side * rows[i].loading));
			set(d, METRIC_STEP_PERIOD_EXPOSED_COMM, MS(comm));
			set(d, METRIC_STEP_IDLE_TIME, MS(idle));
			set(d, METRIC_STEP_PERIOD_COMPUTE, MS(period - comm - idle));
			set(d, METRIC_STEP_PERIOD_EXPOSED_MEMORY, 0);
		}
		assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
		                 ST_OK);
		s.judged = true;
		const struct part *p = part(s.report.breakdowns.v[0], 0, "idle GPU");
		assert_string_equal(p->detail, rows[i].detail);
		release(&s);
	}
}

/* Runs without a key figure are told by their first figure of result files, or have nothing in
 * common. */
static void test_other_headlines(void **state)
{
	(void)state;
	static const struct {
		int64_t value[2]; ///< of a figure of result files; -1: the side has none
		const char *headline;
	} rows[] = {
		{ { 3, 4 }, "loss 33.33 % higher" },
		{ { 0, 4 }, "loss 4 higher" },
		{ { 3, 3 }, "loss as before" },
		{ { -1, 3 }, "the runs have no key figure in common" },
		{ { -1, -1 }, "the runs have no key figure in common" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = digest_new();
			d->marker = d->communication = "";
			d->metrics_file = "m";
			if (rows[i].value[side] >= 0)
				vec_push(&d->inputs, (struct input_stat){ .name = "loss",
				                                          .value = rows[i].value[side],
				                                          .micro = INPUT_EXACT });
			digest_free(side ? s.c : s.b);
			(side ? &s.candidate : &s.baseline)->ranks.v[0] = d;
		}
		assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
		                 ST_OK);
		s.judged = true;
		if (strcmp(s.report.headline, rows[i].headline) != 0)
			fail_msg("row %zu: '%s'", i, s.report.headline);
		release(&s);
	}
}

/* Runs whose settings differ are not compared. */
static void test_other_settings(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	s.c->marker = "other";
	assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
	                 ST_USAGE);
	s.judged = true;
	assert_int_equal(s.report.status, ST_USAGE);
	assert_int_equal(s.report.figures.nr, 0);
	assert_non_null(strstr(s.report.error, "other"));
	release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_same_artifact),
		cmocka_unit_test(test_same_surroundings),
		cmocka_unit_test(test_proposed_marker),
		cmocka_unit_test(test_kinds_of_side),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_other_settings),
		cmocka_unit_test(test_other_headlines),
		cmocka_unit_test(test_idle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

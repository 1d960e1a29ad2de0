#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "ranks_rig.h"
#include "trust/trust.h"

#define THREE "4: a9 | 5: a9 | 6: a9"

/* List the findings on a single run as "id rank", warnings in brackets. */
static void list(const struct report *r, struct strbuf *b)
{
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct trust_finding *f = &r->trust.v[i];
		strbuf_addf(b, "%s%s%s%s %" PRId64 "%s", b->n ? ", " : "", f->candidate ? "" : "baseline ",
		            f->warning_only ? "(" : "", f->id, f->rank, f->warning_only ? ")" : "");
	}
}

static void assert_findings(const char *what, const struct run *run, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	struct report r;
	report_init(&r);
	trust_findings(NULL, run, 1, NULL, &r);
	list(&r, &b);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("%s: '%s' instead of '%s'", what, strbuf_str(&b), want);
	strbuf_release(&b);
	report_release(&r);
}

/* ---- ways to damage a run ---- */

static void nothing(struct run *run)
{
	(void)run;
}
static void stop(struct digest *d, int64_t activities, int64_t launches, int64_t pending,
                 int64_t collectives)
{
	d->step_activities[d->nr_steps - 1] = activities;
	d->usable_steps = (int64_t)d->nr_steps - (activities < 50);
	d->progress.launches = launches;
	d->progress.pending = pending;
	d->progress.collectives = collectives;
	d->trust.launches_without_kernel = pending;
	d->trust.launches = 300;
	if (pending)
		d->progress.waits_in = SPAN("nccl:all_reduce");
}
/* Rank 1 never reaches the second collective: the 40 launches before it have ended, and as many
 * launches have ended on the other ranks. */
static void hang(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		stop(run->ranks.v[r], 40, 100, 60, 3);
	stop(run->ranks.v[1], 40, 40, 0, 1);
}
/* Like hang(), but the hosts run far ahead: little of the launched work has ended. */
static void hang_ahead(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		stop(run->ranks.v[r], 20, 100, 90, 9);
	stop(run->ranks.v[1], 18, 40, 32, 4);
}
static void behind(struct run *run)
{
	stop(run->ranks.v[1], 95, 80, 0, 2);
}
/* All ranks stop in the middle of their work, rank 1 a little earlier: none is to blame. */
static void stop_all(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		stop(run->ranks.v[r], 40, 100, 60, 3);
	stop(run->ranks.v[1], 40, 90, 50, 3);
}
static void cut(struct run *run)
{
	stop(run->ranks.v[2], 40, 80, 30, 3);
}
static void without_kernels(struct run *run)
{
	struct digest *d = run->ranks.v[2];
	stop(d, 0, 80, 80, 3);
	d->trust.gpu_events = d->trust.with_launch = 0;
	d->attribution = ATTRIBUTION_TIMESTAMP;
}
static void cut_late(struct run *run)
{
	stop(run->ranks.v[2], 95, 100, 5, 3);
}
static void cut_without_launches(struct run *run)
{
	stop(run->ranks.v[2], 80, 0, 0, 0);
}
static void end_all(struct run *run, int64_t usual, int64_t of_rank_2)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		stop(run->ranks.v[r], r == 2 ? of_rank_2 : usual, 100, 0, 3);
}
static void cut_at_80(struct run *run)
{
	end_all(run, 90, 80);
}
static void cut_at_81(struct run *run)
{
	end_all(run, 90, 81);
}
static void cut_of_89(struct run *run)
{
	end_all(run, 89, 70);
}
static void one_launch_without_kernel(struct run *run)
{
	stop(run->ranks.v[2], 99, 100, 1, 3);
}
static void shorter_last_step_on_all(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		stop(run->ranks.v[r], 70, 70, 0, 2);
}
static void fewer_collectives(struct run *run)
{
	run->ranks.v[3]->comms.v[0].count--;
}
static void fewer_of_unnamed_group(struct run *run)
{
	run->ranks.v[3]->comms.v[7].count = 0;
	for (size_t r = 0; r < 3; r++)
		run->ranks.v[r]->comms.v[7].count = 3;
}
static void start_times(struct run *run)
{
	run->ranks.v[1]->attribution = ATTRIBUTION_TIMESTAMP;
}
static void start_times_of_first(struct run *run)
{
	run->ranks.v[0]->attribution = ATTRIBUTION_TIMESTAMP;
}
static void period_of_last(struct run *run)
{
	run->ranks.v[run->ranks.nr - 1]->period_count = 1;
}
static void start_times_on_all(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->attribution = ATTRIBUTION_TIMESTAMP;
}
static void window(struct run *run)
{
	run->ranks.v[1]->window = true;
	run->ranks.v[1]->nr_steps = 1;
	run->ranks.v[1]->usable_steps = 1;
	run->ranks.v[1]->progress.step = -1;
}
static void period_on_all(struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		run->ranks.v[i]->period_count = i == 0 ? 1 : 3;
}
static void period_but_one(struct run *run)
{
	period_on_all(run);
	for (size_t i = 1; i < run->ranks.nr; i++)
		run->ranks.v[i]->period_count = 0;
}
static void beyond_cap(struct run *run)
{
	run->ranks.v[0]->collectives_cut = 5;
}
static void beyond_cap_at_once(struct run *run)
{
	run->ranks.v[0]->collectives_cut = 5;
	run->ranks.v[0]->collectives.nr = 1;
}
static void beyond_cap_of_none(struct run *run)
{
	run->ranks.v[0]->collectives_cut = 5;
	run->ranks.v[0]->collectives.nr = 0;
}
static void of_eight(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->world_size = 8;
}
static void of_four(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->world_size = 4;
}
/* Ranks were recorded one after another, each for 10 s; the first of them in September of 2020. */
static void recorded(struct run *run, int64_t pause_s)
{
	for (size_t r = 0; r < run->ranks.nr; r++) {
		struct digest *d = run->ranks.v[r];
		d->start_ns = (1600000000 + (int64_t)r * (10 + pause_s)) * NS_PER_S + (int64_t)r;
		d->window_ns = 10 * NS_PER_S;
		d->trust.gpu_events = 1;
	}
}
static void a_minute_apart(struct run *run)
{
	recorded(run, 60);
}
static void nearly_a_minute_apart(struct run *run)
{
	recorded(run, 59);
}
static void first_is_newest(struct run *run)
{
	recorded(run, 60);
	run->ranks.v[0]->start_ns = run->ranks.v[1]->start_ns + 1000 * NS_PER_S;
}

/* Ranks 0 and 1 end within a further step, which other ranks have not begun. */
static void open_step(struct run *run)
{
	run->ranks.v[0]->usable_steps = run->ranks.v[1]->usable_steps = 3;
}
static void open_step_pending(struct run *run)
{
	open_step(run);
	run->ranks.v[1]->progress.pending = 1;
}
static void whole_step_of_one(struct run *run)
{
	open_step(run);
	run->ranks.v[1]->usable_steps = 4;
}
static void windows(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++) {
		run->ranks.v[r]->window = true;
		run->ranks.v[r]->progress.step = -1;
	}
}
static void fewer_and_early(struct run *run)
{
	run->ranks.v[2]->comms.v[0].count = 1;
	run->ranks.v[0]->usable_steps = run->ranks.v[1]->usable_steps = 2;
}

/* Two ranks have the same file, and two others another one. */
static void two_pairs(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->source_hash = r % 2 ? 5 : 9;
}
static void three_pairs(struct run *run)
{
	static const uint64_t hashes[] = { 3, 1, 2, 3, 1, 2 };
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->source_hash = hashes[r];
}
static void one_of_three(struct run *run)
{
	for (size_t r = 0; r < run->ranks.nr; r++)
		run->ranks.v[r]->source_hash = r == 3 ? 8 : 7;
}
/* Gives some collectives another type of elements: collectives that differ only in this type must
 * count as one kind. */
static void more_types(struct run *run, int64_t on_last)
{
	for (size_t r = 0; r < run->ranks.nr; r++) {
		struct digest *d = run->ranks.v[r];
		int64_t nr = r + 1 == run->ranks.nr ? on_last : 2;
		struct comm_stat more = d->comms.v[0];
		more.dtype = SPAN("zz");
		more.count = nr;
		d->comms.v[0].count -= r + 1 == run->ranks.nr ? 1 : 2;
		vec_push(&d->comms, more);
	}
}
static void types_that_add_up(struct run *run)
{
	more_types(run, 1);
}
static void types_that_do_not(struct run *run)
{
	more_types(run, 0);
}

static void test_found_and_not(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		const char *ranks[7];
		void (*damage)(struct run *run);
		const char *want;
	} rows[] = {
		{ "sound", { THREE, THREE, THREE, THREE }, nothing, "" },
		{ "steps in another order", { THREE, "5: a9 | 4: a9 | 6: a9" }, nothing, "" },
		{ "a last step that was cut short comes last",
		  { THREE, "4: a9 | 6: a9 | 5: a9" },
		  nothing,
		  "" },
		{ "one rank is of no run", { THREE }, of_eight, "" },
		{ "ends early", { THREE, THREE, "4: | 5:", THREE }, nothing, "ends-early 2" },
		{ "begins late", { THREE, THREE, "5: | 6:", THREE }, nothing, "missing-steps 2" },
		{ "lacks one between", { THREE, "4: | 6:", THREE }, nothing, "missing-steps 1" },
		{ "one that goes on", { THREE, THREE, THREE, THREE " | 7:" }, nothing, "" },
		{ "a step that has only begun",
		  { THREE " | 7:", THREE " | 7:", THREE, THREE },
		  open_step,
		  "(short-last-step 0), (short-last-step 1)" },
		{ "a step in which work is left",
		  { THREE " | 7:", THREE " | 7:", THREE, THREE },
		  open_step_pending,
		  "ends-early 2, ends-early 3, (short-last-step 0), (short-last-step 1)" },
		{ "a step that one rank has whole",
		  { THREE " | 7:", THREE " | 7:", THREE, THREE },
		  whole_step_of_one,
		  "ends-early 2, ends-early 3, (short-last-step 0)" },
		{ "no steps on any", { THREE, THREE, THREE }, windows, "" },
		{ "named once",
		  { THREE, THREE, "4: a9 | 5: a9", THREE },
		  fewer_and_early,
		  "ends-early 2, (short-last-step 0), (short-last-step 1)" },
		{ "of two one", { THREE, "4: | 5:" }, nothing, "ends-early 1" },
		{ "stuck",
		  { THREE, THREE, THREE, THREE },
		  hang,
		  "stuck 1, (short-last-step 0), (short-last-step 1), (short-last-step 2), "
		  "(short-last-step 3)" },
		{ "of two one is stuck",
		  { THREE, THREE },
		  hang,
		  "stuck 1, (short-last-step 0), (short-last-step 1)" },
		{ "stuck, and nothing that it launched has ended",
		  { THREE, THREE, THREE, THREE },
		  hang_ahead,
		  "stuck 1, (short-last-step 0), (short-last-step 1), (short-last-step 2), "
		  "(short-last-step 3)" },
		{ "somewhat behind, and nobody waits", { THREE, THREE, THREE, THREE }, behind, "" },
		{ "stopped together",
		  { THREE, THREE, THREE, THREE },
		  stop_all,
		  "(short-last-step 0), (short-last-step 1), (short-last-step 2), (short-last-step 3)" },
		{ "cut", { THREE, THREE, THREE, THREE }, cut, "cut-short 2, (short-last-step 2)" },
		{ "without kernels",
		  { THREE, THREE, THREE, THREE },
		  without_kernels,
		  "no-gpu-activity 2, (short-last-step 2)" },
		{ "cut near the end",
		  { THREE, THREE, THREE, THREE },
		  cut_late,
		  "cut-short 2, lost-kernels 2" },
		{ "cut, host not recorded",
		  { THREE, THREE, THREE, THREE },
		  cut_without_launches,
		  "cut-short 2" },
		{ "cut, with 80 % of the step where the others have 90 %",
		  { THREE, THREE, THREE, THREE },
		  cut_at_80,
		  "cut-short 2" },
		{ "81 %", { THREE, THREE, THREE, THREE }, cut_at_81, "" },
		{ "the others have 89 %", { THREE, THREE, THREE, THREE }, cut_of_89, "" },
		{ "a launch without a kernel", { THREE, THREE, THREE }, one_launch_without_kernel, "" },
		{ "a last step that is shorter", { THREE, THREE, THREE }, shorter_last_step_on_all, "" },
		{ "fewer collectives",
		  { THREE, THREE, THREE, THREE },
		  fewer_collectives,
		  "fewer-collectives 3" },
		{ "where groups are not known",
		  { THREE, THREE, THREE, THREE },
		  fewer_of_unnamed_group,
		  "" },
		{ "of two types", { THREE, THREE, THREE, THREE }, types_that_add_up, "" },
		{ "fewer of one type",
		  { THREE, THREE, THREE, THREE },
		  types_that_do_not,
		  "fewer-collectives 3" },
		{ "two files for four ranks",
		  { THREE, THREE, THREE, THREE },
		  two_pairs,
		  "same-recording 2, same-recording 3" },
		{ "three files for six ranks",
		  { THREE, THREE, THREE, THREE, THREE, THREE },
		  three_pairs,
		  "same-recording 3, same-recording 4, same-recording 5" },
		{ "one file for three ranks",
		  { THREE, THREE, THREE, THREE },
		  one_of_three,
		  "same-recording 1, same-recording 2" },
		{ "start times", { THREE, THREE, THREE }, start_times, "attribution-among-ranks 1" },
		{ "of the first",
		  { THREE, THREE, THREE },
		  start_times_of_first,
		  "attribution-among-ranks 0" },
		{ "the last has no markers",
		  { THREE, THREE, THREE },
		  period_of_last,
		  "markers-among-ranks 0, markers-among-ranks 1" },
		{ "on all", { THREE, THREE, THREE }, start_times_on_all, "" },
		{ "no steps", { THREE, THREE, THREE }, window, "window-among-ranks 1" },
		{ "one has markers",
		  { THREE, THREE, THREE },
		  period_but_one,
		  "markers-among-ranks 1, markers-among-ranks 2" },
		{ "none has", { THREE, THREE, THREE }, period_on_all, "" },
		{ "beyond the cap", { THREE, THREE }, beyond_cap, "(collectives-beyond-cap 0)" },
		{ "in the first step", { THREE, THREE }, beyond_cap_at_once, "collectives-beyond-cap 0" },
		{ "none of them", { THREE, THREE }, beyond_cap_of_none, "collectives-beyond-cap 0" },
		{ "some of a world", { THREE, THREE, THREE, THREE }, of_eight, "absent-rank -1" },
		{ "all of it", { THREE, THREE, THREE, THREE }, of_four, "" },
		{ "a minute apart", { THREE, THREE }, a_minute_apart, "stale-rank 0" },
		{ "nearly that", { THREE, THREE }, nearly_a_minute_apart, "" },
		{ "two before the newest", { THREE, THREE, THREE }, nearly_a_minute_apart, "stale-rank 0" },
		{ "the first is the newest", { THREE, THREE }, first_is_newest, "stale-rank 1" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run run = rig_run(rows[i].ranks);
		rows[i].damage(&run);
		assert_findings(rows[i].what, &run, rows[i].want);
		run_release(&run);
	}
}

/* The message says what the rank did last, and where the others wait. */
static void test_words(void **state)
{
	(void)state;
	static const char *const lines[] = { THREE, THREE, THREE, NULL };
	struct run run = rig_run(lines);
	struct report r;
	report_init(&r);
	hang(&run);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_string_equal(
	    r.trust.v[0].message,
	    "the run stopped in step 6 and never entered what the others wait in: "
	    "'nccl:all_reduce' on rank 0; in its last step it launched 40 kernels and entered 1 "
	    "collective, last on the host 'aten::add', last on the GPU 'gemm'");
	report_release(&r);
	report_init(&r);
	run.ranks.v[1]->progress.launches = 1;
	run.ranks.v[1]->progress.collectives = 2;
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_non_null(
	    strstr(r.trust.v[0].message, "launched 1 kernel and entered 2 collectives, last on"));
	report_release(&r);
	report_init(&r);
	hang_ahead(&run);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_string_equal(
	    r.trust.v[0].message,
	    "the run stopped in step 6 where the others went on, whose GPUs wait with what they "
	    "launched; in its last step it launched 40 kernels and entered 4 collectives, last on the "
	    "host 'aten::add', last on the GPU 'gemm'");
	report_release(&r);
	run_release(&run);
}

/* ---- metrics that a finding makes unreliable ---- */

static bool is_spoiled(const struct report *r, const char *metric, int64_t rank)
{
	return trust_spoiler(r, &(struct rule){ .metric = metric_find(span_of(metric)) }, rank) != NULL;
}

static void test_spoils(void **state)
{
	(void)state;
	static const char *const lines[] = { THREE, THREE, "4: | 5:", THREE, NULL };
	struct run run = rig_run(lines);
	struct report r;
	report_init(&r);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_true(is_spoiled(&r, "step.compute_time", -1));
	assert_true(is_spoiled(&r, "step.compute_time", 2));
	assert_false(is_spoiled(&r, "step.compute_time", 1));
	assert_true(is_spoiled(&r, "memory.peak_allocated", 2));
	/* comm.wait_time combines all ranks, so that it is unreliable on every rank */
	assert_true(is_spoiled(&r, "comm.wait_time", 1));
	/* rank.missing_steps counts exactly what the finding reports: it stays reliable */
	assert_false(is_spoiled(&r, "rank.missing_steps", 2));
	report_release(&r);
	run.ranks.v[2]->snapshot = "snapshot.json";
	report_init(&r);
	trust_findings(NULL, &run, 1, NULL, &r);
	assert_true(is_spoiled(&r, "step.compute_time", 2));
	assert_false(is_spoiled(&r, "memory.peak_allocated", 2));
	report_release(&r);
	/* where memory is judged by the traces, a snapshot of the rank does not help */
	for (size_t i = 0; i < run.ranks.nr; i++)
		vec_push(&run.ranks.v[i]->memories,
		         (struct memory_stat){ .id = "0", .source = MEMORY_OF_TRACE, .capacity = -1 });
	report_init(&r);
	trust_findings(&run, &run, 1, NULL, &r);
	assert_true(is_spoiled(&r, "memory.peak_allocated", 2));
	assert_false(is_spoiled(&r, "rank.missing_steps", 2));
	report_release(&r);
	run_release(&run);
}

/* ---- ranks that only one side has ---- */

static void drop(struct run *run, size_t at)
{
	digest_free(run->ranks.v[at]);
	run->ranks.nr--;
	memmove(run->ranks.v + at, run->ranks.v + at + 1, (run->ranks.nr - at) * sizeof *run->ranks.v);
}

static void test_absent(void **state)
{
	(void)state;
	static const char *const lines[] = { THREE, THREE, THREE, THREE, NULL };
	static const struct {
		const char *what;
		int baseline,
		    /* rank that each side lacks; -1 if none; -2 for all but rank 0; -3 for all but rank 1;
		     * -9 for all but ranks 0 and 1
		     */
		    candidate;
		int64_t world[2];
		const char *want;
	} rows[] = {
		{ "all", -1, -1, { -1, -1 }, "" },
		{ "the candidate", -1, 2, { -1, -1 }, "absent-rank 2" },
		{ "the baseline", 1, -1, { -1, -1 }, "baseline absent-rank 1" },
		{ "both, the same", 1, 1, { -1, -1 }, "" },
		{ "both, another", 3, 0, { -1, -1 }, "absent-rank 0, baseline absent-rank 3" },
		{ "all but one", -1, -2, { -1, -1 }, "absent-rank 1, absent-rank 2, absent-rank 3" },
		{ "one of two", -2, -9, { -1, -1 }, "baseline absent-rank 1" },
		{ "one of two, the other way", -9, -2, { -1, -1 }, "absent-rank 1" },
		{ "one rank each, whichever", -3, -2, { -1, -1 }, "" },
		{ "another world", -1, 2, { 4, 8 }, "(absent-rank -1)" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run run[2] = { rig_run(lines), rig_run(lines) };
		struct strbuf b = STRBUF_INIT;
		struct report r;
		for (int s = 0; s < 2; s++) {
			int lacks = s ? rows[i].candidate : rows[i].baseline;
			for (int k = 3; k >= 0; k--) {
				run[s].ranks.v[k]->world_size = rows[i].world[s];
				if (k == lacks || (lacks == -9 ? k > 1 : lacks <= -2 && k != -2 - lacks))
					drop(&run[s], (size_t)k);
			}
		}
		report_init(&r);
		trust_findings(&run[0], &run[1], 1, NULL, &r);
		list(&r, &b);
		if (strcmp(strbuf_str(&b), rows[i].want) != 0)
			fail_msg("%s: '%s' instead of '%s'", rows[i].what, strbuf_str(&b), rows[i].want);
		strbuf_release(&b);
		report_release(&r);
		run_release(&run[0]);
		run_release(&run[1]);
	}
}

/* If the baseline lacks a rank, the finding is on the baseline, whichever run of the candidate has
 * the rank. */
static void test_absent_from_baseline(void **state)
{
	(void)state;
	static const char *const lines[] = { THREE, THREE, THREE, NULL };
	struct run baseline = rig_run(lines), repeats[2] = { rig_run(lines), rig_run(lines) };
	struct report r;
	drop(&baseline, 1);
	drop(&repeats[0], 1);
	drop(&repeats[1], 2);
	report_init(&r);
	trust_findings(&baseline, repeats, 2, &(struct rules){ .min_steps = 1 }, &r);
	assert_int_equal(r.trust.nr, 2);
	assert_true(r.trust.v[0].candidate && !r.trust.v[1].candidate);
	assert_string_equal(r.trust.v[0].message,
	                    "run 2 of the candidate lacks rank 2, which the baseline has");
	assert_string_equal(r.trust.v[1].message, "the baseline lacks rank 1, which the candidate has");
	report_release(&r);
	run_release(&baseline);
	run_release(&repeats[0]);
	run_release(&repeats[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_and_not),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_spoils),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_absent_from_baseline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

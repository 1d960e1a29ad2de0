#include "diff/breakdown_of.h"

#include <stdio.h>

#include "breakdown_sums.h"
#include "diff/bench.h"

struct sides {
	struct category_table categories;
	struct run run[NR_SIDES];
	struct bench bench;
	struct arena arena;
};

static void begin(struct sides *s)
{
	bench_init(&s->bench,
	           &(struct bench_runs){
	               .baseline = &s->run[0], .candidates = &s->run[1], .nr_candidates = 1 },
	           (struct naming){ .exact = true, .categories = &s->categories });
}

#define SETUP(s, b, c) setup(s, 3, 4, b, NR_OF(b), c, NR_OF(c))
static void setup(struct sides *s, size_t steps_b, size_t steps_c, const struct activity *b,
                  size_t nr_b, const struct activity *c, size_t nr_c)
{
	*s = (struct sides){ .arena = ARENA_INIT };
	fixture_categories(&s->categories);
	s->run[0] = fixture_run(fixture_digest(steps_b, b, nr_b));
	s->run[1] = fixture_run(fixture_digest(steps_c, c, nr_c));
	begin(s);
}

static void release(struct sides *s)
{
	bench_release(&s->bench);
	run_release(&s->run[0]);
	run_release(&s->run[1]);
	category_table_release(&s->categories);
	arena_release(&s->arena);
}

/* Start the comparison again after the runs have been changed. */
static void again(struct sides *s)
{
	bench_release(&s->bench);
	begin(s);
}

static struct breakdown *breakdown(struct sides *s, enum metric_id id, const char *label,
                                   int64_t change)
{
	struct breakdown_query q = { .metric = &metric_table[id],
		                         .label = span_of(label),
		                         .change = change };
	return breakdown_of(&s->bench, &s->bench.pairs, &q, &s->arena);
}

static const struct activity before[] = {
	{ EVENT_KERNEL, "gemm_a", 30, MS(300) },   { EVENT_KERNEL, "gemm_b", 3, MS(30) },
	{ EVENT_KERNEL, "elem", 7, 1000003 },      { EVENT_KERNEL, "nccl_sum", 3, MS(9) },
	{ EVENT_KERNEL, "copy_kernel", 3, MS(3) }, { EVENT_KERNEL, "odd", 3, 10 },
	{ EVENT_MEMCPY, "Memcpy HtoD", 3, MS(6) }, { EVENT_MEMSET, "Memset", 3, 100 },
};
static const struct activity after[] = {
	{ EVENT_KERNEL, "gemm_a", 48, MS(600) },    { EVENT_KERNEL, "gemm_c", 8, MS(20) },
	{ EVENT_KERNEL, "elem", 9, 1700001 },       { EVENT_KERNEL, "nccl_sum", 4, MS(8) },
	{ EVENT_KERNEL, "copy_kernel", 4, MS(4) },  { EVENT_KERNEL, "odd", 4, 10 },
	{ EVENT_MEMCPY, "Memcpy HtoD", 4, MS(12) }, { EVENT_MEMSET, "Memset", 4, 101 },
};

static void test_cuda_time(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	struct breakdown *b = breakdown(&s, METRIC_STEP_CUDA_TIME, "", MS(47));
	assert_adds_up(b);
	/* gemm_a changes from 10 launches of 10 ms to 12 of 12.5 ms */
	assert_int_equal(part(b, 2, "gemm_a")->change, MS(50));
	assert_string_equal(part(b, 2, "gemm_a")->text, "+50.00 ms");
	assert_string_equal(part(b, 2, "gemm_a")->detail, "launches 10 → 12");
	assert_int_equal(part(b, 3, "launches")->change, MS(20));
	assert_int_equal(part(b, 3, "mean")->change, MS(30));
	assert_string_equal(part(b, 2, "gemm_b")->detail, "gone");
	assert_string_equal(part(b, 2, "gemm_c")->detail, "new");
	assert_int_equal(part(b, 1, "GEMM")->change, MS(45));
	assert_int_equal(part(b, 0, "communication")->change, -MS(1));
	assert_string_equal(part(b, 2, "Memcpy HtoD")->detail, "mean 2.000 ms → 3.000 ms");
	assert_int_equal(part(b, 1, "memcpy")->change, MS(1));
	assert_null(part(b, 2, "copy_kernel")); /* the breakdown lists no unchanged kernel */
	assert_non_null(part(b, 0, "not attributed"));
	assert_string_equal(b->parts.v[0].label, "compute"); /* the largest part comes first */
	vec_release(&b->parts);
	release(&s);
}

/* Each metric has the parts that belong to it and no others. Here the change of the mean is broken
 * down, so that nothing remains for the row "median − mean". */
static void test_parts_of_each_metric(void **state)
{
	(void)state;
	static const enum metric_id ids[] = { METRIC_STEP_CUDA_TIME,    METRIC_STEP_KERNEL_TIME,
		                                  METRIC_STEP_MEMCPY_TIME,  METRIC_STEP_MEMSET_TIME,
		                                  METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME };
	struct sides s;
	SETUP(&s, before, after);
	for (size_t i = 0; i < NR_OF(ids); i++) {
		const struct digest *x = s.run[0].ranks.v[0], *y = s.run[1].ranks.v[0];
		int64_t change = stat_of(STAT_MEAN, y->samples[ids[i]], y->nr_steps) -
		                 stat_of(STAT_MEAN, x->samples[ids[i]], x->nr_steps);
		struct breakdown *b = breakdown(&s, ids[i], "", change);
		assert_adds_up(b);
		if (part(b, 0, "not attributed"))
			fail_msg("%s: %lld are left over", metric_table[ids[i]].name,
			         (long long)part(b, 0, "not attributed")->change);
		vec_release(&b->parts);
		/* a remainder of 1 ns is rounding; a larger remainder gets a row */
		for (int off = -2; off <= 2; off++) {
			b = breakdown(&s, ids[i], "", change + off);
			assert_adds_up(b);
			if (off != 0 && off * off < 4)
				assert_null(part(b, 0, "not attributed"));
			vec_release(&b->parts);
		}
	}
	release(&s);
}

static void test_kernel_and_category(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	struct breakdown *b = breakdown(&s, METRIC_KERNEL_TIME, "gemm_a", MS(50));
	assert_adds_up(b);
	assert_int_equal(b->parts.nr, 2);
	assert_int_equal(part(b, 0, "launches")->change, MS(20));
	assert_int_equal(part(b, 0, "mean")->change, MS(30));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_CATEGORY_TIME, "GEMM", MS(45));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "gemm_a")->change, MS(50));
	assert_int_equal(part(b, 1, "launches")->change, MS(20));
	assert_null(part(b, 0, "elem"));
	vec_release(&b->parts);
	/* a share of kernel time is a ratio: a change of it has no parts */
	assert_null(breakdown(&s, METRIC_KERNEL_SHARE_PCT, "gemm_a", PERCENT(1)));
	release(&s);
}

static void test_renamed(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_old", 3, MS(30) } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm_new", 4, MS(41) } };
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_CUDA_TIME, "", 250000);
	assert_adds_up(x);
	assert_null(part(x, 2, "gemm_old"));
	assert_string_equal(part(x, 2, "gemm_new")->detail, "renamed from 'gemm_old'");
	assert_int_equal(part(x, 2, "gemm_new")->change, 250000);
	vec_release(&x->parts);
	x = breakdown(&s, METRIC_STEP_KERNEL_COUNT, "", 0);
	assert_adds_up(x);
	assert_int_equal(x->parts.nr, 0); /* the renamed kernel runs as often as before */
	vec_release(&x->parts);
	x = breakdown(&s, METRIC_KERNEL_TIME, "gemm_new", 10250000);
	assert_adds_up(x);
	vec_release(&x->parts);
	release(&s);
}

static void test_counts_and_bytes(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	/* launches of four kernels change from 10 + 1 + 7/3 + 4 to 12 + 2 + 9/4 + 4 */
	struct breakdown *b = breakdown(&s, METRIC_STEP_KERNEL_COUNT, "", 3);
	assert_adds_up(b);
	assert_int_equal(part(b, 2, "gemm_a")->change, 2);
	assert_string_equal(part(b, 2, "gemm_a")->detail, "launches 10 → 12");
	assert_string_equal(part(b, 2, "gemm_a")->text, "+2");
	assert_null(part(b, 3, "launches"));
	vec_release(&b->parts);
	for (size_t i = 0; i < s.bench.pairs.list.nr; i++) {
		struct activity_pair *p = &s.bench.pairs.list.v[i];
		p->bytes[SIDE_BASELINE] = p->kind == EVENT_MEMCPY ? 3000 : 0;
		p->bytes[SIDE_CANDIDATE] = p->kind == EVENT_MEMCPY ? 8000 : 0;
	}
	b = breakdown(&s, METRIC_STEP_MEMCPY_BYTES, "", 1005);
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "Memcpy HtoD")->change, 1000);
	assert_string_equal(part(b, 0, "Memcpy HtoD")->detail, "1,000 B → 1.95 KiB per step");
	assert_int_equal(part(b, 0, "not attributed")->change, 5);
	vec_release(&b->parts);
	release(&s);
}

/* A change of wall time is broken down by the work in it, a change of synchronization time by the
   calls. Further rows show how much of the change the baseline's later runs have already, and what
   is left over because medians are compared. A change of the host time of a step has no rows. */
static void test_step_terms(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = s.run[side].ranks.v[0];
		for (int64_t i = 0; i < d->usable_steps; i++) {
			d->samples[METRIC_STEP_SYNC_COUNT][i] = side ? 6 : 4;
			d->samples[METRIC_STEP_SYNC_TIME][i] = side ? MS(12) : MS(4);
			d->samples[METRIC_STEP_BUSY_TIME][i] = side ? MS(9) : MS(5);
			d->samples[METRIC_STEP_EXPOSED_COMM_TIME][i] = side ? MS(3) : MS(2);
			d->samples[METRIC_STEP_COMM_TIME][i] = side ? MS(5) : MS(7);
			d->samples[METRIC_STEP_IDLE_TIME][i] = side ? MS(2) : MS(1);
			d->samples[METRIC_STEP_PERIOD][i] = side ? MS(11) : MS(6);
			d->samples[METRIC_STEP_PERIOD_COMPUTE][i] = side ? MS(6) : MS(3);
			d->samples[METRIC_STEP_PERIOD_EXPOSED_COMM][i] = side ? MS(3) : MS(2);
		}
	}
	struct breakdown_query q = { .metric = &metric_table[METRIC_STEP_PERIOD],
		                         .label = SPAN(""),
		                         .change = MS(7),
		                         .later = MS(1) };
	struct breakdown *b = breakdown_of(&s.bench, &s.bench.pairs, &q, &s.arena);
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "compute")->change, MS(3));
	assert_int_equal(part(b, 0, "exposed communication")->change, MS(1));
	assert_null(part(b, 0, "exposed memory operations"));
	assert_int_equal(part(b, 0, "idle GPU")->change, MS(1));
	assert_int_equal(part(b, 0, "main's run less main's median")->change, MS(1));
	assert_int_equal(part(b, 0, "not attributed")->change, MS(1));
	vec_release(&b->parts);
	q.metric = &metric_table[METRIC_STEP_TIME];
	assert_null(breakdown_of(&s.bench, &s.bench.pairs, &q, &s.arena));
	b = breakdown(&s, METRIC_STEP_SYNC_TIME, "", MS(8));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "number of calls")->change, MS(2));
	assert_int_equal(part(b, 0, "mean duration of a call")->change, MS(6));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_STEP_BUSY_TIME, "", MS(4));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "compute and memory operations")->change, MS(3));
	assert_int_equal(part(b, 0, "exposed communication")->change, MS(1));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_STEP_EXPOSED_COMM_TIME, "", MS(1));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "communication kernels")->change, -MS(2));
	assert_int_equal(part(b, 0, "hidden by compute kernels or by each other")->change, MS(3));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_STEP_IDLE_TIME, "", MS(1));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "from step to step")->change, MS(5));
	assert_int_equal(part(b, 0, "GPU busy")->change, -MS(4));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_STEP_PERIOD, "", MS(5));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "compute")->change, MS(3));
	assert_int_equal(part(b, 0, "exposed communication")->change, MS(1));
	assert_int_equal(part(b, 0, "idle GPU")->change, MS(1));
	vec_release(&b->parts);
	release(&s);
}

/* A change of the time in launches, synchronization or data loading is broken down by the names of
   the calls, if the digest has calls that add up to this time. */
static void test_calls_by_name(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		enum call_kind kind;
	} rows[] = { { METRIC_STEP_LAUNCH_TIME, CALL_LAUNCH },
		         { METRIC_STEP_SYNC_TIME, CALL_SYNC },
		         { METRIC_STEP_DATALOADER_TIME, CALL_DATALOADER } };
	struct sides s;
	SETUP(&s, before, after);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = s.run[side].ranks.v[0];
		int64_t steps = d->usable_steps;
		for (size_t k = 0; k < NR_OF(rows); k++) {
			for (int64_t i = 0; i < steps; i++)
				d->samples[rows[k].metric][i] = side ? MS(15) : MS(4);
			vec_push(&d->calls, (struct call_stat){ rows[k].kind, SPAN("a"), steps * (side ? 6 : 4),
			                                        steps * (side ? MS(12) : MS(4)), 0 });
			if (side)
				vec_push(&d->calls,
				         (struct call_stat){ rows[k].kind, SPAN("b"), steps, steps * MS(3), 0 });
		}
		for (int64_t i = 0; i < steps; i++)
			d->samples[METRIC_STEP_SYNC_COUNT][i] = side ? 7 : 4;
	}
	for (size_t k = 0; k < NR_OF(rows); k++) {
		struct breakdown *b = breakdown(&s, rows[k].metric, "", MS(11));
		assert_adds_up(b);
		assert_int_equal(part(b, 0, "a")->change, MS(8));
		assert_int_equal(part(b, 1, "number of calls")->change, MS(2));
		assert_string_equal(part(b, 1, "number of calls")->detail, "4 → 6 per step");
		assert_string_equal(part(b, 1, "mean duration of a call")->detail, "1.000 ms → 2.000 ms");
		assert_string_equal(part(b, 0, "b")->detail, "new");
		vec_release(&b->parts);
	}
	struct breakdown *b = breakdown(&s, METRIC_STEP_SYNC_COUNT, "", 3);
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "a")->change, 2);
	assert_int_equal(part(b, 0, "b")->change, 1);
	vec_release(&b->parts);
	s.run[0].ranks.v[0]->calls.nr = 0; /* like an older baseline, which has no list of host calls */
	assert_null(breakdown(&s, METRIC_STEP_LAUNCH_TIME, "", MS(11)));
	b = breakdown(&s, METRIC_STEP_SYNC_TIME, "", MS(11));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "number of calls")->change, MS(3));
	vec_release(&b->parts);
	release(&s);
}

/* Breakdowns of the span of a step, and of the times of a device, of a kernel and of a thread. */
static void test_made_of(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = s.run[side].ranks.v[0];
		for (int64_t i = 0; i < d->usable_steps; i++) {
			d->samples[METRIC_STEP_SPAN][i] = side ? MS(14) : MS(8);
			d->samples[METRIC_STEP_BUSY_TIME][i] = side ? MS(9) : MS(5);
			d->samples[METRIC_STEP_EXPOSED_COMM_TIME][i] = side ? MS(3) : MS(2);
		}
		vec_push(&d->devices, (struct device_stat){ .id = "0",
		                                            .span_ns = side ? MS(50) : MS(40),
		                                            .busy_ns = side ? MS(33) : MS(30),
		                                            .compute_ns = MS(20),
		                                            .comm_ns = side ? MS(10) : MS(8),
		                                            .overlap_ns = side ? MS(1) : MS(2) });
		vec_push(&d->threads,
		         (struct thread_stat){ "1/2", side ? MS(9) : MS(5), 0, side ? MS(6) : MS(4) });
	}
	again(&s);
	static const struct {
		enum metric_id metric;
		const char *label;
		int64_t change;
		const char *part;
		int64_t of_part;
		size_t parts;
	} rows[] = {
		{ METRIC_STEP_SPAN, "", MS(6), "gaps", MS(2), 3 },
		{ METRIC_WINDOW_BUSY_TIME, "", MS(3), "exposed communication", MS(3), 1 },
		{ METRIC_WINDOW_NON_COMPUTE_TIME, "0", MS(3), "exposed communication", MS(3), 1 },
		{ METRIC_WINDOW_IDLE_TIME, "0", MS(7), "GPU busy", -MS(3), 2 },
		{ METRIC_WINDOW_COMPUTE_TIME, "", 0, "only communication or memory operations", -MS(3), 2 },
		{ METRIC_THREAD_TIME, "1/2", MS(4), "operators", MS(2), 2 },
		/* in the fixture, all launches are as long as the longest one */
		{ METRIC_KERNEL_MEAN, "gemm_a", 2500000, "the longest launch", 2500000, 1 },
		{ METRIC_KERNEL_MAX, "gemm_a", MS(300), "mean of the launches", 2500000, 2 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct breakdown *b = breakdown(&s, rows[i].metric, rows[i].label, rows[i].change);
		assert_non_null(b);
		assert_adds_up(b);
		assert_int_equal(b->parts.nr, rows[i].parts);
		assert_int_equal(part(b, 0, rows[i].part)->change, rows[i].of_part);
		vec_release(&b->parts);
	}
	s.run[0].ranks.v[0]->threads.v[0].op_ns = -1;
	assert_null(breakdown(&s, METRIC_THREAD_TIME, "1/2", MS(4)));
	/* With another device id on the baseline's side, the label selects no device there. */
	s.run[0].ranks.v[0]->devices.v[0].id = "1";
	struct breakdown *b = breakdown(&s, METRIC_WINDOW_BUSY_TIME, "1", MS(3));
	assert_adds_up(b);
	vec_release(&b->parts);
	release(&s);
}

/* The time of an operator or collective breaks down into number of calls and mean duration. */
static void test_calls(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = s.run[side].ranks.v[0];
		int64_t steps = d->usable_steps;
		const struct comm_stat sum = { .kind = COLLECTIVE_ALL_REDUCE,
			                           .group = SPAN("dp"),
			                           .count = steps * (side ? 4 : 2),
			                           .total_ns = steps * MS(side ? 10 : 4) };
		struct comm_stat other = sum; /* same label, since labels leave out the element type */
		other.dtype = SPAN("Half");
		vec_push(&d->comms, sum);
		vec_push(&d->comms, other);
		vec_push(&d->ops, (struct op_stat){ .name = SPAN("aten::mm"),
		                                    .count = steps,
		                                    .total_ns = steps * MS(side ? 5 : 3),
		                                    .self_ns = steps * MS(side ? 2 : 1) });
	}
	static const struct {
		enum metric_id metric;
		const char *label;
		int64_t change, calls, mean;
	} rows[] = {
		{ METRIC_COMM_TIME, "all_reduce@dp", 12, 8, 4 },
		{ METRIC_OP_TIME, "aten::mm", 2, 0, 2 },
		{ METRIC_OP_SELF_TIME, "aten::mm", 1, 0, 1 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct breakdown *b = breakdown(&s, rows[i].metric, rows[i].label, MS(rows[i].change));
		assert_adds_up(b);
		assert_int_equal(b->parts.nr, rows[i].calls ? 2 : 1);
		if (rows[i].calls)
			assert_int_equal(part(b, 0, "number of calls")->change, MS(rows[i].calls));
		assert_int_equal(part(b, 0, "mean duration of a call")->change, MS(rows[i].mean));
		vec_release(&b->parts);
	}
	release(&s);
}

/* A change of a single rank is broken down by its activities. */
static void test_scope(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, before);
	bench_release(&s.bench);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = side ? fixture_digest(4, after, NR_OF(after))
		                        : fixture_digest(3, before, NR_OF(before));
		d->rank = 7;
		for (int64_t i = 0; i < d->usable_steps; i++)
			d->samples[METRIC_STEP_BUSY_TIME][i] = side ? MS(9) : MS(5);
		vec_push(&s.run[side].ranks, d);
	}
	begin(&s);
	static const struct rank_scope scopes[] = { { .one = true, .rank = 7 }, { .glob = "7*" } };
	for (size_t i = 0; i < NR_OF(scopes); i++) {
		struct activity_pairs pairs;
		struct breakdown_query q = { .metric = &metric_table[METRIC_KERNEL_TIME],
			                         .label = SPAN("gemm_a"),
			                         .change = MS(50),
			                         .ranks = scopes[i] };
		activity_pairs_init(&pairs, &s.bench.view[0], &s.bench.view[1], 1, scopes[i]);
		struct breakdown *b = breakdown_of(&s.bench, &pairs, &q, &s.arena);
		assert_adds_up(b);
		assert_int_equal(b->parts.nr, 2);
		assert_int_equal(part(b, 0, "launches")->change, MS(20));
		assert_int_equal(part(b, 0, "mean")->change, MS(30));
		vec_release(&b->parts);
		q.metric = &metric_table[METRIC_STEP_BUSY_TIME];
		q.label = SPAN("");
		q.change = MS(4);
		b = breakdown_of(&s.bench, &pairs, &q, &s.arena);
		assert_adds_up(b);
		assert_int_equal(part(b, 0, "compute and memory operations")->change, MS(4));
		vec_release(&b->parts);
		vec_release(&pairs.list);
	}
	release(&s);
}

/* A metric without other parts is broken down by rank, if both sides have the same ranks. */
static void test_ranks(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	bench_release(&s.bench);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = fixture_digest(2, before, NR_OF(before));
		d->rank = 7;
		vec_push(&s.run[side].ranks, d);
		for (size_t r = 0; r < 2; r++)
			for (int64_t i = 0; i < s.run[side].ranks.v[r]->usable_steps; i++)
				s.run[side].ranks.v[r]->samples[METRIC_STEP_PERIOD][i] =
				    s.run[side].ranks.v[r]->samples[METRIC_STEP_IDLE_TIME][i] =
				        side && r ? MS(30) : MS(10);
	}
	begin(&s);
	struct breakdown *b = breakdown(&s, METRIC_STEP_IDLE_TIME, "", MS(10));
	assert_adds_up(b);
	assert_string_equal(b->title, "step.idle_time by rank, shares of the mean over 2 ranks");
	assert_int_equal(part(b, 0, "rank 7")->change, MS(10));
	assert_null(part(b, 0, "rank 0"));
	vec_release(&b->parts);
	for (int side = 0; side < NR_SIDES; side++)
		for (size_t r = 0; r < 2; r++)
			s.run[side].ranks.v[r]->cross = (struct cross_rank){
				.known = true, .matched = 1, .steps = 2, .transfer_ns = side && r ? MS(9) : MS(3)
			};
	again(&s);
	b = breakdown(&s, METRIC_COMM_TRANSFER_TIME, "", MS(2));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "rank 7")->change, MS(3) / 2);
	assert_int_equal(part(b, 0, "not attributed")->change, MS(1) / 2);
	vec_release(&b->parts);
	/* the sides have different ranks, so there is no breakdown by rank */
	s.run[1].ranks.v[1]->rank = 8;
	b = breakdown(&s, METRIC_STEP_IDLE_TIME, "", MS(10));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "from step to step")->change, 6666667);
	vec_release(&b->parts);
	release(&s);
}

/* A change of the steps that a rank lacks is broken down into the change of the steps that any rank
 * has and the change of the steps that this rank has. */
static void test_missing_steps(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	bench_release(&s.bench);
	for (int side = 0; side < NR_SIDES; side++) {
		struct digest *d = fixture_digest(side ? 2 : 3, before, NR_OF(before));
		d->rank = 7;
		d->cross = (struct cross_rank){ .known = true, .missing_steps = side ? 2 : 0 };
		s.run[side].ranks.v[0]->cross = (struct cross_rank){ .known = true };
		vec_push(&s.run[side].ranks, d);
	}
	begin(&s);
	struct breakdown *b = breakdown(&s, METRIC_RANK_MISSING_STEPS, "", 2);
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "steps that some rank has")->change, 1);
	assert_string_equal(part(b, 0, "steps that some rank has")->detail,
	                    "3 → 4, of which rank 7 has 2");
	assert_int_equal(part(b, 0, "steps that the rank has")->change, 1);
	vec_release(&b->parts);
	/* the same change, but the figure is reduced over ranks in another way */
	b = breakdown(&s, METRIC_RANK_MISSING_STEPS, "", 1);
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "other ranks or runs")->change, -1);
	vec_release(&b->parts);
	release(&s);
}

static void test_fold(void **state)
{
	(void)state;
	struct activity b[25], c[25];
	char names[25][16];
	for (int i = 0; i < 25; i++) {
		snprintf(names[i], sizeof names[i], "gemm%02d", i);
		b[i] = (struct activity){ EVENT_KERNEL, names[i], 3, MS(30) };
		c[i] = (struct activity){ EVENT_KERNEL, names[i], 4, MS(40) + (i < 20 ? 4000 * i : 0) };
	}
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", 190000);
	assert_adds_up(x);
	assert_null(part(x, 2, "gemm14"));
	assert_non_null(part(x, 2, "gemm15"));
	assert_int_equal(part(x, 2, "14 other kernels")->change, 105000); /* sum of 1, 2, …, 14 µs */
	vec_release(&x->parts);
	release(&s);
}

/* A category with less than 1 % of the change is added to the row of small parts. */
static void test_fold_categories(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_a", 3, MS(30) },
		                          { EVENT_KERNEL, "elem", 3, MS(30) } };
	struct activity c[] = { { EVENT_KERNEL, "gemm_a", 4, MS(80) },
		                    { EVENT_KERNEL, "elem", 4, MS(40) + 4 } };
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(10));
	assert_adds_up(x);
	assert_non_null(part(x, 1, "GEMM"));
	assert_int_equal(part(x, 1, "1 other category")->change, 1);
	vec_release(&x->parts);
	release(&s);
	c[1].total_ns = MS(48);
	SETUP(&s, b, c);
	x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(12));
	assert_adds_up(x);
	assert_null(part(x, 1, "1 other category"));
	vec_release(&x->parts);
	release(&s);
}

/* A digest of `kernels` with a sum of two more that are too small to be listed. */
static struct digest *with_small(const struct activity *kernels, size_t nr)
{
	struct digest *d = fixture_digest(2, kernels, nr);
	vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL,
	                                            .name = SPAN("elementwise"),
	                                            .step_count = 4,
	                                            .step_total_ns = MS(3),
	                                            .occupancy = -1,
	                                            .names = 2,
	                                            .largest_ns = MS(2) });
	return d;
}

/* A kernel that a side may have in its sum of small kernels is not reported as gone or new, nor as
 * launched less often because some ranks have it in a sum. */
static void test_may_be_small(void **state)
{
	(void)state;
	const struct activity x[] = { { EVENT_KERNEL, "gemm_a", 2, MS(100) },
		                          { EVENT_KERNEL, "small", 2, MS(2) } };
	const struct activity y[] = { { EVENT_KERNEL, "gemm_a", 2, MS(110) } };
	static const struct {
		bool small[NR_SIDES], ranks;
		const char *detail, *sum;
	} rows[] = {
		{ { false, true },
		  false,
		  "gone, or among the smaller kernels of the candidate",
		  "none in the baseline" },
		{ { true, false },
		  false,
		  "new, or among the smaller kernels of the baseline",
		  "none in the candidate" },
		{ { false, true },
		  true,
		  "perhaps among the smaller kernels of some runs or ranks",
		  "none in the baseline" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct sides s;
		SETUP(&s, x, x);
		bench_release(&s.bench);
		for (int side = 0; side < NR_SIDES; side++) {
			run_release(&s.run[side]);
			s.run[side] =
			    fixture_run(rows[i].small[side] ? with_small(y, 1) : fixture_digest(2, x, 2));
			if (!rows[i].ranks)
				continue;
			struct digest *second = fixture_digest(2, x, 2);
			second->rank = 1;
			vec_push(&s.run[side].ranks, second);
		}
		begin(&s);
		struct breakdown *b = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(5));
		assert_adds_up(b);
		assert_string_equal(part(b, 2, "small")->detail, rows[i].detail);
		assert_null(part(b, 3, "launches"));
		assert_string_equal(part(b, 2, "smaller kernels: elementwise")->detail, rows[i].sum);
		vec_release(&b->parts);
		release(&s);
	}
}

/* Small parts whose changes cancel out have no row. */
static void test_fold_to_nothing(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_a", 3, MS(30) },
		                          { EVENT_KERNEL, "gemm_b", 3, 3000 },
		                          { EVENT_KERNEL, "gemm_c", 3, 6000 } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm_a", 4, MS(80) },
		                          { EVENT_KERNEL, "gemm_b", 4, 8000 },
		                          { EVENT_KERNEL, "gemm_c", 4, 4000 } };
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(10));
	assert_adds_up(x);
	assert_int_equal(x->parts.nr, 3);
	vec_release(&x->parts);
	release(&s);
}

static void test_no_steps(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	s.bench.pairs.steps[SIDE_CANDIDATE] = 0;
	struct breakdown *b = breakdown(&s, METRIC_STEP_CUDA_TIME, "", 5);
	assert_adds_up(b);
	assert_int_equal(b->parts.nr, 1);
	vec_release(&b->parts);
	release(&s);
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* For random activities and a random change, the parts of the breakdown add up to the change. */
static void test_random(void **state)
{
	(void)state;
	static const char *const names[] = { "gemm_a", "gemm_b", "gemm_c", "elem",
		                                 "nccl_x", "odd",    "copy" };
	uint64_t seed = 1;
	for (int round = 0; round < 300; round++) {
		struct activity side[2][14];
		size_t nr[2] = { 0, 0 };
		for (int k = 0; k < 14; k++)
			for (int i = 0; i < 2; i++)
				if (next(&seed) % 3)
					side[i][nr[i]++] =
					    (struct activity){ k < 7 ? EVENT_KERNEL : EVENT_MEMCPY, names[k % 7],
						                   (int64_t)(next(&seed) % 20) + 1,
						                   (int64_t)(next(&seed) % 100000000) };
		struct sides s;
		setup(&s, next(&seed) % 7 + 1, next(&seed) % 7 + 1, side[0], nr[0], side[1], nr[1]);
		struct breakdown *b =
		    breakdown(&s, METRIC_STEP_CUDA_TIME, "", (int64_t)(next(&seed) % 1000000));
		assert_adds_up(b);
		vec_release(&b->parts);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuda_time),
		cmocka_unit_test(test_parts_of_each_metric),
		cmocka_unit_test(test_kernel_and_category),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_counts_and_bytes),
		cmocka_unit_test(test_step_terms),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_calls_by_name),
		cmocka_unit_test(test_made_of),
		cmocka_unit_test(test_missing_steps),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_fold_categories),
		cmocka_unit_test(test_may_be_small),
		cmocka_unit_test(test_fold_to_nothing),
		cmocka_unit_test(test_no_steps),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

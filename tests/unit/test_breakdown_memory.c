#include "diff/breakdown_of.h"

#include "breakdown_sums.h"
#include "diff/breakdown.h"
#include "memory_fixture.h"

struct sides {
	struct category_table categories;
	struct run run[NR_SIDES];
	struct bench bench;
	struct report report;
	struct query query;
	const char *where;
};

/* Set up a query for metric `id`; the digests are in the runs already. */
static void start(struct sides *s, enum metric_id id)
{
	const struct metric *m = &metric_table[id];
	fixture_categories(&s->categories);
	report_init(&s->report);
	bench_init(&s->bench,
	           &(struct bench_runs){
	               .baseline = &s->run[0], .candidates = &s->run[1], .nr_candidates = 1 },
	           (struct naming){ .exact = true, .categories = &s->categories });
	s->query = (struct query){ .metric = m, .reduce = m->reduce };
}

static void stop(struct sides *s)
{
	bench_release(&s->bench);
	run_release(&s->run[0]);
	run_release(&s->run[1]);
	report_release(&s->report);
	category_table_release(&s->categories);
}

/* The breakdown of the only entry that the query finds; the report owns it. */
static struct breakdown *breakdown(struct sides *s)
{
	struct entries e;
	bench_query(&s->bench, &s->query, &e);
	assert_int_equal(e.list.nr, 1);
	struct breakdown *b =
	    breakdown_of_memory(&s->bench, &s->query, &e.list.v[0], e.list.v[0].value[SIDE_BASELINE],
	                        &s->report.arena, &s->where);
	vec_release(&e.list);
	if (b)
		vec_push(&s->report.breakdowns, b);
	return b;
}

static void test_peak(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", MIB(100), 0), *c = memory_digest(0, "0", MIB(131), 0);
	memory_add(b, MEMORY_LIST_PEAK, "attention", "attend", 10, MIB(40), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(30), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "forward", 30, MIB(10), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "old", 5, MIB(1), 0);
	memory_add(b, MEMORY_LIST_PEAK, "before recording", NULL, 0, MIB(19), 0);
	/* the site has a new line number on the candidate's side */
	memory_add(c, MEMORY_LIST_PEAK, "attention", "attend", 12, MIB(60), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 22, MIB(35), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 32, MIB(15), 0);
	memory_add(c, MEMORY_LIST_PEAK, "loss", "entropy", 3, MIB(2), 0);
	memory_add(c, MEMORY_LIST_PEAK, "before recording", NULL, 0, MIB(19), 0);
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	start(&s, METRIC_MEMORY_PEAK_ALLOCATED);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_string_equal(x->title, "memory.peak_allocated of memory 0 by category and site");
	assert_string_equal(x->parts.v[0].label, "attention");
	assert_int_equal(part(x, 1, "t/train.py:attend")->change, MIB(20));
	assert_string_equal(part(x, 1, "t/train.py:attend")->detail,
	                    "line 10 → 12, 40.00 MiB → 60.00 MiB");
	assert_int_equal(part(x, 1, "t/train.py:forward")->change, MIB(10));
	assert_int_equal(part(x, 2, "line 20 → 22")->change, MIB(5));
	assert_string_equal(part(x, 1, "t/train.py:old")->detail, "line 5, gone");
	assert_string_equal(part(x, 1, "t/train.py:entropy")->detail, "line 3, new");
	assert_null(part(x, 0, "before recording")); /* an unchanged part is left out */
	assert_null(part(x, 0, "not in the lists of sites"));
	assert_string_equal(s.where, "most of it at t/train.py:attend");
	stop(&s);
}

/* If one side has more lines of a function, lines with equal numbers are paired. */
static void test_lines(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", MIB(30), 0), *c = memory_digest(0, "0", MIB(60), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(10), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "forward", 30, MIB(20), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(11), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 25, MIB(30), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 30, MIB(19), 0);
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	start(&s, METRIC_MEMORY_PEAK_ALLOCATED);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_string_equal(part(x, 2, "line 25")->detail, "new");
	assert_int_equal(part(x, 2, "line 20")->change, MIB(1));
	assert_int_equal(part(x, 2, "line 30")->change, -MIB(1));
	stop(&s);
}

static void test_growth(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", 9, 0), *c = memory_digest(0, "0", 9, 0);
	b->memories.v[0].growth_per_step = 0;
	c->memories.v[0].growth_per_step = MIB(8) + 100;
	memory_add(b, MEMORY_LIST_GROWTH, "data", "load", 9, 4000, 4);
	memory_add(c, MEMORY_LIST_GROWTH, "other", "remember", 27, MIB(64), 8);
	memory_add(c, MEMORY_LIST_GROWTH, "data", "load", 9, 16000, 2);
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	start(&s, METRIC_MEMORY_GROWTH_PER_STEP);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 1, "t/train.py:remember")->change, MIB(8));
	assert_int_equal(part(x, 0, "1 other category")->change, 1000);
	assert_int_equal(part(x, 0, "sites that do not grow, not attributed")->change, -900);
	assert_string_equal(s.where, "most of it at t/train.py:remember");
	stop(&s);
}

static void test_reserved(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", MIB(100), 0), *c = memory_digest(0, "0", MIB(110), 0);
	memory_add(b, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(100), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(109), 0);
	c->memories.v[0].reserved_at_peak = MIB(140);
	c->memories.v[0].peak_reserved = MIB(150);
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	start(&s, METRIC_MEMORY_PEAK_RESERVED);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 0, "allocated at its peak")->change, MIB(10));
	assert_int_equal(part(x, 2, "t/train.py:forward")->change, MIB(9));
	assert_int_equal(part(x, 1, "not in the lists of sites")->change, MIB(1));
	assert_int_equal(part(x, 0, "not in use at that moment")->change, MIB(30));
	assert_int_equal(part(x, 0, "reserved at another moment")->change, MIB(10));
	assert_string_equal(s.where, "most of it not in use");
	stop(&s);
}

static void test_fragmentation(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", 9, MIB(100)), *c = memory_digest(0, "0", 9, MIB(90));
	b->memories.v[0].end_reserved = MIB(125); /* 20 % fragmentation of reserved memory */
	/* 40 % fragmentation; with 100 MiB allocated, it would be 33 1/3 % */
	c->memories.v[0].end_reserved = MIB(150);
	memory_add(b, MEMORY_LIST_END, "other", "keep", 20, MIB(100), 0);
	memory_add(c, MEMORY_LIST_END, "other", "keep", 20, MIB(80), 0);
	memory_add(c, MEMORY_LIST_END, "other", "add", 20, MIB(10), 0);
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	start(&s, METRIC_MEMORY_FRAGMENTATION_PCT);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 0, "reserved")->change, 13333333);
	assert_int_equal(part(x, 0, "allocated")->change, 6666667);
	assert_string_equal(part(x, 0, "reserved")->detail, "125.00 MiB → 150.00 MiB");
	assert_string_equal(s.where, "what is allocated then grew most at t/train.py:add");
	memory_add(c, MEMORY_LIST_PINNED, "other", "log", 7, 512, MIB(6));
	breakdown(&s);
	assert_string_equal(s.where,
	                    "at the end 6.00 MiB of it held apart by blocks of t/train.py:log");
	/* 1 byte less than a tenth of 60 MiB: the blocks are then not named as the cause */
	c->memory_items.v[2].other = MIB(6) - 1;
	breakdown(&s);
	assert_string_equal(s.where, "what is allocated then grew most at t/train.py:add");
	stop(&s);
}

/* Several ranks and memories: the memory with the largest value of each side is compared. */
static void test_which_memory(void **state)
{
	(void)state;
	struct sides s = { 0 };
	for (int side = 0; side < NR_SIDES; side++)
		for (int64_t rank = 0; rank < 3; rank++) {
			int64_t peak = MIB(rank == 1 + side ? 50 + 10 * side : 40);
			struct digest *d = memory_digest(rank, "0", peak, MIB(7));
			memory_add(d, MEMORY_LIST_PEAK, "linear", rank == 2 ? "second" : "first", 1, peak, 0);
			vec_push(&s.run[side].ranks, d);
		}
	start(&s, METRIC_MEMORY_PEAK_ALLOCATED);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_string_equal(x->memory,
	                    "memory 0 of rank 1 (baseline) and memory 0 of rank 2 (candidate)");
	assert_string_equal(part(x, 1, "t/train.py:first")->detail, "line 1, gone");
	assert_string_equal(s.where, "most of it at t/train.py:second");
	s.query.rank = "2";
	x = breakdown(&s);
	assert_string_equal(x->memory, "memory 0 of rank 2");
	assert_int_equal(part(x, 1, "t/train.py:second")->change, MIB(20));
	s.query.rank = NULL;
	s.query.reduce = REDUCE_MEAN; /* a mean over several devices belongs to none of them, and is not
	                                 broken down */
	assert_null(breakdown(&s));
	assert_null(s.where);
	stop(&s);
}

/* Among several candidate runs, the run nearest to their median is compared with the pin. Two
 * further rows complete the sum: from the pin to the baseline's recent runs, and from that run to
 * the median. */
static void test_other_runs(void **state)
{
	(void)state;
	static const int64_t peaks[] = { 100, 60, 71 };
	struct category_table categories;
	struct arena a = ARENA_INIT;
	struct run pin = fixture_run(memory_digest(0, "0", MIB(50), 0)), candidates[3];
	struct query q = { .metric = &metric_table[METRIC_MEMORY_PEAK_ALLOCATED],
		               .reduce = REDUCE_MAX };
	struct past_value past[2] = { { query_text(&q, &a), SPAN(""), -1, MIB(52), MICRO_DIGITS },
		                          { query_text(&q, &a), SPAN(""), -1, MIB(54), MICRO_DIGITS } };
	struct past_run runs[2] = { { .values = { &past[0], 1, 1 } },
		                        { .values = { &past[1], 1, 1 } } };
	struct history recent = { .runs = { runs, 2, 2 } };
	fixture_categories(&categories);
	memory_add(pin.ranks.v[0], MEMORY_LIST_PEAK, "linear", "forward", 1, MIB(50), 0);
	for (size_t i = 0; i < 3; i++) {
		candidates[i] = fixture_run(memory_digest(0, "0", MIB(peaks[i]), 0));
		memory_add(candidates[i].ranks.v[0], MEMORY_LIST_PEAK, "linear", "forward", 1,
		           MIB(peaks[i]), 0);
	}
	for (size_t nr = 2; nr <= 3; nr++) { /* median of two candidates 80 MiB, of three 71 MiB;
		                                  * baseline 53 MiB */
		struct bench b;
		struct entries e;
		const char *where;
		bench_init(&b,
		           &(struct bench_runs){ .baseline = &pin,
		                                 .recent = &recent,
		                                 .candidates = candidates,
		                                 .nr_candidates = nr },
		           (struct naming){ .exact = true, .categories = &categories });
		b.min_runs = 2;
		bench_query(&b, &q, &e);
		struct breakdown *x =
		    breakdown_of_memory(&b, &q, e.list.v, e.list.v[0].value[SIDE_BASELINE], &a, &where);
		assert_non_null(x);
		assert_adds_up(x);
		assert_int_equal(x->change, nr == 2 ? MIB(80 - 53) : MIB(71 - 53));
		/* 100 MiB and 60 MiB are equally near to 80: the first run counts */
		assert_int_equal(part(x, 0, "linear")->change, nr == 2 ? MIB(50) : MIB(21));
		assert_int_equal(part(x, 0, "main's run less main's median")->change, -MIB(3));
		if (nr == 2)
			assert_int_equal(part(x, 0, "median of the runs − this run")->change, -MIB(20));
		assert_string_equal(where, "most of it at t/train.py:forward");
		vec_release(&x->parts);
		vec_release(&e.list);
		bench_release(&b);
	}
	run_release(&pin);
	for (size_t i = 0; i < 3; i++)
		run_release(&candidates[i]);
	category_table_release(&categories);
	arena_release(&a);
}

/* If one side is a trace, which has no allocation sites, those of the other must not look new. */
static void test_trace(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *b = memory_digest(0, "0", MIB(1), 0), *c = memory_digest(0, "0", MIB(2), 0);
	memory_add(c, MEMORY_LIST_PEAK, "linear", "forward", 20, MIB(2), 0);
	b->memories.v[0].source = MEMORY_OF_TRACE;
	s.run[0] = fixture_run(b);
	s.run[1] = fixture_run(c);
	b->memories.v[0].start_allocated = b->memories.v[0].end_allocated = MIB(1) / 2;
	c->memories.v[0].start_allocated = MIB(1);
	c->memories.v[0].end_allocated = MIB(1) + 512;
	c->memories.v[0].peak_op = "aten::mm";
	start(&s, METRIC_MEMORY_PEAK_ALLOCATED);
	struct breakdown *x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 0, "held before the recording")->change, MIB(1) / 2);
	assert_int_equal(part(x, 0, "taken in it and held at its end")->change, 512);
	assert_string_equal(part(x, 0, "freed between the peak and the end")->detail,
	                    "512.00 KiB → 1,023.50 KiB; aten::mm runs at the peak");
	/* like an older baseline, which lacks the bytes held before the recording */
	b->memories.v[0].start_allocated = MEMORY_UNKNOWN;
	x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 0, "held at the end")->change, MIB(1) / 2 + 512);
	s.query.metric = &metric_table[METRIC_MEMORY_END_ALLOCATED];
	x = breakdown(&s);
	assert_adds_up(x);
	assert_non_null(part(x, 0, "reserved"));
	s.query.metric = &metric_table[METRIC_MEMORY_GROWTH_PER_STEP];
	b->memories.v[0].growth_per_step = c->memories.v[0].growth_per_step = 512;
	assert_null(breakdown(&s));
	b->memories.v[0].end_allocated = c->memories.v[0].end_allocated = 0;
	s.query.metric = &metric_table[METRIC_MEMORY_PEAK_RESERVED];
	c->memories.v[0].peak_reserved = c->memories.v[0].reserved_at_peak = MIB(8);
	b->memories.v[0].peak_reserved = MIB(6);
	b->memories.v[0].reserved_at_peak = MIB(4);
	x = breakdown(&s);
	assert_adds_up(x);
	assert_int_equal(part(x, 0, "allocated at its peak")->change, MIB(1));
	assert_int_equal(part(x, 0, "not in use at that moment")->change, MIB(3));
	assert_int_equal(part(x, 0, "reserved at another moment")->change, -MIB(2));
	assert_int_equal(x->parts.nr, 3);
	stop(&s);
}

static void test_scaling(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct digest *d[] = { memory_digest(0, "0", 9, 0), memory_digest(0, "0", 10, 0) };
	for (int i = 0; i < NR_SIDES; i++) {
		memory_add(d[i], MEMORY_LIST_CATEGORY, "attention", NULL, 0, 5, 0);
		memory_add(d[i], MEMORY_LIST_CATEGORY, i ? "new" : "gone", NULL, 0, 5, 0);
		d[i]->memory_items.v[0].largest = i ? MIB(9) : MIB(4);
		s.run[i] = fixture_run(d[i]);
	}
	start(&s, METRIC_MEMORY_PEAK_ALLOCATED);
	struct entries e;
	bench_query(&s.bench, &s.query, &e);
	memory_scaling(&s.bench, &s.query, &e.list.v[0], &s.report);
	vec_release(&e.list);
	assert_int_equal(s.report.scaling.nr, 1);
	assert_string_equal(s.report.scaling.v[0].category, "attention");
	assert_string_equal(s.report.scaling.v[0].ratio_text, "× 2.25");
	stop(&s);
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void add_random(struct digest *d, enum memory_list list, uint64_t *seed)
{
	static const char *const categories[] = { "linear", "loss", "other" };
	static const char *const functions[] = {
		"forward", "step", "load", "keep", "a", "b", "c", NULL
	};
	for (uint64_t n = next(seed) % 30; n > 0; n--)
		memory_add(d, list, categories[next(seed) % 3], functions[next(seed) % 8],
		           (int64_t)(next(seed) % 4), (int64_t)(next(seed) % 1000000) - 100000,
		           (int64_t)(next(seed) % 9));
}

/* Whatever the change between two random lists is, the parts add up to it. */
static void test_random(void **state)
{
	(void)state;
	static const enum metric_id ids[] = {
		METRIC_MEMORY_PEAK_ALLOCATED,   METRIC_MEMORY_PEAK_RESERVED,
		METRIC_MEMORY_END_ALLOCATED,    METRIC_MEMORY_END_RESERVED,
		METRIC_MEMORY_GROWTH_PER_STEP,  METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT,
		METRIC_MEMORY_FRAGMENTATION_PCT
	};
	uint64_t seed = 7;
	for (int round = 0; round < 400; round++) {
		struct sides s = { 0 };
		for (int i = 0; i < NR_SIDES; i++) {
			struct digest *d = memory_digest(0, "0", (int64_t)(next(&seed) % 9000000),
			                                 (int64_t)(next(&seed) % 9000000));
			struct memory_stat *m = &d->memories.v[0];
			m->peak_reserved = (int64_t)(next(&seed) % 9000000);
			m->reserved_at_peak = (int64_t)(next(&seed) % 9000000);
			m->end_reserved = (int64_t)(next(&seed) % 9000000);
			m->growth_per_step = (int64_t)(next(&seed) % 90000) - 40000;
			add_random(d, MEMORY_LIST_PEAK, &seed);
			add_random(d, MEMORY_LIST_END, &seed);
			add_random(d, MEMORY_LIST_GROWTH, &seed);
			s.run[i] = fixture_run(d);
		}
		start(&s, ids[round % (int)NR_OF(ids)]);
		assert_adds_up(breakdown(&s));
		stop(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak),          cmocka_unit_test(test_lines),
		cmocka_unit_test(test_growth),        cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_fragmentation), cmocka_unit_test(test_which_memory),
		cmocka_unit_test(test_trace),         cmocka_unit_test(test_other_runs),
		cmocka_unit_test(test_scaling),       cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

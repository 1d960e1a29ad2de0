#include "replay_rig.h"

static void put_growth(struct strbuf *b, const struct memory_profile *p)
{
	strbuf_addf(b, "%" PRId64 " ends", p->nr_step_ends);
	if (p->has_growth)
		put(b, "slope ", p->growth_per_step);
	for (size_t i = 0; i < p->growth.nr; i++) {
		put_row(b, &p->growth.v[i].total);
		strbuf_addf(b, "x%" PRId64, p->growth.v[i].rises);
	}
}

static void put_churn(struct strbuf *b, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->churn.nr; i++) {
		const struct memory_churn *c = &p->churn.v[i];
		put_row(b, &c->total);
		strbuf_addf(b, " %" PRId64 "..%" PRId64 " of %" PRId64 " %" PRId64 "x%" PRId64, c->smallest,
		            c->total.largest, c->sizes, c->common_size, c->common_count);
	}
}

static void put_segments(struct strbuf *b, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->segments.nr; i++) {
		const struct memory_segments *s = &p->segments.v[i];
		strbuf_addf(b, "%s%s%s%" PRId64 ":%" PRId64 "/%" PRId64 "/%" PRId64, i ? " " : "",
		            s->expandable ? "E" : "", s->large ? "L" : "", s->from, s->segments, s->bytes,
		            s->free_bytes);
	}
	for (size_t i = 0; i < p->gaps.nr; i++)
		strbuf_addf(b, " gap %" PRId64 "/%" PRId64, p->gaps.v[i].bytes, p->gaps.v[i].segment_bytes);
	put(b, "whole ", p->inactive_whole);
}

static void put_pinned(struct strbuf *b, const struct memory_profile *p)
{
	put(b, "", p->pinned_blocks);
	put(b, "", p->pinned_bytes);
	put(b, "", p->pinned_free_bytes);
	for (size_t i = 0; i < p->pinned.nr; i++) {
		put_row(b, &p->pinned.v[i].total);
		put(b, "free ", p->pinned.v[i].free_bytes);
	}
}

static void put_points(struct strbuf *b, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->points.nr; i++)
		strbuf_addf(b, "%s%" PRId64 "@%" PRId64 "=%" PRId64 "/%" PRId64, i ? " " : "",
		            p->points.v[i].entries, p->points.v[i].time_us, p->points.v[i].allocated,
		            p->points.v[i].reserved);
}

static void put_blocks(struct strbuf *b, const struct memory_profile *p)
{
	put_rows(b, &p->peak_blocks);
	for (size_t i = 0; i < p->peak_sizes.nr; i++)
		strbuf_addf(b, " %" PRId64 ":%" PRId64 "/%" PRId64, p->peak_sizes.v[i].from,
		            p->peak_sizes.v[i].blocks, p->peak_sizes.v[i].bytes);
}

static void put_categories(struct strbuf *b, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->categories.nr; i++) {
		const struct memory_category *c = &p->categories.v[i];
		strbuf_addf(b,
		            "%s%s %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64
		            " %" PRId64,
		            i ? ", " : "", c->name, c->peak_bytes, c->peak_blocks, c->end_bytes,
		            c->end_blocks, c->alloc_bytes, c->allocs, c->largest);
	}
}

static void test_growth(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "two ends are too few",
		  "D 0\na 0 512 1\na 512 512 1\ne 15 Optimizer.step#A\ne 25 Optimizer.step#A\n", put_growth,
		  "[0: 2 ends]" },
		{ "a leak, and what made it",
		  "G 0 0 9999 -\nb a 512 1 1\nb a 512 1 1\nb a 512 1 1\nD 0\n"
		  "a 0 1 1\na 4096 9 2\nf 4096 9 2\na 512 1 1\na 4096 9 2\nf 4096 9 2\na 1024 1 1\n"
		  "e 15 Optimizer.step#A\ne 45 Optimizer.step#A\ne 75 Optimizer.step#A\ne 75 Other#A\n",
		  put_growth, "[0: 3 ends slope 512 f1=1024/2x2]" },
		{ "the median of all pairs, between integers: 0 0 1 → 0, ½, 1 of 512",
		  "D 0\na 0 1 1\na 9 1 -\nf 9 1 -\na 512 1 1\n"
		  "e 15 Optimizer.step#\ne 35 Optimizer.step#\ne 45 Optimizer.step#\n",
		  put_growth, "[0: 3 ends slope 256 f1=512/1x1]" },
		{ "of 0 0 ⅓ ½ ½ 1 times 512, to whole bytes",
		  "D 0\na 0 512 1\na 9 1024 1\nf 0 512 1\n"
		  "e 11 Optimizer.step#\ne 12 Optimizer.step#\ne 35 Optimizer.step#\ne 36 "
		  "Optimizer.step#\n",
		  put_growth, "[0: 4 ends slope 213 f1=512/0x1]" },
		{ "up, down and up; a START is not an end",
		  "D 0\na 0 1 1\na 512 1024 1\nf 0 1 1\na 0 1 1\na 4096 512 1\n"
		  "e 15 Optimizer.step#\ne 25 Optimizer.step#\ne 35 Optimizer.step#\nS 41 Optimizer.step#\n"
		  "e 45 Optimizer.step#\n",
		  put_growth, "[0: 4 ends slope 299 f1=1024/1x2]" },
		{ "falling",
		  "D 0\na 0 2048 1\nf 0 1024 1\nf 0 512 1\ne 15 Optimizer.step#\ne 25 Optimizer.step#\ne "
		  "35 "
		  "Optimizer.step#\n",
		  put_growth, "[0: 3 ends slope -768]" },
		{ "an entry at the time of the end belongs to the step",
		  "D 0\na 0 512 1\na 512 512 1\na 1024 512 1\ne 10 Optimizer.step#\ne 20 "
		  "Optimizer.step#\ne 30 Optimizer.step#\n",
		  put_growth, "[0: 3 ends slope 512 f1=1024/2x2]" },
		{ "a step that ended before the history",
		  "D 0\na 0 1 1\ne 5 Optimizer.step#\ne 15 Optimizer.step#\n", put_growth, "[0: 1 ends]" },
		{ "is a sign of lost entries", "D 0\na 0 1 1\nf 0 1 1\ne 5 Optimizer.step#\n", put_trust,
		  "[0: history truncated unseen 0/0 contradicted 0 lost 0 lowest 0]" },
		{ "without times there are no steps",
		  "q\nD 0\na 0 1 1\ne 5 Optimizer.step#\ne 6 Optimizer.step#\ne 7 Optimizer.step#\n",
		  put_growth, "[0: 0 ends]" },
		{ "steps of another device",
		  "D 1\ne 5 Optimizer.step#\ne 6 Optimizer.step#\ne 7 Optimizer.step#\nD 0\na 0 1 1\n",
		  put_growth, "[0: 0 ends]" },
	};
	CHECK(rows);
}

static void test_breakdown(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "churn: sizes by site, the larger of two as frequent",
		  "D 0\na 0 5 1\nf 0 5 1\na 0 7 1\nf 0 7 1\na 0 7 1\nf 0 7 1\na 0 5 1\nf 0 5 1\na 0 9 2\nf "
		  "0 9 2\n",
		  put_churn, "[0: f1=24/4 5..7 of 2 7x2 f2=9/1 9..9 of 1 9x1]" },
		{ "largest blocks: equal ones of a site are one row; sizes from powers of two",
		  "G 0 0 9999 -\nb a 512 1 1\nb a 512 1 1\nb a 512 1 2\nb a 1536 1500 2\n", put_blocks,
		  "[0: f2=1536/1 f1=512/2 f2=512/1 512:3/1536 1024:1/1536]" },
		{ "what is unexplained is not a block",
		  "G 0 0 8192 -\nb a 1024 1 1\nD 0\na 4096 4096 2\nf 4096 4096 2\na 0 1 1\n", put_blocks,
		  "[0: f2=4096/1 4096:1/4096]" },
		{ "categories add up",
		  "G 0 0 9999 -\nb a 1024 1 1\nb a 512 1 -\nD 0\na 0 1 1\na 4096 3 2\nf 4096 3 2\n",
		  put_categories, "[0: other 1536/2 1024/1 4/2 3, before recording 512/1 512/1 0/0 1]" },
		{ "segments by kind and size, gaps, what can be given back",
		  "G 0 0 2048 L\nb i 2048 1 -\nG 0 9999 2050 L\nb a 1 1 1\nb i 2049 1 -\nG 0 99999 2048 "
		  "E\nb p 48 1 -\nb i 2000 1 -\n"
		  "G 0 999999 100 -\nb i 100 1 -\n",
		  put_segments,
		  "[0: 64:1/100/100 L2048:2/4098/4097 E2048:1/2048/2000"
		  " gap 2049/2050 gap 2048/2048 gap 2000/2048 gap 100/100 whole 2148]" },
		{ "pinned: small, alone between free ones; a gap counts once",
		  "G 0 0 99 -\nb i 600 1 -\nb a 512 1 1\nb i 700 1 -\nb a 512 1 2\nb i 800 1 -\n"
		  "b a 512 1 3\nb a 512 1 3\nb i 900 1 -\nb a 2097152 1 3\n",
		  put_pinned, "[0: 2 1024 2100 f1=512/1 free 1300 f2=512/1 free 800]" },
		{ "pinned: at the ends of a segment, not alone in it",
		  "G 0 0 99 -\nb a 512 1 1\nb i 700 1 -\nb p 512 1 2\nG 0 9999 512 -\nb a 512 1 3\n",
		  put_pinned, "[0: 2 1024 700 f1=512/1 free 700 f2=512/1 free 0]" },
		{ "the state just before an oom",
		  "D 0\ns 0 4096 1\na 0 512 1\no 9999 77 2\nf 0 512 1\na 0 1024 3\no 1 "
		  "18446744073709551615 2\nf 0 1024 1\n"
		  "x 0 4096 1\n",
		  put_ooms,
		  "[0: at 2 wants 9999 free 77 level 512/4096 at 5 wants 1 free 9223372036854775807 level "
		  "1024/4096"
		  " f3=1024/1]" },
		{ "points: every moment of a short history, at the time of its entry",
		  "D 0\ns 0 4096 1\na 0 512 1\nf 0 512 1\n", put_points,
		  "[0: 0@10=0/-4096 1@10=0/0 2@20=512/0 3@30=0/0]" },
	};
	CHECK(rows);
}

/* A long history: lists are shortened, but extremes and sums stay exact. */
static void test_cut(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g);
	for (uint32_t i = 10; i < 1000; i++) {
		struct snapshot_frame f = g.s.frames.v[i % 10];
		f.line = i;
		vec_push(&g.s.frames, f);
		vec_push(&g.s.frame_ids, i);
		vec_push(&g.s.stacks, (struct snapshot_stack){ i, 1 });
	}
	for (uint32_t i = 0; i < 20000; i++) {
		add_entry(&g, i % 2000 < 1000 ? 'a' : 'f', i % 1000, i == 7777 ? 100000 : 512 + i % 1000,
		          '-');
		g.s.traces.v[0].entries.v[i].stack = i % 1000;
		if (i % 500 == 0)
			add_entry(&g, 'o', i, 0, '1');
	}
	assert_int_equal(replay_snapshot(&g.s, &(struct replay_options){ 0 }, &g.arena, &g.out, &g.log),
	                 ST_OK);
	const struct memory_profile *p = &g.out.list.v[0];
	int64_t sum = 0, categories = 0, churn = 0, high = INT64_MIN;
	for (size_t i = 0; i < p->peak_sites.nr; i++)
		sum += p->peak_sites.v[i].bytes;
	for (size_t i = 0; i < p->categories.nr; i++)
		categories += p->categories.v[i].peak_bytes;
	for (size_t i = 0; i < p->churn.nr; i++)
		churn += p->churn.v[i].total.bytes;
	for (size_t i = 0; i < p->points.nr; i++)
		high = p->points.v[i].allocated > high ? p->points.v[i].allocated : high;
	assert_int_equal(p->peak_sites.nr, MEMORY_SITES);
	assert_int_equal(p->peak_sites.v[MEMORY_SITES - 1].site.kind, SITE_REST);
	assert_int_equal(p->churn.nr, MEMORY_SITES);
	assert_int_equal(sum, p->peak_allocated);
	assert_int_equal(categories, p->peak_allocated);
	assert_int_equal(churn, p->churn_bytes);
	assert_int_equal(high, p->peak_allocated);
	assert_true(p->points.nr <= MEMORY_POINTS);
	assert_int_equal(p->oom_count, 40);
	assert_int_equal(p->ooms.nr, MEMORY_OOMS);
	assert_int_equal(p->ooms.v[MEMORY_OOMS - 1].requested, 19500);
	assert_int_equal(p->peak_blocks.nr, MEMORY_BLOCKS);
	rig_close(&g);
}

/* 3,000 steps that grow by 512 bytes each; the slope is computed from only some of them. */
static void test_many_steps(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g);
	for (uint32_t i = 0; i < 3000; i++) {
		char line[64];
		add_entry(&g, 'a', i, 1, '1');
		snprintf(line, sizeof line, "e %" PRIu32 " Optimizer.step#x", 10 * (i + 1) + 5);
		add_line(&g, line);
	}
	assert_int_equal(replay_snapshot(&g.s, &(struct replay_options){ 0 }, &g.arena, &g.out, &g.log),
	                 ST_OK);
	const struct memory_profile *p = &g.out.list.v[0];
	assert_int_equal(p->nr_step_ends, 3000);
	assert_int_equal(p->step_ends.nr, MEMORY_STEP_ENDS);
	assert_int_equal(p->step_ends.v[0].entries, 1);
	assert_int_equal(p->step_ends.v[MEMORY_STEP_ENDS - 1].entries, 3000);
	assert_true(p->has_growth);
	assert_int_equal(p->growth_per_step, 512);
	assert_int_equal(p->growth.nr, 1);
	assert_int_equal(p->growth.v[0].rises, 2999);
	rig_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_breakdown),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_many_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

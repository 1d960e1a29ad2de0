#include "replay_rig.h"

static const struct memory_item *list_of(const struct digest *d, size_t k, enum memory_list list,
                                         size_t *nr)
{
	return memory_list_of(d, d->memories.v[k].id, list, nr);
}

static void put_growth(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_GROWTH, &nr);
	if (d->memories.v[k].growth_per_step != MEMORY_UNKNOWN)
		put(b, "slope ", d->memories.v[k].growth_per_step);
	for (size_t i = 0; i < nr; i++) {
		put_row(b, &v[i]);
		strbuf_addf(b, "x%" PRId64, v[i].other);
	}
}

static void put_churn(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_CHURN, &nr);
	for (size_t i = 0; i < nr; i++) {
		put_row(b, &v[i]);
		strbuf_addf(b, " of %" PRId64 " mostly %" PRId64, v[i].other, v[i].largest);
	}
}

static void put_segments(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_SEGMENT, &nr);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, "%s%.*s %" PRId64 ":%" PRId64 "/%" PRId64 "/%" PRId64, i ? " " : "",
		            (int)v[i].category.n, v[i].category.p, v[i].other, v[i].blocks, v[i].bytes,
		            v[i].largest);
	v = list_of(d, k, MEMORY_LIST_GAP, &nr);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, " gap %" PRId64 "/%" PRId64, v[i].bytes, v[i].other);
}

static void put_pinned(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_PINNED, &nr);
	for (size_t i = 0; i < nr; i++) {
		put_row(b, &v[i]);
		put(b, "free ", v[i].other);
	}
}

static void put_points(struct strbuf *b, const struct digest *d, size_t k)
{
	(void)k; /* of the only memory */
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		const struct memory_level *l = &d->memory_levels.v[i];
		strbuf_addf(b, "%s%" PRId64 "@%" PRId64 "=%" PRId64 "/%" PRId64, i ? " " : "", l->entries,
		            l->time_us, l->allocated, l->reserved);
	}
}

static void put_blocks(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_SIZE, &nr);
	put_rows(b, d, d->memories.v[k].id, MEMORY_LIST_BLOCK);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, " %" PRId64 ":%" PRId64 "/%" PRId64, v[i].other, v[i].blocks, v[i].bytes);
}

static void put_categories(struct strbuf *b, const struct digest *d, size_t k)
{
	size_t nr;
	const struct memory_item *v = list_of(d, k, MEMORY_LIST_CATEGORY, &nr);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, "%s%.*s %" PRId64 "/%" PRId64 " %" PRId64 " %" PRId64, i ? ", " : "",
		            (int)v[i].category.n, v[i].category.p, v[i].bytes, v[i].blocks, v[i].other,
		            v[i].largest);
}

static void test_growth(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "two ends are too few",
		  "D 0\na 0 512 1\na 512 512 1\ne 15 Optimizer.step#A\ne 25 Optimizer.step#A\n", put_growth,
		  "[0: ]" },
		{ "a leak, and what made it",
		  "G 0 0 9999 -\nb a 512 1 1\nb a 512 1 1\nb a 512 1 1\nD 0\n"
		  "a 0 1 1\na 4096 9 2\nf 4096 9 2\na 512 1 1\na 4096 9 2\nf 4096 9 2\na 1024 1 1\n"
		  "e 15 Optimizer.step#A\ne 45 Optimizer.step#A\ne 75 Optimizer.step#A\ne 75 Other#A\n",
		  put_growth, "[0: slope 512 f1=1024/2x2]" },
		{ "the median of all pairs, between integers: 0 0 1 → 0, ½, 1 of 512",
		  "D 0\na 0 1 1\na 9 1 -\nf 9 1 -\na 512 1 1\n"
		  "e 15 Optimizer.step#\ne 35 Optimizer.step#\ne 45 Optimizer.step#\n",
		  put_growth, "[0: slope 256 f1=512/1x1]" },
		{ "of 0 0 ⅓ ½ ½ 1 times 512, to whole bytes",
		  "D 0\na 0 512 1\na 9 1024 1\nf 0 512 1\n"
		  "e 11 Optimizer.step#\ne 12 Optimizer.step#\ne 35 Optimizer.step#\ne 36 "
		  "Optimizer.step#\n",
		  put_growth, "[0: slope 213 f1=512/0x1]" },
		{ "up, down and up; a START is not an end",
		  "D 0\na 0 1 1\na 512 1024 1\nf 0 1 1\na 0 1 1\na 4096 512 1\n"
		  "e 15 Optimizer.step#\ne 25 Optimizer.step#\ne 35 Optimizer.step#\nS 41 Optimizer.step#\n"
		  "e 45 Optimizer.step#\n",
		  put_growth, "[0: slope 299 f1=1024/1x2]" },
		{ "falling",
		  "D 0\na 0 2048 1\nf 0 1024 1\nf 0 512 1\ne 15 Optimizer.step#\ne 25 Optimizer.step#\ne "
		  "35 "
		  "Optimizer.step#\n",
		  put_growth, "[0: slope -768]" },
		{ "an entry at the time of the end belongs to the step",
		  "D 0\na 0 512 1\na 512 512 1\na 1024 512 1\ne 10 Optimizer.step#\ne 20 "
		  "Optimizer.step#\ne 30 Optimizer.step#\n",
		  put_growth, "[0: slope 512 f1=1024/2x2]" },
		{ "a step that ended before the history",
		  "D 0\na 0 1 1\ne 5 Optimizer.step#\ne 15 Optimizer.step#\n", put_growth, "[0: ]" },
		{ "is a sign of lost entries", "D 0\na 0 1 1\nf 0 1 1\ne 5 Optimizer.step#\n", put_trust,
		  "[0: history truncated unseen 0 contradicted 0 lost 0 lowest 0]" },
		{ "without times there are no steps",
		  "q\nD 0\na 0 1 1\ne 5 Optimizer.step#\ne 6 Optimizer.step#\ne 7 Optimizer.step#\n",
		  put_growth, "[0: ]" },
		{ "steps of another device",
		  "D 1\ne 5 Optimizer.step#\ne 6 Optimizer.step#\ne 7 Optimizer.step#\nD 0\na 0 1 1\n",
		  put_growth, "[0: ]" },
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
		  put_churn, "[0: f1=24/4 of 2 mostly 7 f2=9/1 of 1 mostly 9]" },
		{ "largest blocks: equal ones of a site are one row; sizes from powers of two",
		  "G 0 0 9999 -\nb a 512 1 1\nb a 512 1 1\nb a 512 1 2\nb a 1536 1500 2\n", put_blocks,
		  "[0: f2=1536/1 f1=512/2 f2=512/1 512:3/1536 1024:1/1536]" },
		{ "what is unexplained is not a block",
		  "G 0 0 8192 -\nb a 1024 1 1\nD 0\na 4096 4096 2\nf 4096 4096 2\na 0 1 1\n", put_blocks,
		  "[0: f2=4096/1 4096:1/4096]" },
		{ "categories add up",
		  "G 0 0 9999 -\nb a 1024 1 1\nb a 512 1 -\nD 0\na 0 1 1\na 4096 3 2\nf 4096 3 2\n",
		  put_categories, "[0: other 1536/2 1024 3, before recording 512/1 512 1]" },
		{ "segments by kind and size, gaps, what can be given back",
		  "G 0 0 2048 L\nb i 2048 1 -\nG 0 9999 2050 L\nb a 1 1 1\nb i 2049 1 -\nG 0 99999 2048 "
		  "E\nb p 48 1 -\nb i 2000 1 -\n"
		  "G 0 999999 100 -\nb i 100 1 -\n",
		  put_segments,
		  "[0: small 64:1/100/100 large 2048:2/4098/4097 expandable small 2048:1/2048/2000"
		  " gap 2049/2050 gap 2048/2048 gap 2000/2048 gap 100/100]" },
		{ "pinned: small, alone between free ones; a gap counts once",
		  "G 0 0 99 -\nb i 600 1 -\nb a 512 1 1\nb i 700 1 -\nb a 512 1 2\nb i 800 1 -\n"
		  "b a 512 1 3\nb a 512 1 3\nb i 900 1 -\nb a 2097152 1 3\n",
		  put_pinned, "[0: f1=512/1 free 1300 f2=512/1 free 800]" },
		{ "pinned: at the ends of a segment, not alone in it",
		  "G 0 0 99 -\nb a 512 1 1\nb i 700 1 -\nb p 512 1 2\nG 0 9999 512 -\nb a 512 1 3\n",
		  put_pinned, "[0: f1=512/1 free 700 f2=512/1 free 0]" },
		{ "the state just before an oom",
		  "D 0\ns 0 4096 1\na 0 512 1\no 9999 77 2\nf 0 512 1\na 0 1024 3\no 1 "
		  "18446744073709551615 2\nf 0 1024 1\n"
		  "x 0 4096 1\n",
		  put_ooms, "[0: f3=1024/1]" },
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
	assert_int_equal(snapshot_reduce(&g.s, &(struct replay_options){ 0 }, g.d, &g.log), ST_OK);
	const struct memory_stat *m = &g.d->memories.v[0];
	int64_t sum[NR_MEMORY_LISTS] = { 0 }, high = INT64_MIN;
	size_t nr[NR_MEMORY_LISTS] = { 0 };
	for (size_t i = 0; i < g.d->memory_items.nr; i++) {
		const struct memory_item *item = &g.d->memory_items.v[i];
		sum[item->list] += item->bytes;
		nr[item->list]++;
		/* sites that are left out become the last row */
		if (item->list == MEMORY_LIST_PEAK || item->list == MEMORY_LIST_CHURN)
			assert_int_equal(item->kind == SITE_REST, nr[item->list] == MEMORY_SITES);
	}
	for (size_t i = 0; i < g.d->memory_levels.nr; i++)
		high = g.d->memory_levels.v[i].allocated > high ? g.d->memory_levels.v[i].allocated : high;
	assert_int_equal(nr[MEMORY_LIST_PEAK], MEMORY_SITES);
	assert_int_equal(nr[MEMORY_LIST_CHURN], MEMORY_SITES);
	assert_int_equal(nr[MEMORY_LIST_BLOCK], MEMORY_BLOCKS);
	assert_int_equal(sum[MEMORY_LIST_PEAK], m->peak_allocated);
	assert_int_equal(sum[MEMORY_LIST_CATEGORY], m->peak_allocated);
	assert_int_equal(sum[MEMORY_LIST_CHURN], m->churn_bytes);
	assert_int_equal(high, m->peak_allocated);
	assert_true(g.d->memory_levels.nr <= MEMORY_POINTS);
	assert_int_equal(m->oom_count, 40);
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
	assert_int_equal(snapshot_reduce(&g.s, &(struct replay_options){ 0 }, g.d, &g.log), ST_OK);
	size_t nr;
	const struct memory_item *v = list_of(g.d, 0, MEMORY_LIST_GROWTH, &nr);
	assert_int_equal(g.d->memories.v[0].growth_per_step, 512);
	assert_int_equal(nr, 1);
	assert_int_equal(v[0].other, 2999);
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

#include "replay_rig.h"

/* In a short history every moment is a point. */
static void put_levels(struct strbuf *b, const struct digest *d, size_t k)
{
	const struct memory_stat *m = &d->memories.v[k];
	int64_t peak = -1, start_reserved = 0;
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		const struct memory_level *l = &d->memory_levels.v[i];
		if (strcmp(l->memory, m->id) != 0)
			continue;
		peak = l->allocated == m->peak_allocated ? l->entries : peak;
		start_reserved = l->entries ? start_reserved : l->reserved;
	}
	put(b, "peak ", m->peak_allocated);
	put(b, "of ", m->reserved_at_peak);
	put(b, "at ", peak);
	put(b, "reserved ", m->peak_reserved);
	put(b, "start ", m->start_allocated);
	put(b, "of ", start_reserved);
	put(b, "end ", m->end_allocated);
	put(b, "of ", m->end_reserved);
}

static void put_counts(struct strbuf *b, const struct digest *d, size_t k)
{
	const struct memory_stat *m = &d->memories.v[k];
	put(b, "", m->alloc_count);
	put(b, "", m->free_count);
	put(b, "", m->churn_bytes);
	put(b, "", m->segment_churn);
	put(b, "", m->oom_count);
	put(b, "| ", m->end_requested);
	put(b, "", m->inactive);
	put(b, "", m->largest_inactive);
}

static void put_peak(struct strbuf *b, const struct digest *d, size_t k)
{
	const struct memory_stat *m = &d->memories.v[k];
	put_rows(b, d, m->id, MEMORY_LIST_PEAK);
	put(b, "| kept ", m->peak_persistent);
	put(b, "carried ", m->peak_carried);
	put(b, "transient ", m->peak_transient);
}

static void put_end(struct strbuf *b, const struct digest *d, size_t k)
{
	put_rows(b, d, d->memories.v[k].id, MEMORY_LIST_END);
}

static void test_levels(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "nothing", "", put_levels, "" },
		{ "no history: the final state is all there is",
		  "G 0 0 4096 -\nb a 1024 1000 1\nb i 3072 9 -\n", put_levels,
		  "[0: peak 1024 of 4096 at 0 reserved 4096 start 1024 of 4096 end 1024 of 4096]" },
		{ "backwards, rounded up to 512",
		  "G 0 0 4096 -\nb a 1024 1000 1\nb i 3072 9 -\nD 0\n"
		  "a 1024 513 2\nf 1024 513 2\n",
		  put_levels,
		  "[0: peak 2048 of 4096 at 1 reserved 4096 start 1024 of 4096 end 1024 of 4096]" },
		{ "to nothing", "G 0 0 4096 -\nb a 512 1 1\nb i 3584 0 -\nD 0\ns 0 4096 1\na 0 1 1\n",
		  put_levels, "[0: peak 512 of 4096 at 2 reserved 4096 start 0 of 0 end 512 of 4096]" },
		{ "of equal peaks the latest",
		  "D 0\na 0 512 1\nf 0 512 1\na 0 512 1\ns 9 77 1\nf 0 512 1\n", put_levels,
		  "[0: peak 512 of 0 at 4 reserved 0 start 0 of -77 end 0 of 0]" },
		{ "an entry of no effect does not move the peak",
		  "D 0\na 0 512 1\nc 0 512 1\n? 0 99 -\nf 0 512 1\n", put_levels,
		  "[0: peak 512 of 0 at 3 reserved 0 start 0 of 0 end 0 of 0]" },
		{ "reserved peaks on its own: map, unmap, free",
		  "D 0\nm 0 100 1\nm 100 100 1\nu 100 100 1\nx 0 100 1\n", put_levels,
		  "[0: peak 0 of 0 at 4 reserved 200 start 0 of 0 end 0 of 0]" },
		{ "every device", "G 3 0 512 -\nb a 512 1 1\nD 1\na 0 1 1\nf 0 1 1\n", put_levels,
		  "[1: peak 512 of 0 at 1 reserved 0 start 0 of 0 end 0 of 0]"
		  "[3: peak 512 of 512 at 0 reserved 512 start 512 of 512 end 512 of 512]" },
		{ "a device below 0 has no history", "G -1 0 512 -\nb a 512 1 1\nD 0\na 0 1 1\n",
		  put_levels,
		  "[-1: peak 512 of 512 at 0 reserved 512 start 512 of 512 end 512 of 512]"
		  "[0: peak 0 of 0 at 1 reserved 0 start -512 of 0 end 0 of 0]" },
		{ "counts",
		  "G 0 0 99 -\nb p 512 5 1\nb a 512 7 1\nb i 9 1 -\nb i 8 1 -\n"
		  "D 0\na 0 5 1\nf 0 5 1\nc 0 5 1\ns 0 1 1\nx 0 1 1\nm 0 1 1\nu 0 1 1\no 9 9 1\n? 0 1 -\n",
		  put_counts, "[0: 1 1 5 4 1 | 7 17 9]" },
	};
	CHECK(rows);
}

static void test_pairs(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "live at peak: kept, freed later, from before",
		  "G 0 0 8192 -\nb a 512 1 1\nb a 512 2 2\nb i 7168 9 -\nD 0\n"
		  "a 512 2 2\na 1024 600 3\nf 1024 600 9\nf 4096 512 9\n",
		  put_peak,
		  "[0: f3=1024/1 before=512/1 f1=512/1 f2=512/1 | kept 1024 carried 512 transient 1024]" },
		{ "live at the end",
		  "G 0 0 8192 -\nb a 512 1 1\nb a 512 2 -\nb a 512 3 -\nD 0\na 512 2 4\n", put_end,
		  "[0: before=512/1 f1=512/1 f4=512/1]" },
		{ "without a stack, but recorded", "G 0 0 512 -\nb a 512 1 -\nD 0\na 0 1 -\n", put_end,
		  "[0: no-stack=512/1]" },
		{ "freed before the peak: not live there",
		  "D 0\na 0 512 1\nf 0 512 1\na 0 1024 2\nf 0 1024 2\n", put_peak,
		  "[0: f2=1024/1 | kept 0 carried 0 transient 1024]" },
		{ "an address used again",
		  "D 0\na 0 512 1\nf 0 512 1\na 0 512 2\na 512 512 3\nf 512 512 3\nf 0 512 2\n", put_peak,
		  "[0: f2=512/1 f3=512/1 | kept 0 carried 0 transient 1024]" },
		{ "a block larger than asked for was less before: the level is off by the rest",
		  "G 0 0 8192 -\nb a 1024 1 1\nD 0\na 4096 4096 2\nf 4096 4096 2\na 0 1 1\n", put_peak,
		  "[0: f2=4096/1 unexplained=512/0 | kept 0 carried 0 transient 4608]" },
		{ "nothing lost", "D 0\na 0 1 1\nf 0 1 1\n", put_trust,
		  "[0: history unseen 0 contradicted 0 lost 0 lowest 0]" },
		{ "one address after the other", "D 0\na 0 1 1\nf 0 1 1\na 0 1 1\nf 0 1 1\n", put_trust,
		  "[0: history unseen 0 contradicted 0 lost 0 lowest 0]" },
		{ "begins midway", "D 0\nf 0 1 1\n", put_trust,
		  "[0: history midway unseen 1 contradicted 0 lost 0 lowest 0]" },
		{ "an alloc never freed, not there at the end", "D 0\na 0 1 1\n", put_trust,
		  "[0: history midway unseen 0 contradicted 0 lost 1 lowest -512]" },
		{ "freed twice", "D 0\na 0 1 1\nf 0 1 1\nf 0 1 1\n", put_trust,
		  "[0: history midway unseen 1 contradicted 1 lost 0 lowest 0]" },
		{ "freed, yet live at the end", "G 0 0 512 -\nb a 512 1 1\nD 0\nf 0 1 1\n", put_trust,
		  "[0: history midway unseen 1 contradicted 1 lost 0 lowest 512]" },
		{ "no history", "G 0 0 512 -\nb a 512 1 1\n", put_trust,
		  "[0: unseen 0 contradicted 0 lost 0 lowest 512]" },
	};
	CHECK(rows);
}

static void test_hostile(void **state)
{
	(void)state;
	static const char too_large[] =
	    "the sizes in the snapshot add up to 8 EiB or more: it is damaged";
	static const struct row rows[] = {
		{ "one size", "D 0\na 0 18446744073709551615 1\n", put_levels, too_large },
		{ "two of them", "D 0\na 0 4611686018427387904 1\nf 0 4611686018427387904 1\n", put_levels,
		  too_large },
		{ "segments", "G 0 0 9223372036854775808 -\n", put_levels, too_large },
		{ "blocks", "G 0 0 1 -\nb i 9223372036854775808 1 -\n", put_levels, too_large },
		{ "just less", "D 0\na 0 4611686018427387392 1\n", put_levels,
		  "[0: peak 0 of 0 at 1 reserved 0 start -4611686018427387392 of 0 end 0 of 0]" },
		{ "what nobody got", "D 0\no 18446744073709551615 0 1\n", put_ooms, "[0: ]" },
		{ "what an inactive block once was", "G 0 0 512 -\nb i 512 18446744073709551615 -\n",
		  put_counts, "[0: 0 0 0 0 0 | 0 512 512]" },
		{ "addresses that wrap",
		  "G 0 18446744073709551000 2048 -\nb a 1024 1 1\nb a 1024 1 1\nD 0\nf "
		  "18446744073709551614 1 1\n",
		  put_levels,
		  "[0: peak 2560 of 2048 at 0 reserved 2048 start 2560 of 2048 end 2048 of 2048]" },
	};
	CHECK(rows);
}

static void test_limits(void **state)
{
	(void)state;
	static const char text[] = "G 0 0 512 -\nb a 512 1 1\nD 0\na 0 1 1\nD 1\na 0 1 1\n";
	static const struct {
		struct replay_options o;
		const char *error;
	} rows[] = {
		{ { .max_devices = 2, .max_entries = 2 }, NULL },
		{ { .max_devices = 1 }, "more than 1 devices in the snapshot" },
		{ { .max_entries = 1 },
		  "device 0: more than 1 blocks and history entries: record a shorter history" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g);
		assert_int_equal(replay_text(&g, text, &rows[i].o), rows[i].error ? ST_INPUT : ST_OK);
		if (rows[i].error)
			assert_string_equal(diag_first_error(&g.log), rows[i].error);
		assert_int_equal(g.d->memories.nr, rows[i].error ? 0 : 2);
		rig_close(&g);
	}
}

/* The peak is the last of 10,000 equal peaks; reserved memory has a peak of its own. */
static void test_extremes(void **state)
{
	(void)state;
	struct rig g;
	bool reserved = false;
	rig_open(&g);
	for (uint32_t i = 0; i < 20000; i++) {
		add_entry(&g, i % 2 ? 'f' : 'a', 0, 512, '1');
		if (i == 7000 || i == 7001)
			add_entry(&g, i % 2 ? 'x' : 's', 0, 4096, '1');
	}
	assert_int_equal(snapshot_reduce(&g.s, &(struct replay_options){ 0 }, g.d, &g.log), ST_OK);
	int64_t last = 0;
	for (size_t i = 0; i < g.d->memory_levels.nr; i++) {
		const struct memory_level *l = &g.d->memory_levels.v[i];
		last = l->allocated == g.d->memories.v[0].peak_allocated ? l->entries : last;
		reserved |= l->reserved == g.d->memories.v[0].peak_reserved;
	}
	assert_int_equal(last, 20001);
	assert_int_equal(g.d->memories.v[0].peak_reserved, 4096);
	assert_true(reserved);
	assert_true(g.d->memory_levels.nr <= MEMORY_POINTS);
	rig_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),   cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_hostile),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

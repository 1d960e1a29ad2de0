#include "document/render.h"
#include "report/memory_text.h"

#include "memory_fixture.h"
#include "model/memory_view.h"
#include "text_rig.h"

/* The memory section as a string, owned by `a`. */
static const char *section(const struct digest *d, bool name_rank, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	struct document doc;
	doc_init(&doc);
	memory_document(d, name_rank, &doc);
	doc_text(&doc, &(struct doc_text_options){ .width = 200 }, &b);
	doc_release(&doc);
	return arena_take(a, &b);
}

static struct digest *example(void)
{
	struct digest *d = memory_digest(3, "0", MIB(800), MIB(300));
	struct memory_stat *m = &d->memories.v[0];
	m->reserved_at_peak = MIB(1000);
	m->peak_persistent = MIB(300);
	m->peak_carried = MIB(100);
	m->peak_transient = MIB(400);
	memory_add(d, MEMORY_LIST_CATEGORY, "attention", NULL, 0, MIB(800), MIB(300));
	memory_add(d, MEMORY_LIST_PEAK, "attention", "attend", 7, MIB(500), 0);
	memory_add(d, MEMORY_LIST_PEAK, "linear", "forward", 1, MIB(40), 0);
	d->memory_items.v[2].file = SPAN("t/model.py");
	memory_add(d, MEMORY_LIST_PEAK, "attention", "attend2", 9, MIB(160), 0);
	memory_add(d, MEMORY_LIST_PEAK, "before recording", NULL, 0, MIB(100), 0);
	memory_add(d, MEMORY_LIST_END, "attention", "attend", 7, MIB(300), 0);
	memory_add(d, MEMORY_LIST_GROWTH, "other", "keep", 2, MIB(64), 8);
	memory_add(d, MEMORY_LIST_CHURN, "loss", "loss", 3, MIB(1), 2);
	memory_add(d, MEMORY_LIST_BLOCK, "attention", "attend", 7, MIB(250), 0);
	memory_add(d, MEMORY_LIST_SIZE, "", NULL, 0, MIB(800), MIB(128));
	memory_add(d, MEMORY_LIST_SEGMENT, "large", NULL, 0, MIB(1000), MIB(512));
	memory_add(d, MEMORY_LIST_GAP, "large", NULL, 0, MIB(150), MIB(600));
	memory_add(d, MEMORY_LIST_PINNED, "other", "keep", 2, 512, MIB(20));
	return d;
}

static void test_section(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct digest *d = example();
	const char *text = section(d, true, &a);
	assert_has(text, "memory 0 of rank 3\n");
	assert_has(text, "at the peak  800.00 MiB  1,000.00 MiB  200.00 MiB        20.00 %");
	assert_has(text, "300.00 MiB (37.50 %) persistent");
	assert_has(text, "100.00 MiB (12.50 %) from before the recording");
	assert_has(text, "400.00 MiB (50.00 %) transient");
	assert_has(text, "risk: unknown without the size of the device");
	assert_has(text, "62.50 %  1 block  t/train.py:attend, line 7 (attention)");
	assert_has(text, "blocks from before the recording (before recording)");
	/* a row for the file, with the sum of its two functions */
	assert_has(text, "660.00 MiB  82.50 %  2 blocks  t/train.py\n");
	assert_has(text, "64.00 MiB  in 8 steps  t/train.py:keep, line 2 (other)");
	assert_has(text, "1 segment");
	assert_has(text, "150.00 MiB  in a large segment of 600.00 MiB");
	assert_has(text, "20.00 MiB  beside 1 block of 512 B  t/train.py:keep, line 2 (other)");
	assert_null(strstr(text, "when memory ran out"));
	digest_free(d);
	arena_release(&a);
}

static void test_only_snapshots(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct digest *d = sample_digest(0);
	assert_string_equal(section(d, false, &a), "");
	digest_free(d);
	arena_release(&a);
}

static void test_expandable(void **state)
{
	(void)state;
	struct digest *d = example();
	struct memory_stat *m = &d->memories.v[0];
	/* 20 % of the reserved memory was not in use, but that is too small an amount to matter */
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_NO);
	m->oom_count = 1;
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_HELPS);
	m->oom_count = 0;
	m->peak_allocated = MIB(488);
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_HELPS);
	m->peak_allocated = MIB(100000);
	m->reserved_at_peak = MIB(111111);
	/* only 9.9 % was not in use, which is below EXPANDABLE_PCT */
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_NO);
	m->reserved_at_peak = MIB(111112);
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_HELPS);
	for (size_t i = 0; i < d->memory_items.nr; i++)
		if (d->memory_items.v[i].list == MEMORY_LIST_SEGMENT)
			d->memory_items.v[i].category = SPAN("expandable large");
	assert_int_equal(memory_expandable(d, m), EXPANDABLE_IN_USE);
	digest_free(d);
}

/* Names of sites are untrusted: no line begins with such a name, and none can break the format. */
static void test_hostile(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct digest *d = sample_snapshot(0);
	for (size_t i = 0; i < d->memory_items.nr; i++)
		d->memory_items.v[i].category = d->memory_items.v[i].file =
		    SPAN("\n::error::x\033[31m##[x]");
	const char *text = section(d, false, &a);
	assert_null(strstr(text, "\n::"));
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "##["));
	digest_free(d);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_section),
		cmocka_unit_test(test_only_snapshots),
		cmocka_unit_test(test_expandable),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

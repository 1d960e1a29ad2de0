#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "replay/replay.h"

/* ---- a snapshot that fills every list ---- */

static void add_segment(struct snapshot *s, int64_t device, uint64_t total, bool large)
{
	vec_push(&s->segments,
	         (struct snapshot_segment){ .device = device,
	                                    .address = (uint64_t)(s->segments.nr + 1) << 30,
	                                    .total = total,
	                                    .large = large,
	                                    .first_block = (uint32_t)s->blocks.nr,
	                                    .stack = SNAPSHOT_NO_STACK });
}

static void add_block(struct snapshot *s, enum block_state state, uint64_t size, uint64_t requested,
                      uint32_t stack)
{
	struct snapshot_segment *g = &s->segments.v[s->segments.nr - 1];
	uint64_t address = g->address;
	for (uint32_t i = 0; i < g->nr_blocks; i++)
		address += s->blocks.v[g->first_block + i].size;
	vec_push(&s->blocks, (struct snapshot_block){ address, size, requested, state, stack });
	g->nr_blocks++;
}

static void add_entry(struct snapshot *s, enum snapshot_action action, uint64_t address,
                      uint64_t size)
{
	struct snapshot_trace *t = &s->traces.v[s->traces.nr - 1];
	struct snapshot_entry e = { .action = action, .address = address, .size = size };
	e.time_us = 10 * (int64_t)(t->entries.nr + 1);
	vec_push(&t->entries, e);
}

/* Device 2: 1,000 B are requested three times, each time before the end of a step, and the last
   block is freed; a block of 512 B from before the recording lies between two gaps. Device 10: a
   segment, but no history. */
static void snapshot_make(struct snapshot *s)
{
	uint64_t base = (uint64_t)1 << 30;
	snapshot_init(s);
	s->json_faults = 3;
	s->fault_byte = 77;
	vec_push(&s->frames,
	         (struct snapshot_frame){ name_intern(&s->names, SPAN("forward")),
	                                  name_intern(&s->names, SPAN("/home/me/net/model.py")), 12 });
	vec_push(&s->frame_ids, 0);
	vec_push(&s->stacks, (struct snapshot_stack){ 0, 1 });
	add_segment(s, 2, 8192, true);
	add_block(s, BLOCK_ACTIVE, 1024, 1000, 0);
	add_block(s, BLOCK_ACTIVE, 1024, 1000, 0);
	add_block(s, BLOCK_INACTIVE, 1024, 0, 0);
	add_block(s, BLOCK_ACTIVE, 512, 512, SNAPSHOT_NO_STACK);
	add_block(s, BLOCK_INACTIVE, 4608, 0, 0);
	add_segment(s, 10, 2048, false);
	add_block(s, BLOCK_ACTIVE, 2048, 2048, SNAPSHOT_NO_STACK);
	for (int i = 0; i < 3; i++)
		vec_push_zero(&s->traces);
	for (uint64_t i = 0; i < 3; i++)
		add_entry(s, ACTION_ALLOC, base + i * 1024, 1000);
	add_entry(s, ACTION_OOM, SNAPSHOT_NO_ADDRESS, 99999);
	add_entry(s, ACTION_FREE_REQUESTED, base + 2048, 1000);
	for (int i = 0; i < 3; i++)
		vec_push(&s->annotations,
		         (struct snapshot_annotation){
		             name_intern(&s->names, SPAN("Optimizer.step#A.step")), 2, 15 + 10 * i, true });
}

/* Writes "LIST MEMORY CATEGORY FILE:FUNCTION:LINE bytes blocks largest other" for each row. */
static void show_items(const struct digest *d, struct strbuf *out)
{
	static const char *const lists[] = { "category", "peak", "end",     "growth", "churn", "oom",
		                                 "block",    "size", "segment", "gap",    "pinned" };
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *m = &d->memory_items.v[i];
		strbuf_addf(out, "%s %s %.*s %d %.*s:%.*s:%d %d %d %d %d\n", m->memory, lists[m->list],
		            (int)m->category.n, m->category.p, m->kind, (int)m->file.n, m->file.p,
		            (int)m->function.n, m->function.p, (int)m->line, (int)m->bytes, (int)m->blocks,
		            (int)m->largest, (int)m->other);
	}
}

static void test_lists(void **state)
{
	(void)state;
	static const char want[] = "10 category before recording 0 ::0 2048 1 2048 2048\n"
	                           "10 peak before recording 3 ::0 2048 1 2048 0\n"
	                           "10 end before recording 3 ::0 2048 1 2048 0\n"
	                           "10 block before recording 3 ::0 2048 1 2048 0\n"
	                           "10 size  0 ::0 2048 1 0 2048\n"
	                           "10 segment small 0 ::0 2048 1 0 2048\n"
	                           "2 category other 0 ::0 3072 3 1000 2048\n"
	                           "2 category before recording 0 ::0 512 1 512 512\n"
	                           "2 peak other 0 net/model.py:forward:12 3072 3 1000 0\n"
	                           "2 peak before recording 3 ::0 512 1 512 0\n"
	                           "2 end other 0 net/model.py:forward:12 2048 2 1000 0\n"
	                           "2 end before recording 3 ::0 512 1 512 0\n"
	                           "2 growth other 0 net/model.py:forward:12 2048 2 0 2\n"
	                           "2 churn other 0 net/model.py:forward:12 3000 3 1000 1\n"
	                           "2 oom other 0 net/model.py:forward:12 3072 3 1000 0\n"
	                           "2 oom before recording 3 ::0 512 1 512 0\n"
	                           "2 block other 0 net/model.py:forward:12 1024 3 1000 0\n"
	                           "2 block before recording 3 ::0 512 1 512 0\n"
	                           "2 size  0 ::0 512 1 0 512\n"
	                           "2 size  0 ::0 3072 3 0 1024\n"
	                           "2 segment large 0 ::0 8192 1 5632 8192\n"
	                           "2 gap large 0 ::0 4608 1 0 8192\n"
	                           "2 gap large 0 ::0 1024 1 0 8192\n"
	                           "2 pinned before recording 3 ::0 512 1 512 5632\n";
	struct snapshot s;
	struct diag_log log;
	struct strbuf have = STRBUF_INIT;
	struct digest *d = digest_new();
	diag_init(&log);
	snapshot_make(&s);
	assert_int_equal(snapshot_reduce(&s, &(struct replay_options){ .capacity = -1 }, d, &log),
	                 ST_OK);
	snapshot_release(&s); /* the digest must have its own copies of the texts */
	show_items(d, &have);
	assert_string_equal(strbuf_str(&have), want);
	strbuf_release(&have);
	digest_free(d);
	diag_release(&log);
}

static void test_figures(void **state)
{
	(void)state;
	struct snapshot s;
	struct diag_log log;
	struct digest *d = digest_new();
	diag_init(&log);
	snapshot_make(&s);
	assert_int_equal(snapshot_reduce(&s, &(struct replay_options){ .capacity = 9000 }, d, &log),
	                 ST_OK);
	snapshot_release(&s);
	assert_int_equal(d->nr_steps, 0);
	assert_int_equal(d->total_steps, 0);
	assert_false(d->window);
	assert_int_equal(d->events, 5);
	assert_int_equal(d->trust.json_faults, 3);
	assert_int_equal(d->trust.fault_byte, 77);
	assert_int_equal(d->memories.nr, 2);
	assert_string_equal(d->memories.v[0].id, "10");
	assert_true(d->memories.v[0].growth_per_step == MEMORY_UNKNOWN);
	const struct memory_stat want = {
		NULL, MEMORY_OF_SNAPSHOT,
		5,    3584,
		8192, 2560,
		8192, 8192,
		512,  3,
		1,    3000,
		1024, 9000,
		2512, 5632,
		4608, 1,
		0,    1,
		0,    2560,
		0,    1024,
		NULL, NULL,
		NULL,
	};
	assert_string_equal(d->memories.v[1].id, "2");
	assert_int_equal(d->memories.v[1].source, MEMORY_OF_SNAPSHOT);
	assert_memory_equal(&d->memories.v[1].events, &want.events,
	                    sizeof want - offsetof(struct memory_stat, events));
	assert_int_equal(d->memory_evidence.nr, 2);
	const struct memory_evidence *e = &d->memory_evidence.v[1];
	assert_false(d->memory_evidence.v[0].history);
	assert_true(e->history && e->midway && !e->truncated);
	assert_int_equal(e->lowest_allocated, 512);
	assert_int_equal(e->allocs, 3);
	size_t first = 0;
	while (strcmp(d->memory_levels.v[first].memory, "2") != 0)
		first++;
	assert_int_equal(d->memory_levels.v[first].allocated, 512);
	assert_int_equal(d->memory_levels.v[d->memory_levels.nr - 1].allocated, 2560);
	digest_free(d);
	diag_release(&log);
}

static uint64_t hash_with(void (*change)(struct snapshot *s))
{
	struct snapshot s;
	struct diag_log log;
	struct digest *d = digest_new();
	diag_init(&log);
	snapshot_make(&s);
	change(&s);
	assert_int_equal(snapshot_reduce(&s, &(struct replay_options){ .capacity = -1 }, d, &log),
	                 ST_OK);
	uint64_t hash = d->source_hash;
	snapshot_release(&s);
	digest_free(d);
	diag_release(&log);
	return hash;
}

static void nothing(struct snapshot *s)
{
	(void)s;
}

static void another_line(struct snapshot *s)
{
	s->frames.v[0].line++;
}

static void another_size(struct snapshot *s)
{
	s->blocks.v[5].requested--;
}

static void test_hash(void **state)
{
	(void)state;
	uint64_t hash = hash_with(nothing);
	assert_true(hash == hash_with(nothing));
	assert_true(hash != hash_with(another_line));
	assert_true(hash != hash_with(another_size));
}

static void test_limits(void **state)
{
	(void)state;
	struct snapshot s;
	struct diag_log log;
	struct digest *d = digest_new();
	diag_init(&log);
	snapshot_make(&s);
	assert_int_equal(snapshot_reduce(&s, &(struct replay_options){ .max_devices = 1 }, d, &log),
	                 ST_INPUT);
	snapshot_release(&s);
	digest_free(d);
	diag_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Helpers for tests that replay a memory history: snapshots made from text, figures written as
/// text, and tables of both.
#ifndef GG_TEST_REPLAY_RIG_H
#define GG_TEST_REPLAY_RIG_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "model/memory_view.h"
#include "replay/replay.h"

/* --- snapshots from text ---

   G DEVICE ADDRESS TOTAL FLAGS     segment; flags: - or of L (large), E (expandable)
   b STATE SIZE REQUESTED STACK     next block of the segment; state a, p or i
   D DEVICE                         the lines below are entries of this device
   a f c ADDRESS SIZE STACK         alloc, free_requested, free_completed
   s x m u ADDRESS SIZE STACK       segment alloc, free, map, unmap
   o SIZE FREE STACK                oom
   ? 0 0 -                          an unknown action
   e TIME NAME, S TIME NAME         END and START of an annotation on the device

   Entry i of a device has time 10 · (i + 1); after a line "q", entries have no time.
   A stack is - or a digit: one frame, function fN in /p/q/x.py at line N. */

struct rig {
	struct snapshot s;
	struct digest *d;
	struct diag_log log;
	int64_t device;
	uint64_t next_block;
	bool quiet;
};

static void rig_open(struct rig *g)
{
	*g = (struct rig){ .d = digest_new() };
	snapshot_init(&g->s);
	diag_init(&g->log);
	for (uint32_t i = 0; i < 10; i++) {
		char function[] = { 'f', (char)('0' + i), '\0' };
		vec_push(&g->s.frames,
		         (struct snapshot_frame){ name_intern(&g->s.names, span_of(function)),
		                                  name_intern(&g->s.names, SPAN("/p/q/x.py")), i });
		vec_push(&g->s.frame_ids, i);
		vec_push(&g->s.stacks, (struct snapshot_stack){ i, 1 });
	}
}

static void rig_close(struct rig *g)
{
	digest_free(g->d);
	diag_release(&g->log);
	snapshot_release(&g->s);
}

static uint32_t stack_of(char c)
{
	return c == '-' ? SNAPSHOT_NO_STACK : (uint32_t)(c - '0');
}

static void add_entry(struct rig *g, char action, uint64_t address, uint64_t size, char stack)
{
	static const char actions[] = "afcsxmu?o";
	static const enum snapshot_action meaning[] = {
		ACTION_ALLOC,         ACTION_FREE_REQUESTED, ACTION_FREE_COMPLETED,
		ACTION_SEGMENT_ALLOC, ACTION_SEGMENT_FREE,   ACTION_SEGMENT_MAP,
		ACTION_SEGMENT_UNMAP, ACTION_OTHER,          ACTION_OOM
	};
	while (g->s.traces.nr <= (size_t)g->device)
		vec_push_zero(&g->s.traces);
	struct snapshot_trace *t = &g->s.traces.v[g->device];
	const char *known = strchr(actions, action);
	assert_non_null(known);
	struct snapshot_entry e = { .action = meaning[known - actions],
		                        .address = address,
		                        .size = size,
		                        .stack = stack_of(stack) };
	e.time_us = g->quiet ? INT64_MIN : 10 * ((int64_t)t->entries.nr + 1);
	if (action == 'o') {
		e.device_free = size;
		e.size = address;
		e.address = SNAPSHOT_NO_ADDRESS;
	}
	vec_push(&t->entries, e);
}

static void add_segment(struct rig *g, const char *line)
{
	struct snapshot_segment n = { .first_block = (uint32_t)g->s.blocks.nr,
		                          .stack = SNAPSHOT_NO_STACK };
	char flags[8];
	assert_int_equal(sscanf(line, "G %" SCNd64 " %" SCNu64 " %" SCNu64 " %7s", &n.device,
	                        &n.address, &n.total, flags),
	                 4);
	g->next_block = n.address;
	n.large = strchr(flags, 'L');
	n.expandable = strchr(flags, 'E');
	vec_push(&g->s.segments, n);
}

static void add_block(struct rig *g, const char *line)
{
	struct snapshot_block b = { .address = g->next_block };
	char state, stack;
	assert_int_equal(
	    sscanf(line, "b %c %" SCNu64 " %" SCNu64 " %c", &state, &b.size, &b.requested, &stack), 4);
	b.state = state == 'a' ? BLOCK_ACTIVE : state == 'p' ? BLOCK_PENDING_FREE : BLOCK_INACTIVE;
	b.stack = stack_of(stack);
	g->next_block += b.size;
	vec_push(&g->s.blocks, b);
	g->s.segments.v[g->s.segments.nr - 1].nr_blocks++;
}

static void add_line(struct rig *g, const char *line)
{
	uint64_t address, size;
	char name[64], action, stack;
	struct snapshot_annotation n = { .device = g->device, .end = true };
	if (*line == 'G') {
		add_segment(g, line);
	} else if (*line == 'b') {
		add_block(g, line);
	} else if (*line == 'D') {
		assert_int_equal(sscanf(line, "D %" SCNd64, &g->device), 1);
	} else if (*line == 'q') {
		g->quiet = true;
	} else if (*line == 'e' || *line == 'S') {
		n.end = *line == 'e';
		assert_int_equal(sscanf(line + 1, " %" SCNd64 " %63s", &n.time_us, name), 2);
		n.name = name_intern(&g->s.names, span_of(name));
		vec_push(&g->s.annotations, n);
	} else {
		assert_int_equal(
		    sscanf(line, "%c %" SCNu64 " %" SCNu64 " %c", &action, &address, &size, &stack), 4);
		add_entry(g, action, address, size, stack);
	}
}

static enum status replay_text(struct rig *g, const char *text, const struct replay_options *o)
{
	while (*text) {
		char line[128];
		size_t n = strcspn(text, "\n");
		assert_true(n < sizeof line);
		memcpy(line, text, n);
		line[n] = '\0';
		add_line(g, line);
		text += n + (text[n] == '\n');
	}
	return snapshot_reduce(&g->s, o, g->d, &g->log);
}

/* ---- figures as text ---- */

static void put(struct strbuf *b, const char *what, int64_t value)
{
	strbuf_addf(b, "%s%s%" PRId64, b->n && b->p[b->n - 1] != '[' ? " " : "", what, value);
}

static void put_row(struct strbuf *b, const struct memory_item *r)
{
	static const char *const kinds[] = { "",       "framework",   "no-stack",
		                                 "before", "unexplained", "rest" };
	strbuf_adds(b, b->n && b->p[b->n - 1] != '[' ? " " : "");
	strbuf_adds(b, kinds[r->kind]);
	strbuf_add(b, r->function);
	strbuf_addf(b, "=%" PRId64 "/%" PRId64, r->bytes, r->blocks);
}

static void put_rows(struct strbuf *b, const struct digest *d, const char *memory,
                     enum memory_list list)
{
	size_t nr;
	const struct memory_item *v = memory_list_of(d, memory, list, &nr);
	for (size_t i = 0; i < nr; i++)
		put_row(b, &v[i]);
}

struct row {
	const char *label, *text;
	void (*figures)(struct strbuf *b, const struct digest *d, size_t k); ///< of memory number `k`
	const char *expected; ///< expected text "[DEVICE: …]" for each device, or the error
};

static void check(const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct rig g;
		struct strbuf b = STRBUF_INIT;
		rig_open(&g);
		enum status st = replay_text(&g, rows[i].text, &(struct replay_options){ .capacity = -1 });
		if (st != ST_OK)
			strbuf_adds(&b, diag_first_error(&g.log));
		for (size_t k = 0; k < g.d->memories.nr; k++) {
			struct strbuf one = STRBUF_INIT;
			rows[i].figures(&one, g.d, k);
			strbuf_addf(&b, "[%s: %s]", g.d->memories.v[k].id, strbuf_str(&one));
			strbuf_release(&one);
		}
		if (strcmp(strbuf_str(&b), rows[i].expected) != 0)
			fail_msg("%s:\n  have %s\n  want %s", rows[i].label, strbuf_str(&b), rows[i].expected);
		strbuf_release(&b);
		rig_close(&g);
	}
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void put_trust(struct strbuf *b, const struct digest *d, size_t k)
{
	const struct memory_evidence *t = &d->memory_evidence.v[k];
	strbuf_addf(b, "%s%s%s", t->history ? "history " : "", t->midway ? "midway " : "",
	            t->truncated ? "truncated " : "");
	strbuf_addf(b, "unseen %" PRId64 " contradicted %" PRId64 " lost %" PRId64 " lowest %" PRId64,
	            t->unseen_frees, t->contradicted_frees, t->lost_allocs, t->lowest_allocated);
}

static void put_ooms(struct strbuf *b, const struct digest *d, size_t k)
{
	put_rows(b, d, d->memories.v[k].id, MEMORY_LIST_OOM);
}

#endif

/// Checks of the struct snapshot that a reader leaves, whether it has read or refused the input.
#ifndef GG_TESTS_SNAPSHOT_LAWS_H
#define GG_TESTS_SNAPSHOT_LAWS_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "read/pickle.h"

typedef enum status snapshot_reader(struct source *src, const struct snapshot_limits *limits,
                                    struct snapshot *out, struct diag_log *log);

static inline void check(bool law)
{
	if (!law)
		abort();
}

static inline void check_stack(const struct snapshot *s, uint32_t stack)
{
	check(stack == SNAPSHOT_NO_STACK || stack < s->stacks.nr);
}

static inline void check_range(uint64_t address, uint64_t size)
{
	check(address == SNAPSHOT_NO_ADDRESS || address + size >= address);
}

static inline void check_stacks(const struct snapshot *s)
{
	for (size_t i = 0; i < s->stacks.nr; i++) {
		check(s->stacks.v[i].nr > 0 && s->stacks.v[i].first + s->stacks.v[i].nr <= s->frame_ids.nr);
		for (size_t k = 0; k < s->stacks.v[i].nr; k++)
			check(s->frame_ids.v[s->stacks.v[i].first + k] < s->frames.nr);
	}
	for (size_t i = 0; i < s->frames.nr; i++)
		check(s->frames.v[i].function && s->frames.v[i].file && s->frames.v[i].line >= 0);
}

static inline void check_state(const struct snapshot *s)
{
	size_t next_block = 0;
	uint64_t total = 0, blocks = 0, requested = 0;
	for (size_t i = 0; i < s->segments.nr; i++) {
		const struct snapshot_segment *g = &s->segments.v[i];
		check(g->device >= 0 && g->first_block == next_block);
		check_range(g->address, g->total);
		check_stack(s, g->stack);
		next_block += g->nr_blocks;
		check(!__builtin_add_overflow(total, g->total, &total));
	}
	check(next_block == s->blocks.nr);
	for (size_t i = 0; i < s->blocks.nr; i++) {
		const struct snapshot_block *b = &s->blocks.v[i];
		check_range(b->address, b->size);
		check_stack(s, b->stack);
		check(!__builtin_add_overflow(blocks, b->size, &blocks));
		check(!__builtin_add_overflow(requested, b->requested, &requested));
	}
	check(total <= INT64_MAX && blocks <= INT64_MAX && requested <= INT64_MAX);
}

static inline void check_history(const struct snapshot *s)
{
	uint64_t bytes = 0, others = 0;
	check(s->has_history || s->traces.nr == 0);
	for (size_t d = 0; d < s->traces.nr; d++)
		for (size_t i = 0; i < s->traces.v[d].entries.nr; i++) {
			const struct snapshot_entry *e = &s->traces.v[d].entries.v[i];
			check_range(e->address, e->size);
			check_stack(s, e->stack);
			check(e->device_free <= INT64_MAX && e->size <= INT64_MAX);
			bytes += e->action == ACTION_OOM ? 0 : e->size;
			check(bytes <= INT64_MAX);
			others += e->action == ACTION_OTHER;
		}
	check(others == s->other_actions);
	for (size_t i = 0; i < s->annotations.nr; i++)
		check(s->annotations.v[i].name && s->annotations.v[i].device >= 0);
}

/// Reads `bytes` as a snapshot and checks the result; returns true if it is a snapshot.
static inline bool check_reader(struct span bytes, snapshot_reader *read,
                                const struct snapshot_limits *limits, size_t block)
{
	struct source_options so = { .block = block, .window = block ? 7 : 0 };
	struct source *src = source_memory("fuzz", bytes.p, bytes.n, &so);
	struct snapshot s;
	struct diag_log log;
	diag_init(&log);
	enum status st = read(src, limits, &s, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK
	          ? !error
	          : st == ST_INPUT && error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	if (st == ST_OK) {
		check_stacks(&s);
		check_state(&s);
		check_history(&s);
		snapshot_release(&s);
	}
	diag_release(&log);
	source_close(src);
	return st == ST_OK;
}

#endif

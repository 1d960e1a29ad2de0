/// Snapshots for tests: read from bytes, written as text, compared.
#ifndef GG_TESTS_SNAPSHOT_DUMP_H
#define GG_TESTS_SNAPSHOT_DUMP_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "read/pickle.h"

typedef enum status snapshot_reader(struct source *src, const struct snapshot_limits *limits,
                                    struct snapshot *out, struct diag_log *log);

static inline void dump_address(struct strbuf *out, uint64_t address)
{
	if (address == SNAPSHOT_NO_ADDRESS)
		strbuf_adds(out, " @?");
	else
		strbuf_addf(out, " @%" PRIu64, address);
}

static inline void dump_stack(struct strbuf *out, uint32_t stack)
{
	if (stack != SNAPSHOT_NO_STACK)
		strbuf_addf(out, " #%" PRIu32, stack);
	strbuf_addch(out, '\n');
}

static inline void dump_segments(struct strbuf *out, const struct snapshot *s)
{
	static const char *const states[] = { "active", "pending", "inactive" };
	for (size_t i = 0; i < s->segments.nr; i++) {
		const struct snapshot_segment *g = &s->segments.v[i];
		strbuf_addf(out, "segment device %" PRId64, g->device);
		dump_address(out, g->address);
		strbuf_addf(out, " %" PRIu64 "%s%s", g->total, g->large ? " large" : "",
		            g->expandable ? " expandable" : "");
		dump_stack(out, g->stack);
		for (size_t k = g->first_block; k < g->first_block + (size_t)g->nr_blocks; k++) {
			const struct snapshot_block *b = &s->blocks.v[k];
			strbuf_addf(out, " %s", states[b->state]);
			dump_address(out, b->address);
			strbuf_addf(out, " %" PRIu64 "/%" PRIu64, b->requested, b->size);
			dump_stack(out, b->stack);
		}
	}
}

static inline void dump_entry(struct strbuf *out, const struct snapshot_entry *e)
{
	static const char *const actions[] = {
		"alloc",        "free_requested", "free_completed", "segment_alloc",
		"segment_free", "segment_map",    "segment_unmap",  "snapshot",
		"oom",          "mark",           "other",
	};
	strbuf_addf(out, " %s", actions[e->action]);
	dump_address(out, e->address);
	strbuf_addf(out, " %" PRIu64, e->size);
	if (e->device_free)
		strbuf_addf(out, " free %" PRIu64, e->device_free);
	if (e->time_us != INT64_MIN)
		strbuf_addf(out, " at %" PRId64, e->time_us);
	dump_stack(out, e->stack);
}

/// Writes all contents of a snapshot, one item per line.
static inline void snapshot_dump(struct strbuf *out, const struct snapshot *s)
{
	dump_segments(out, s);
	for (size_t i = 0; i < s->traces.nr; i++) {
		strbuf_addf(out, "device %zu\n", i);
		for (size_t k = 0; k < s->traces.v[i].entries.nr; k++)
			dump_entry(out, &s->traces.v[i].entries.v[k]);
	}
	for (size_t i = 0; i < s->annotations.nr; i++) {
		const struct snapshot_annotation *a = &s->annotations.v[i];
		strbuf_addf(out, "%s %s device %" PRId64 " at %" PRId64 "\n", a->end ? "end" : "start",
		            a->name->s, a->device, a->time_us);
	}
	for (size_t i = 0; i < s->stacks.nr; i++) {
		strbuf_addf(out, "#%zu", i);
		for (size_t k = 0; k < s->stacks.v[i].nr; k++)
			strbuf_addf(out, " %" PRIu32, s->frame_ids.v[s->stacks.v[i].first + k]);
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < s->frames.nr; i++) {
		const struct snapshot_frame *f = &s->frames.v[i];
		strbuf_addf(out, "frame %s %s:%" PRId64 "\n", f->function->s, f->file->s, f->line);
	}
	if (s->other_actions)
		strbuf_addf(out, "%" PRIu64 " other\n", s->other_actions);
	if (s->json_faults)
		strbuf_addf(out, "%" PRIu64 " faults, first at %" PRIu64 "\n", s->json_faults,
		            s->fault_byte);
	if (!s->has_history)
		strbuf_adds(out, "no history\n");
}

/// Reads `src`, closes it, and returns the dump, or only the error. `*st` becomes the status.
/// Aborts if a read that fails has written to its result.
static inline struct strbuf dump_source(struct source *src, snapshot_reader *read,
                                        const struct snapshot_limits *limits, enum status *st)
{
	struct strbuf out = STRBUF_INIT;
	struct snapshot s, untouched;
	struct diag_log log;
	diag_init(&log);
	memset(&s, 0xa5, sizeof s);
	memcpy(&untouched, &s, sizeof s);
	*st = read(src, limits, &s, &log);
	if (*st == ST_OK) {
		snapshot_dump(&out, &s);
		snapshot_release(&s);
	} else {
		strbuf_adds(&out, diag_first_error(&log));
		if (memcmp(&untouched, &s, sizeof s) != 0)
			abort();
	}
	source_close(src);
	diag_release(&log);
	return out;
}

/// Like dump_source(), for bytes in memory, in blocks and a window of `block` (0: whole). They are
/// copied to a block of exactly their size, so that a sanitizer sees a read past the end.
static inline struct strbuf dump_bytes(struct span bytes, snapshot_reader *read,
                                       const struct snapshot_limits *limits, size_t block,
                                       enum status *st)
{
	struct source_options so = { .block = block, .window = block };
	char *copy = malloc(bytes.n + 1);
	if (!copy)
		abort();
	memcpy(copy + 1, bytes.p, bytes.n);
	struct strbuf out = dump_source(source_memory("doc", copy + 1, bytes.n, &so), read, limits, st);
	free(copy);
	return out;
}

#endif

#include "read/snapshot_form.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

void snapshot_builder_init(struct snapshot_builder *b, const struct snapshot_limits *limits)
{
	*b = (struct snapshot_builder){ .limits = limits, .path = NO_ID };
	snapshot_init(&b->snapshot);
	idmap_init(&b->sites);
	idmap_init(&b->frames);
	idmap_init(&b->paths);
}

enum status snapshot_builder_finish(struct snapshot_builder *b, const struct source *src,
                                    enum status st, struct snapshot *out, struct diag_log *log)
{
	if (st == ST_OK && b->other)
		diag_warn(log,
		          "%s: %" PRIu64 " of its history's entries have no effect, as their actions are "
		          "unknown, such as %s: see whether a newer gpugate knows them",
		          source_name(src), b->snapshot.other_actions,
		          text_quote(&log->arena, name_span(b->other)));
	if (st == ST_OK)
		*out = b->snapshot;
	else
		snapshot_release(&b->snapshot);
	idmap_release(&b->sites);
	idmap_release(&b->frames);
	idmap_release(&b->paths);
	vec_release(&b->stack_of);
	vec_release(&b->open);
	return st;
}

/* True if a list of `nr` elements may get one more within `limit`; else false, with `problem`
   set. */
static bool has_room(struct snapshot_builder *b, size_t nr, size_t limit, const char *what)
{
	if (nr >= limit)
		snprintf(b->problem, sizeof b->problem, "more than %zu %s", limit, what);
	return nr < limit;
}

/* Adds `size` to `*sum`; false, with `problem` set, if the sum would exceed the limit. */
static bool add_bytes(struct snapshot_builder *b, uint64_t *sum, uint64_t size, const char *what)
{
	if (size > b->limits->bytes || *sum > b->limits->bytes - size) {
		snprintf(b->problem, sizeof b->problem, "%s come to more than %" PRIu64 " bytes", what,
		         b->limits->bytes);
		return false;
	}
	*sum += size;
	return true;
}

static bool range_fits(struct snapshot_builder *b, uint64_t address, uint64_t size)
{
	if (address == SNAPSHOT_NO_ADDRESS || size < SNAPSHOT_NO_ADDRESS - address)
		return true;
	snprintf(b->problem, sizeof b->problem, "address and size reach beyond 2^64 - 1");
	return false;
}

/* ---- stacks of frames ---- */

const struct name *snapshot_add_name(struct snapshot_builder *b, struct span text)
{
	const struct name *nm = name_intern(&b->snapshot.names, text);
	if (!nm)
		snprintf(b->problem, sizeof b->problem, "too many different names");
	return nm;
}

uint32_t snapshot_frame_id(struct snapshot_builder *b, const struct name *function,
                           const struct name *file, int64_t line)
{
	if (line < 0 || line > UINT32_MAX)
		line = 0;
	uint32_t site = idmap_add(&b->sites, idmap_pair(function->id, file->id));
	uint32_t frame = idmap_add(&b->frames, idmap_pair(site, (uint32_t)line));
	if (frame == b->snapshot.frames.nr)
		vec_push(&b->snapshot.frames, (struct snapshot_frame){ function, file, line });
	return frame;
}

bool snapshot_add_frame(struct snapshot_builder *b, uint32_t frame)
{
	b->path = idmap_add(&b->paths, idmap_pair(b->path, frame));
	if (b->path == b->stack_of.nr) {
		if (!has_room(b, b->stack_of.nr, b->limits->frames, "frames of different stacks"))
			return false;
		vec_push(&b->stack_of, SNAPSHOT_NO_STACK);
	}
	vec_push(&b->open, frame);
	return true;
}

bool snapshot_end_stack(struct snapshot_builder *b, uint32_t *out)
{
	struct snapshot *s = &b->snapshot;
	*out = SNAPSHOT_NO_STACK;
	if (b->open.nr == 0)
		return true;
	uint32_t *stack = &b->stack_of.v[b->path];
	if (*stack == SNAPSHOT_NO_STACK) {
		if (!has_room(b, s->frame_ids.nr + b->open.nr - 1, b->limits->frames,
		              "frames of different stacks"))
			return false;
		*stack = (uint32_t)s->stacks.nr;
		vec_push(&s->stacks,
		         (struct snapshot_stack){ (uint32_t)s->frame_ids.nr, (uint32_t)b->open.nr });
		for (size_t i = 0; i < b->open.nr; i++)
			vec_push(&s->frame_ids, b->open.v[i]);
	}
	*out = *stack;
	b->open.nr = 0;
	b->path = NO_ID;
	return true;
}

/* ---- segments and blocks of the final state ---- */

bool snapshot_add_block(struct snapshot_builder *b, const struct snapshot_block *block)
{
	if (!has_room(b, b->snapshot.blocks.nr, b->limits->blocks, "blocks") ||
	    !range_fits(b, block->address, block->size) ||
	    !add_bytes(b, &b->block_bytes, block->size, "blocks") ||
	    !add_bytes(b, &b->requested_bytes, block->requested, "requested sizes"))
		return false;
	vec_push(&b->snapshot.blocks, *block);
	return true;
}

ORDERING(by_address, struct snapshot_block, RISING(address))

/* Computes the addresses of blocks if no block has one: the blocks lie side by side in their
 * segment, in order. Source: torch/utils/viz/MemoryViz.js, annotate_snapshot (pytorch/pytorch). */
static void derive_addresses(struct snapshot_block *v, size_t nr, uint64_t address)
{
	if (ANY(i, nr, v[i].address != SNAPSHOT_NO_ADDRESS))
		return;
	for (size_t i = 0; i < nr && v[i].size < SNAPSHOT_NO_ADDRESS - address; i++) {
		v[i].address = address;
		address += v[i].size;
	}
}

bool snapshot_end_segment(struct snapshot_builder *b, const struct snapshot_segment *segment)
{
	struct snapshot *s = &b->snapshot;
	if (!has_room(b, s->segments.nr, b->limits->segments, "segments") ||
	    !range_fits(b, segment->address, segment->total) ||
	    !add_bytes(b, &b->segment_bytes, segment->total, "segments"))
		return false;
	struct snapshot_segment *new = vec_push_zero(&s->segments);
	*new = *segment;
	new->first_block = b->first_block;
	new->nr_blocks = (uint32_t)(s->blocks.nr - b->first_block);
	if (!new->nr_blocks)
		return true;
	struct snapshot_block *v = s->blocks.v + b->first_block;
	if (segment->address != SNAPSHOT_NO_ADDRESS)
		derive_addresses(v, new->nr_blocks, segment->address);
	if (ANY(i, new->nr_blocks - 1, v[i + 1].address < v[i].address))
		sort_plain(v, new->nr_blocks, sizeof *v, by_address);
	b->first_block = (uint32_t)s->blocks.nr;
	return true;
}

/* ---- entries of the history ---- */

bool snapshot_add_device(struct snapshot_builder *b)
{
	if (!has_room(b, b->snapshot.traces.nr, b->limits->devices, "devices"))
		return false;
	vec_push(&b->snapshot.traces, (struct snapshot_trace){ 0 });
	return true;
}

bool snapshot_add_entry(struct snapshot_builder *b, const struct snapshot_entry *entry)
{
	struct snapshot *s = &b->snapshot;
	struct snapshot_trace *trace = &s->traces.v[s->traces.nr - 1];
	/* a failed allocation may be of any size, so it is left out of the sum that has a limit */
	uint64_t alone = 0;
	if (!has_room(b, b->nr_entries, b->limits->entries, "trace entries") ||
	    !range_fits(b, entry->address, entry->size) ||
	    !add_bytes(b, entry->action == ACTION_OOM ? &alone : &b->entry_bytes, entry->size,
	               "trace entries"))
		return false;
	alone = 0;
	if (!add_bytes(b, &alone, entry->device_free, "free bytes of the device"))
		return false;
	b->nr_entries++;
	if (entry->action == ACTION_OTHER)
		s->other_actions++;
	vec_push(&trace->entries, *entry);
	return true;
}

bool snapshot_add_annotation(struct snapshot_builder *b,
                             const struct snapshot_annotation *annotation)
{
	if (!has_room(b, b->snapshot.annotations.nr, b->limits->annotations, "annotations"))
		return false;
	vec_push(&b->snapshot.annotations, *annotation);
	return true;
}

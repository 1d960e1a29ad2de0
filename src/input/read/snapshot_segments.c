#include "base/text.h"
#include "read/snapshot_form.h"

struct raw_block {
	struct scalar address, size, requested;
	int state; ///< state of the block (enum block_state); -1 if not given
	bool has_frames;
	struct scalar real_size; ///< requested size of the block, from the block's own history (torch
	                         ///< 2.0)
	uint32_t stack, history_stack;
};

/* Reads a block's list of allocations, as torch 2.0 records it, newest first. Only the newest is
   kept. */
static void read_history(struct form *f, struct raw_block *raw)
{
	struct span key;
	if (!tree_enter_array(f->t))
		return;
	for (bool first = true; tree_element(f->t); first = false) {
		if (!first || !tree_object(f->t)) {
			tree_skip(f->t);
			continue;
		}
		while (tree_key(f->t, &key)) {
			if (span_eq(key, SPAN("real_size")))
				raw->real_size = tree_scalar(f->t);
			else if (span_eq(key, SPAN("frames")))
				raw->history_stack = form_stack(f);
			else
				tree_skip(f->t);
		}
	}
}

static int read_state(struct form *f)
{
	static const char *const words[] = { "active_allocated", "active_pending_free", "inactive",
		                                 "active_awaiting_free" };
	uint64_t byte = tree_byte(f->t);
	struct span text;
	int i = form_word(f, "state", words, 4, &text);
	if (i == 4) {
		struct arena a = ARENA_INIT;
		form_fail(f, byte, "state", "unknown block state %s; update gpugate", text_quote(&a, text));
		arena_release(&a);
	}
	return i == 3 ? BLOCK_PENDING_FREE : i;
}

static void read_block_key(struct form *f, struct span key, struct raw_block *raw)
{
	if (span_eq(key, SPAN("address"))) {
		raw->address = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("size"))) {
		raw->size = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("requested_size"))) {
		raw->requested = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("state"))) {
		raw->state = read_state(f);
	} else if (span_eq(key, SPAN("frames"))) {
		raw->has_frames = true;
		raw->stack = form_stack(f);
	} else if (span_eq(key, SPAN("history"))) {
		read_history(f, raw);
	} else {
		tree_skip(f->t);
	}
}

static void read_block(struct form *f)
{
	struct raw_block raw = { .state = -1,
		                     .stack = SNAPSHOT_NO_STACK,
		                     .history_stack = SNAPSHOT_NO_STACK };
	uint64_t byte = tree_byte(f->t);
	struct span key;
	if (!tree_object(f->t)) {
		form_fail(f, byte, NULL,
		          "not an object where a block was expected; write the snapshot anew");
		return;
	}
	while (tree_key(f->t, &key))
		read_block_key(f, key, &raw);
	if (!form_ok(f) || !form_need(f, raw.size.type != SCALAR_NULL, byte, "size") ||
	    !form_need(f, raw.state >= 0, byte, "state"))
		return;
	struct snapshot_block block = {
		.address = form_address(f, &raw.address, "address"),
		.size = form_u64(f, &raw.size, "size", 0),
		.state = (enum block_state)raw.state,
		.stack = raw.has_frames ? raw.stack : raw.history_stack,
	};
	block.requested = block.size;
	if (block.state != BLOCK_INACTIVE && raw.requested.type != SCALAR_NULL)
		block.requested = form_u64(f, &raw.requested, "requested_size", 0);
	else if (block.state != BLOCK_INACTIVE)
		block.requested = form_u64(f, &raw.real_size, "history[0].real_size", block.size);
	if (form_ok(f) && !snapshot_add_block(f->b, &block))
		form_fail_built(f, byte);
}

struct raw_segment {
	struct scalar device, address, total;
	bool large, expandable, has_blocks;
	uint32_t stack;
};

static void read_blocks(struct form *f, struct raw_segment *raw)
{
	uint64_t byte = tree_byte(f->t);
	if (raw->has_blocks) {
		form_fail(f, byte, "blocks", "is there twice; write the snapshot anew");
	} else if (tree_array(f->t)) {
		raw->has_blocks = true;
		f->inner = ".blocks";
		for (f->inner_index = 0; tree_element(f->t); f->inner_index++)
			read_block(f);
		f->inner = NULL;
	} else {
		form_fail(f, byte, "blocks", "not an array; write the snapshot anew");
	}
}

static void read_segment_key(struct form *f, struct span key, struct raw_segment *raw)
{
	static const char *const types[] = { "small", "large" };
	struct span text;
	if (span_eq(key, SPAN("device")))
		raw->device = tree_scalar(f->t);
	else if (span_eq(key, SPAN("address")))
		raw->address = tree_scalar(f->t);
	else if (span_eq(key, SPAN("total_size")))
		raw->total = tree_scalar(f->t);
	else if (span_eq(key, SPAN("segment_type")))
		raw->large = form_word(f, "segment_type", types, 2, &text) == 1;
	else if (span_eq(key, SPAN("is_expandable")))
		raw->expandable = tree_scalar(f->t).magnitude != 0;
	else if (span_eq(key, SPAN("frames")))
		raw->stack = form_stack(f);
	else if (span_eq(key, SPAN("blocks")))
		read_blocks(f, raw);
	else
		tree_skip(f->t);
}

static void read_segment(struct form *f)
{
	struct raw_segment raw = { .stack = SNAPSHOT_NO_STACK };
	uint64_t byte = tree_byte(f->t);
	struct span key;
	if (!tree_object(f->t)) {
		form_fail(f, byte, NULL,
		          "not an object where a segment was expected; write the snapshot anew");
		return;
	}
	while (tree_key(f->t, &key))
		read_segment_key(f, key, &raw);
	if (!form_ok(f) || !form_need(f, raw.total.type != SCALAR_NULL, byte, "total_size") ||
	    !form_need(f, raw.has_blocks, byte, "blocks"))
		return;
	struct snapshot_segment segment = {
		.device = form_device(f, &raw.device),
		.address = form_address(f, &raw.address, "address"),
		.total = form_u64(f, &raw.total, "total_size", 0),
		.large = raw.large,
		.expandable = raw.expandable,
		.stack = raw.stack,
	};
	if (form_ok(f) && !snapshot_end_segment(f->b, &segment))
		form_fail_built(f, byte);
}

void form_segments(struct form *f)
{
	for (f->index = 0; tree_element(f->t); f->index++)
		read_segment(f);
}

#include "read/snapshot_form.h"

struct raw_entry {
	int action; ///< index of the entry's action in the list of names; -1 if not given
	struct scalar address, size, device_free, time;
	uint32_t stack;
};

static void read_entry_key(struct form *f, struct span key, struct raw_entry *raw)
{
	/* names of actions, in the order of enum snapshot_action */
	static const char *const words[ACTION_OTHER] = {
		"alloc",       "free_requested", "free_completed", "segment_alloc", "segment_free",
		"segment_map", "segment_unmap",  "snapshot",       "oom",           "user_defined",
	};
	struct span text;
	if (span_eq(key, SPAN("action"))) {
		raw->action = form_word(f, "action", words, ACTION_OTHER, &text);
		if (raw->action == ACTION_OTHER)
			f->b->other = snapshot_add_name(f->b, text);
	} else if (span_eq(key, SPAN("addr"))) {
		raw->address = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("size"))) {
		raw->size = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("device_free"))) {
		raw->device_free = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("time_us"))) {
		raw->time = tree_scalar(f->t);
	} else if (span_eq(key, SPAN("frames"))) {
		raw->stack = form_stack(f);
	} else {
		tree_skip(f->t);
	}
}

static void read_entry(struct form *f)
{
	struct raw_entry raw = { .action = -1, .stack = SNAPSHOT_NO_STACK };
	uint64_t byte = tree_byte(f->t);
	struct span key;
	if (!tree_object(f->t)) {
		form_fail(f, byte, NULL,
		          "not an object where a trace entry was expected; write the snapshot anew");
		return;
	}
	while (tree_key(f->t, &key))
		read_entry_key(f, key, &raw);
	if (!form_ok(f) || !form_need(f, raw.action >= 0, byte, "action"))
		return;
	struct snapshot_entry e = { .action = (enum snapshot_action)raw.action, .stack = raw.stack };
	bool sized = e.action < ACTION_SNAPSHOT;
	if (sized && !form_need(f, raw.size.type != SCALAR_NULL, byte, "size"))
		return;
	/* address and size of a user-defined or unknown action may mean anything, so they are ignored
	 */
	if (e.action < ACTION_USER_DEFINED) {
		e.address = form_address(f, &raw.address, "addr");
		e.size = form_u64(f, &raw.size, "size", 0);
	} else {
		e.address = SNAPSHOT_NO_ADDRESS;
	}
	if (e.action == ACTION_OOM)
		e.device_free = form_u64(f, &raw.device_free, "device_free", 0);
	e.time_us = form_i64(f, &raw.time, "time_us", INT64_MIN);
	if (form_ok(f) && !snapshot_add_entry(f->b, &e))
		form_fail_built(f, byte);
}

void form_traces(struct form *f)
{
	for (f->index = 0; tree_element(f->t); f->index++) {
		uint64_t byte = tree_byte(f->t);
		if (!snapshot_add_device(f->b)) {
			form_fail_built(f, byte);
		} else if (tree_array(f->t)) {
			f->inner = "";
			for (f->inner_index = 0; tree_element(f->t); f->inner_index++)
				read_entry(f);
			f->inner = NULL;
		} else {
			form_fail(
			    f, byte, NULL,
			    "not an array where the trace of a device was expected; write the snapshot anew");
		}
	}
}

/* Reads an annotation. Only a START or END with a name and a time is kept. */
static void read_annotation(struct form *f)
{
	static const char *const stages[] = { "START", "END" };
	struct snapshot_annotation a = { 0 };
	struct scalar device = { 0 }, time = { 0 };
	int stage = -1;
	uint64_t byte = tree_byte(f->t);
	struct span key, text;
	if (!tree_enter_object(f->t))
		return;
	while (tree_key(f->t, &key)) {
		if (span_eq(key, SPAN("stage"))) {
			stage = form_word(f, "stage", stages, 2, &text);
		} else if (span_eq(key, SPAN("name"))) {
			struct scalar s = tree_scalar(f->t);
			if (s.type == SCALAR_TEXT && !(a.name = snapshot_add_name(f->b, s.text)))
				form_fail_built(f, s.byte);
		} else if (span_eq(key, SPAN("device"))) {
			device = tree_scalar(f->t);
		} else if (span_eq(key, SPAN("time_us"))) {
			time = tree_scalar(f->t);
		} else {
			tree_skip(f->t);
		}
	}
	if (!form_ok(f) || stage < 0 || stage > 1 || !a.name || time.type == SCALAR_NULL)
		return;
	a.end = stage == 1;
	a.device = form_device(f, &device);
	a.time_us = form_i64(f, &time, "time_us", 0);
	if (form_ok(f) && !snapshot_add_annotation(f->b, &a))
		form_fail_built(f, byte);
}

void form_annotations(struct form *f)
{
	for (f->index = 0; tree_element(f->t); f->index++)
		read_annotation(f);
}

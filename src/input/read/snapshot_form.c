/* Keys of a snapshot and their meaning. Sources: torch/cuda/memory.py (_snapshot),
   torch/csrc/cuda/memory_snapshot.cpp, c10/cuda/CUDACachingAllocator.h; for torch 2.0:
   torch/cuda/_memory_viz.py, _block_extra_legacy (pytorch/pytorch). */
#include "read/snapshot_form.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/strbuf.h"

bool form_ok(const struct form *f)
{
	return tree_status(f->t) == ST_OK;
}

void form_fail(struct form *f, uint64_t byte, const char *key, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	if (!form_ok(f))
		return;
	strbuf_addf(&b, "%s[%" PRIu64 "]", f->list, f->index);
	if (f->inner)
		strbuf_addf(&b, "%s[%" PRIu64 "]", f->inner, f->inner_index);
	strbuf_addf(&b, "%s%s: ", key ? "." : "", key ? key : "");
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	tree_fail(f->t, byte, strbuf_str(&b));
	strbuf_release(&b);
}

void form_fail_built(struct form *f, uint64_t byte)
{
	form_fail(f, byte, NULL, "%s; write the snapshot anew", f->b->problem);
}

/* ---- values of keys ---- */

uint64_t form_u64(struct form *f, const struct scalar *s, const char *key, uint64_t absent)
{
	if (s->type == SCALAR_NULL)
		return absent;
	if (s->type != SCALAR_INTEGER || (s->negative && s->magnitude))
		form_fail(f, s->byte, key,
		          "not a whole number from 0 to 2^64 - 1; write the snapshot anew");
	return s->magnitude;
}

uint64_t form_address(struct form *f, const struct scalar *s, const char *key)
{
	/* old versions of torch wrote addresses as signed numbers (pytorch#115234): an address from
	   2^63 on is below 0 in their files */
	bool wrapped =
	    s->type == SCALAR_INTEGER && s->negative && s->magnitude <= (uint64_t)INT64_MAX + 1;
	uint64_t v = wrapped ? 0 - s->magnitude : form_u64(f, s, key, SNAPSHOT_NO_ADDRESS);
	if (s->type != SCALAR_NULL && v == SNAPSHOT_NO_ADDRESS)
		form_fail(f, s->byte, key, "not an address: beyond 2^64 - 2; write the snapshot anew");
	return v;
}

int64_t form_i64(struct form *f, const struct scalar *s, const char *key, int64_t absent)
{
	if (s->type == SCALAR_NULL)
		return absent;
	if (s->type != SCALAR_INTEGER || s->magnitude > (uint64_t)INT64_MAX + s->negative)
		form_fail(f, s->byte, key, "not a whole number that fits 64 bits; write the snapshot anew");
	return s->negative ? (int64_t)(0 - s->magnitude) : (int64_t)s->magnitude;
}

int64_t form_device(struct form *f, const struct scalar *s)
{
	int64_t v = form_i64(f, s, "device", 0);
	if (v < 0)
		form_fail(f, s->byte, "device", "a device below 0; write the snapshot anew");
	return v;
}

bool form_need(struct form *f, bool given, uint64_t byte, const char *key)
{
	if (!given)
		form_fail(f, byte, key, "missing; write the snapshot anew");
	return given;
}

int form_word(struct form *f, const char *key, const char *const *words, int nr, struct span *text)
{
	struct scalar s = tree_scalar(f->t);
	if (s.type == SCALAR_NULL)
		return -1;
	if (s.type != SCALAR_TEXT) {
		form_fail(f, s.byte, key, "not text; write the snapshot anew");
		return -1;
	}
	*text = s.text;
	for (int i = 0; i < nr; i++)
		if (span_eq(s.text, span_of(words[i])))
			return i;
	return nr;
}

/* ---- stacks of frames ---- */

/* The id of an element in a list of frames that is not an object. */
#define NO_FRAME UINT32_MAX

/* Reads a frame; `*out` becomes its id. Frames only explain where memory was allocated, so members
 * of another type count as not given. False, with the builder's `problem` set, if there are too
 * many names. */
static bool read_frame(struct form *f, uint32_t *out)
{
	const struct name *function = NULL, *file = NULL;
	int64_t line = 0;
	struct span key;
	*out = NO_FRAME;
	if (!tree_enter_object(f->t))
		return true;
	while (tree_key(f->t, &key)) {
		bool is_name = span_eq(key, SPAN("name")), is_file = span_eq(key, SPAN("filename"));
		bool is_line = span_eq(key, SPAN("line"));
		if (!is_name && !is_file && !is_line) {
			tree_skip(f->t);
			continue;
		}
		struct scalar s = tree_scalar(f->t);
		if (is_line) {
			line = s.type == SCALAR_INTEGER && !s.negative && s.magnitude <= UINT32_MAX
			           ? (int64_t)s.magnitude
			           : 0;
		} else if (s.type == SCALAR_TEXT) {
			const struct name *nm = snapshot_add_name(f->b, s.text);
			if (!nm)
				return false;
			*(is_name ? &function : &file) = nm;
		}
	}
	if (!function)
		function = snapshot_add_name(f->b, SPAN(""));
	if (!file)
		file = snapshot_add_name(f->b, SPAN(""));
	if (function && file)
		*out = snapshot_frame_id(f->b, function, file, line);
	return function && file;
}

uint32_t form_stack(struct form *f)
{
	uint64_t byte = tree_byte(f->t);
	if (!tree_enter_array(f->t))
		return SNAPSHOT_NO_STACK;
	uint32_t stack;
	bool built = true;
	while (built && tree_element(f->t)) {
		uint32_t frame;
		bool again = tree_again(f->t, &frame);
		built = again || read_frame(f, &frame);
		if (built && !again && form_ok(f))
			tree_learn(f->t, frame);
		if (built && frame != NO_FRAME)
			built = snapshot_add_frame(f->b, frame);
	}
	if (!built || !snapshot_end_stack(f->b, &stack)) {
		form_fail_built(f, byte);
		return SNAPSHOT_NO_STACK;
	}
	return stack;
}

/* ---- outermost value ---- */

static const struct {
	const char *key;
	void (*read)(struct form *f); ///< reads the elements of the array whose opening bracket the
	                              ///< caller has read
} sections[] = {
	{ "segments", form_segments },
	{ "device_traces", form_traces },
	{ "external_annotations", form_annotations },
};

static void read_settings(struct form *f)
{
	struct span key;
	while (tree_key(f->t, &key)) {
		if (!span_eq(key, SPAN("trace_alloc_overflowed"))) {
			tree_skip(f->t);
			continue;
		}
		struct scalar s = tree_scalar(f->t);
		f->b->snapshot.overflowed = s.type == SCALAR_BOOL && s.magnitude;
	}
}

static void read_top_key(struct form *f, struct span key)
{
	struct strbuf what = STRBUF_INIT;
	size_t i = 0;
	while (i < NR_OF(sections) && !span_eq(key, span_of(sections[i].key)))
		i++;
	uint64_t byte = tree_byte(f->t); /* offset of the value; the key has already been consumed */
	if (span_eq(key, SPAN("allocator_settings")) && tree_object(f->t)) {
		read_settings(f);
	} else if (i == NR_OF(sections)) {
		tree_skip(f->t);
	} else if (f->seen[i]) {
		strbuf_addf(&what, "'%s' is there twice; write the snapshot anew", sections[i].key);
	} else if (tree_array(f->t)) {
		f->seen[i] = true;
		f->list = sections[i].key;
		sections[i].read(f);
	} else if (tree_scalar(f->t).type != SCALAR_NULL) {
		strbuf_addf(&what, "'%s' is not an array; write the snapshot anew", sections[i].key);
	}
	if (what.n)
		tree_fail(f->t, byte, strbuf_str(&what));
	strbuf_release(&what);
}

void snapshot_form_read(void *builder, const struct tree *t)
{
	struct snapshot_builder *b = builder;
	struct form f = { .t = t, .b = b };
	uint64_t byte = tree_byte(t);
	struct span key;
	if (tree_object(t)) {
		while (tree_key(t, &key))
			read_top_key(&f, key);
	} else if (tree_array(t)) {
		f.list = "";
		f.seen[0] = true;
		form_segments(&f);
	} else {
		tree_skip(t);
	}
	b->snapshot.has_history = f.seen[1];
	if (!f.seen[0])
		tree_fail(t, byte,
		          "not a memory snapshot: 'segments' is missing; give what "
		          "torch.cuda.memory._snapshot() returned");
}

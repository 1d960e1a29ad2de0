/// Two readers of any JSON text, for tests: one reads everything, one skips everything.
#ifndef GG_TESTS_JSCAN_WALK_H
#define GG_TESTS_JSCAN_WALK_H

#include <inttypes.h>

#include "base/strbuf.h"
#include "io/jscan.h"

enum { WALK_DEPTH = 512 };

/// The outcome of reading a text.
struct walked {
	enum status status;
	struct strbuf events; ///< values as text in a notation of the tests, "{a:1 b:[s't' null ]}"
	struct strbuf error; ///< error message; "" if there was none
	uint64_t byte; ///< offset at which the reading ended
	bool cut;
	uint64_t faults, first_fault;
};

/// Releases the memory of an outcome.
static inline void walked_release(struct walked *w)
{
	strbuf_release(&w->events);
	strbuf_release(&w->error);
}

/* Appends text, with invisible bytes as \xNN. */
static inline void walk_text(struct strbuf *out, struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c > 0x20 && c < 0x7f && c != '\\')
			strbuf_addch(out, (char)c);
		else
			strbuf_addf(out, "\\x%02x", c);
	}
}

/* Reads a scalar, or enters a container: returns 1 for an object, 0 for an array, else -1. */
static inline int walk_value(struct jscan *js, struct strbuf *out)
{
	static const char *const words[] = {
		[JSCAN_TRUE] = "true", [JSCAN_FALSE] = "false", [JSCAN_NULL] = "null", [JSCAN_NAN] = "nan"
	};
	enum jscan_type type;
	struct span text;
	if (jscan_object(js)) {
		strbuf_adds(out, "{");
		return 1;
	}
	if (jscan_array(js)) {
		strbuf_adds(out, "[");
		return 0;
	}
	if (jscan_string(js, &text)) {
		strbuf_adds(out, "s'");
		walk_text(out, text);
		strbuf_adds(out, "' ");
	} else if (jscan_number(js, &text)) {
		walk_text(out, text);
		strbuf_adds(out, " ");
	} else if (jscan_literal(js, &type)) {
		strbuf_addf(out, "%s ", words[type]);
	}
	return -1;
}

/* Reads a whole value, with an explicit stack. */
static inline void walk(struct jscan *js, struct strbuf *out)
{
	bool object[WALK_DEPTH];
	size_t depth = 0;
	struct span key;
	do {
		int opened = walk_value(js, out);
		if (opened >= 0)
			object[depth++] = opened;
		/* leaves all containers that end here, and moves to the next value */
		for (bool more = false; depth && !more && jscan_status(js) == ST_OK;) {
			more = object[depth - 1] ? jscan_key(js, &key) : jscan_element(js);
			if (more && object[depth - 1]) {
				walk_text(out, key);
				strbuf_adds(out, ":");
			}
			if (!more && jscan_status(js) == ST_OK)
				strbuf_adds(out, object[--depth] ? "} " : "] ");
		}
	} while (depth && jscan_status(js) == ST_OK);
}

/// Reads `text` to its end, in blocks and a first window of `size` bytes (0 means the whole text),
/// or skips it if `skip`. Caller: walked_release().
static inline struct walked walk_text_of(struct span text, bool tolerant, size_t size, bool skip)
{
	struct walked w = { .events = STRBUF_INIT, .error = STRBUF_INIT };
	struct source_options so = { .block = size, .window = size };
	struct jscan_options options = { .tolerant = tolerant };
	struct diag_log log;
	diag_init(&log);
	struct source *src = source_memory("doc", text.p, text.n, &so);
	struct jscan *js = jscan_new(src, &options, &log);
	if (skip)
		jscan_skip(js);
	else
		walk(js, &w.events);
	jscan_end(js);
	w.status = jscan_status(js);
	w.byte = jscan_byte(js);
	w.cut = jscan_cut(js);
	w.faults = jscan_faults(js, &w.first_fault);
	const char *error = diag_first_error(&log);
	strbuf_adds(&w.error, error ? error : "");
	jscan_free(js);
	source_close(src);
	diag_release(&log);
	return w;
}

/// True if both readings had the same result; if `events`, their events must be equal, too.
static inline bool walked_same(const struct walked *a, const struct walked *b, bool events)
{
	return a->status == b->status && a->byte == b->byte && a->cut == b->cut &&
	       a->faults == b->faults && a->first_fault == b->first_fault &&
	       span_eq(strbuf_span(&a->error), strbuf_span(&b->error)) &&
	       (!events || span_eq(strbuf_span(&a->events), strbuf_span(&b->events)));
}

#endif

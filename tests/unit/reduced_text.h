/// What becomes of a trace, written down for comparison.
#ifndef GG_TESTS_REDUCED_TEXT_H
#define GG_TESTS_REDUCED_TEXT_H

#include "base/strbuf.h"
#include "read/trace.h"
#include "reduce/reduce.h"
#include "store/digest_json.h"

/// The digest of the trace `text` as text, or the errors. Caller: strbuf_release().
static inline struct strbuf reduced(struct span text, const struct trace_options *options,
                                    const struct reduce_options *reduce)
{
	struct strbuf out = STRBUF_INIT;
	struct name_table names;
	struct trace_meta meta;
	struct diag_log log;
	struct source_options so = { .max_bytes = 1 << 22 };
	diag_init(&log);
	name_table_init(&names);
	struct source *src = source_memory("doc", text.p, text.n, &so);
	struct reducer *r = reducer_new(reduce, &names);
	struct digest *d = digest_new();
	enum status st = trace_read(src, options, &names, reducer_sink(r), &meta, &log);
	if (st == ST_OK)
		st = reducer_finish(r, &meta, d, &log);
	d->trace = "doc";
	if (st == ST_OK) {
		struct sink *s = sink_open_memory();
		digest_write(d, s);
		strbuf_add(&out, sink_memory(s));
		sink_abort(s);
	}
	for (const struct diag_entry *e = log.first; e; e = e->next)
		strbuf_addf(&out, "%s\n", e->text);
	digest_free(d);
	reducer_free(r);
	source_close(src);
	name_table_release(&names);
	diag_release(&log);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	return out;
}

#endif

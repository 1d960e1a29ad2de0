/// Reduces a recording of events to a digest, and writes it as text to be compared.
#ifndef GG_TESTS_REDUCED_TEXT_H
#define GG_TESTS_REDUCED_TEXT_H

#include "base/strbuf.h"
#include "read/trace.h"
#include "reduce/reduce.h"
#include "store/digest_json.h"

/// A reader of events: trace_read(), or a function like it.
typedef enum status events_reader(struct source *src, const void *options, struct name_table *names,
                                  struct event_sink sink, struct trace_meta *meta,
                                  struct diag_log *log);

/// trace_read() as an events_reader; `options` are struct trace_options.
static inline enum status events_of_trace(struct source *src, const void *options,
                                          struct name_table *names, struct event_sink sink,
                                          struct trace_meta *meta, struct diag_log *log)
{
	return trace_read(src, options, names, sink, meta, log);
}

/// The digest of the recording `bytes`, or NULL if it is refused. Caller: digest_free().
static inline struct digest *reduced_digest(struct span bytes, events_reader *read,
                                            const void *options,
                                            const struct reduce_options *reduce,
                                            struct diag_log *log)
{
	struct name_table names;
	struct trace_meta meta;
	struct source_options so = { .max_bytes = 1 << 22 };
	name_table_init(&names);
	struct source *src = source_memory("doc", bytes.p, bytes.n, &so);
	struct reducer *r = reducer_new(reduce, &names);
	struct digest *d = digest_new();
	enum status st = read(src, options, &names, reducer_sink(r), &meta, log);
	if (st == ST_OK)
		st = reducer_finish(r, &meta, d, log);
	d->trace = "doc";
	reducer_free(r);
	source_close(src);
	name_table_release(&names);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	if (st == ST_OK)
		return d;
	digest_free(d);
	return NULL;
}

/// The stored text of a digest. Caller: strbuf_release().
static inline struct strbuf digest_text(struct digest *d)
{
	struct strbuf out = STRBUF_INIT;
	struct sink *s = sink_open_memory();
	digest_write(d, s);
	strbuf_add(&out, sink_memory(s));
	sink_abort(s);
	return out;
}

/// The stored text of the digest of the trace `text`, and the messages. Caller: strbuf_release().
static inline struct strbuf reduced(struct span text, const struct trace_options *options,
                                    const struct reduce_options *reduce)
{
	struct diag_log log;
	diag_init(&log);
	struct digest *d = reduced_digest(text, events_of_trace, options, reduce, &log);
	struct strbuf out = STRBUF_INIT;
	if (d)
		out = digest_text(d);
	for (const struct diag_entry *e = log.first; e; e = e->next)
		strbuf_addf(&out, "%s\n", e->text);
	digest_free(d);
	diag_release(&log);
	return out;
}

#endif

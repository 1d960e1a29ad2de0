/* Any bytes are read as an XSpace file, plain or gzip: the size of blocks makes no difference; the
 * file is read, or refused with an error, and its events keep the promises of events/event.h. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "xspace/xspace.h"

static void law(bool holds)
{
	if (!holds)
		abort();
}

static enum status take(void *ctx, const struct event *e)
{
	struct strbuf *b = ctx;
	law(e->name != NULL && e->dur_ns >= 0 && e->bytes >= 0);
	law(e->kind <= EVENT_ANNOTATION || e->kind == EVENT_STEP);
	law(!event_is_gpu(e->kind) || e->device >= 0);
	strbuf_addf(b, "%d %s %lld %lld %lld %lld %lld\n", e->kind, e->name->s, (long long)e->start_ns,
	            (long long)e->dur_ns, (long long)e->device, (long long)e->stream,
	            (long long)e->correlation);
	return ST_OK;
}

static enum status read_all(const uint8_t *data, size_t size, size_t block, struct strbuf *out)
{
	static const struct xspace_limits limits = { .plane_bytes = 1 << 20 };
	struct source_options options = { .block = block, .max_bytes = 1 << 22 };
	struct source *src = source_memory("fuzz", data, size, &options);
	struct name_table names;
	struct trace_meta meta;
	struct diag_log log;
	name_table_init(&names);
	diag_init(&log);
	enum status st = xspace_read(src, &limits, &names,
	                             (struct event_sink){ .ctx = out, .event = take }, &meta, &log);
	law(st == ST_OK || st == ST_INPUT);
	law((st == ST_OK) == !diag_first_error(&log));
	strbuf_addf(out, "%zu devices\n", meta.devices.nr);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	name_table_release(&names);
	diag_release(&log);
	source_close(src);
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf whole = STRBUF_INIT, parts = STRBUF_INIT;
	enum status st = read_all(data, size, 0, &whole);
	law(read_all(data, size, 3, &parts) == st);
	law(span_eq(strbuf_span(&whole), strbuf_span(&parts)));
	(void)xspace_recognize((struct span){ (const char *)data, size });
	fuzz_accepted = st == ST_OK;
	strbuf_release(&whole);
	strbuf_release(&parts);
	return 0;
}

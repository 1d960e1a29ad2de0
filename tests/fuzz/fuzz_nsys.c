/*
 * Any bytes as an export of Nsight Systems: read or refused with an error, and the events
 * keep the promises of their header.
 */
#include "fuzz.h"

#include <stdlib.h>

#include "../unit/memory_file.h"
#include "nsys/nsys.h"

static void law(bool holds)
{
	if (!holds)
		abort();
}

static enum status take(void *ctx, const struct event *e)
{
	uint64_t *nr = ctx;
	++*nr;
	law(e->name != NULL && e->dur_ns >= 0 && e->bytes >= 0 && e->device >= IDENT_NONE);
	law(e->kind <= EVENT_RUNTIME || e->kind == EVENT_ANNOTATION);
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file f = memory_file(data, size);
	struct name_table names;
	struct trace_meta meta;
	struct diag_log log;
	uint64_t nr = 0;
	name_table_init(&names);
	diag_init(&log);
	enum status st = nsys_read(f.path, NULL, &names,
	                           (struct event_sink){ .ctx = &nr, .event = take }, &meta, &log);
	law(st == ST_OK || st == ST_INPUT);
	law((st == ST_OK) == !diag_first_error(&log));
	law(nr == meta.events);
	fuzz_accepted = st == ST_OK;
	for (size_t i = 0; i < meta.samples.nr; i++)
		law(meta.samples.v[i].counter < meta.counters.nr);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	vec_release(&meta.counters);
	vec_release(&meta.samples);
	name_table_release(&names);
	diag_release(&log);
	close(f.fd);
	return 0;
}

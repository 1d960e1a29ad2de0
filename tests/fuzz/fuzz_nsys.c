/* Any bytes are opened as an export of Nsight Systems: the export is read, or refused with an
 * error, and its events keep the promises of events/event.h. */
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

static void read_process(struct nsys *n, const struct nsys_process *p, struct diag_log *log)
{
	struct name_table names;
	struct trace_meta meta;
	uint64_t nr = 0;
	name_table_init(&names);
	law(p->rank >= -1 && p->world_size >= -1);
	enum status st =
	    nsys_read(n, p, &names, (struct event_sink){ .ctx = &nr, .event = take }, &meta);
	law(st == ST_OK || st == ST_INPUT);
	law((st == ST_OK) == !diag_first_error(log));
	law(nr == meta.events);
	fuzz_accepted = fuzz_accepted && st == ST_OK;
	for (size_t i = 0; i < meta.samples.nr; i++)
		law(meta.samples.v[i].counter < meta.counters.nr);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	vec_release(&meta.counters);
	vec_release(&meta.samples);
	name_table_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file f = memory_file(data, size);
	struct nsys *n = NULL;
	struct diag_log log;
	bool other;
	size_t nr = 0;
	diag_init(&log);
	enum status st = nsys_open(f.path, NULL, &n, &other, &log);
	law(st == ST_OK || st == ST_INPUT);
	law((st == ST_OK) == !diag_first_error(&log) && (st == ST_OK) == (n != NULL));
	fuzz_accepted = st == ST_OK;
	const struct nsys_process *v = n ? nsys_processes(n, &nr) : NULL;
	law((nr > 0) == (n != NULL));
	for (size_t i = 0; i < nr && !diag_first_error(&log); i++)
		read_process(n, &v[i], &log);
	nsys_close(n);
	diag_release(&log);
	close(f.fd);
	return 0;
}

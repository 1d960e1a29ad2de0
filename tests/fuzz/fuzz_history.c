/* The history of a baseline is read, or refused with one line that names the line of the file; if
 * it is read, writing, reading and writing it again gives the same text. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/history_file.h"

static void check(bool law)
{
	if (!law)
		abort();
}

/* The text that a history is written as after `text` has been read; NULL if `text` is refused. */
static struct sink *rewrite(struct span text)
{
	struct history h;
	struct diag_log log;
	struct arena a = ARENA_INIT;
	struct sink *out = NULL;
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	diag_init(&log);
	enum status st = history_parse(src, &a, &h, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? !error
	                  : st == ST_BASELINE && error && text_is_valid(span_of(error)) &&
	                        !strchr(error, '\n'));
	if (st == ST_OK) {
		out = sink_open_memory();
		history_print(&h, out);
	}
	history_release(&h);
	arena_release(&a);
	diag_release(&log);
	source_close(src);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sink *once = rewrite((struct span){ (const char *)data, size });
	fuzz_accepted = once;
	if (!once)
		return 0;
	struct sink *twice = rewrite(sink_memory(once));
	check(twice && span_eq(sink_memory(once), sink_memory(twice)));
	sink_abort(once);
	sink_abort(twice);
	return 0;
}

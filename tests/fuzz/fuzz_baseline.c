/* A baseline is read, or refused with one line; if it is read, writing, reading and writing it
 * again gives the same text. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/digest_json.h"

static void check(bool law)
{
	if (!law)
		abort();
}

/* The text that a baseline is written as after `text` has been read; NULL if `text` is refused. */
static struct sink *rewrite(struct span text)
{
	struct baseline b;
	struct diag_log log;
	struct sink *out = NULL;
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	diag_init(&log);
	enum status st = baseline_parse(src, &b, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? !error
	                  : st == ST_BASELINE && error && text_is_valid(span_of(error)) &&
	                        !strchr(error, '\n'));
	if (st == ST_OK) {
		out = sink_open_memory();
		baseline_write(&b, out);
	}
	baseline_release(&b);
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

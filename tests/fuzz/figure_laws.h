/* Properties of every digest of figures: its names are valid and sorted, and the digest is stored
 * and read without loss. */
#ifndef FIGURE_LAWS_H
#define FIGURE_LAWS_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/sink.h"
#include "store/digest_json.h"

static inline void check(bool law)
{
	if (!law)
		abort();
}

static inline void check_figures(struct digest *d)
{
	struct sink *once = sink_open_memory(), *twice = sink_open_memory();
	struct digest *again;
	struct diag_log log;
	for (size_t i = 0; i < d->inputs.nr; i++) {
		check(input_name_is_valid(span_of(d->inputs.v[i].name), false));
		check(i == 0 || strcmp(d->inputs.v[i - 1].name, d->inputs.v[i].name) < 0);
	}
	d->rank = -1;
	d->metrics_file = d->marker = d->communication = "m";
	digest_write(d, once);
	struct source *src = source_memory("fuzz", sink_memory(once).p, sink_memory(once).n, NULL);
	diag_init(&log);
	check(digest_read(src, false, &again, &log) == ST_OK);
	diag_release(&log);
	source_close(src);
	digest_write(again, twice);
	check(span_eq(sink_memory(once), sink_memory(twice)));
	digest_free(again);
	sink_abort(once);
	sink_abort(twice);
}

/* Checks that a file which is read, or is of another kind, gives no message, and that an error
 * gives a message of one line. */
static inline void check_said(enum status st, bool found, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	if (st == ST_OK || !found)
		check(st == ST_OK && !error);
	else
		check(error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
}

#endif

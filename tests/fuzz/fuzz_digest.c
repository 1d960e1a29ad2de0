/*
 * A digest is read or refused with one line; what is read is written again as a
 * fixed point, and every figure can be formed from it.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/view.h"
#include "store/digest_json.h"

static void check(bool law)
{
	if (!law)
		abort();
}

static struct digest *read_digest(struct span text)
{
	struct diag_log log;
	struct digest *d = NULL;
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	diag_init(&log);
	enum status st = digest_read(src, ST_INPUT, &d, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? d && !error
	                  : !d && error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	diag_release(&log);
	source_close(src);
	return d;
}

static void query_everything(const struct digest *d)
{
	struct category_table categories = { .source = "fuzz" };
	struct naming naming = { .categories = &categories };
	struct run run = { .label = "fuzz" };
	struct run_view view;
	struct arena scratch = ARENA_INIT;
	vec_push(&run.ranks, (struct digest *)d);
	run_view_init(&view, &run, &naming);
	for (size_t i = 0; i < NR_METRICS; i++) {
		struct answers answers;
		struct query query = { .metric = &metric_table[i], .reduce = metric_table[i].reduce };
		run_query(&view, &query, &scratch, &answers);
		vec_release(&answers.list);
	}
	run_view_release(&view);
	vec_release(&run.ranks);
	arena_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct digest *d = read_digest((struct span){ (const char *)data, size });
	if (!d)
		return 0;
	query_everything(d);
	struct sink *once = sink_open_memory(), *twice = sink_open_memory();
	digest_write(d, once);
	digest_free(d);
	d = read_digest(sink_memory(once));
	check(d);
	digest_write(d, twice);
	digest_free(d);
	check(span_eq(sink_memory(once), sink_memory(twice)));
	sink_abort(once);
	sink_abort(twice);
	return 0;
}

/*
 * A metrics file is read or refused with one line; what is read is a sorted list of figures with
 * fit names, which a digest holds and gives back.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/sink.h"
#include "results/metrics_file.h"
#include "store/digest_json.h"

static void check(bool law)
{
	if (!law)
		abort();
}

static void check_figures(struct digest *d)
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
	check(digest_read(src, ST_INPUT, &again, &log) == ST_OK);
	diag_release(&log);
	source_close(src);
	digest_write(again, twice);
	check(span_eq(sink_memory(once), sink_memory(twice)));
	digest_free(again);
	sink_abort(once);
	sink_abort(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag_log log;
	struct digest *d = digest_new();
	bool other;
	struct span text = { (const char *)data, size };
	(void)metrics_recognise(text);
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	diag_init(&log);
	enum status st = inputs_read(src, d, &other, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? !error : error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	fuzz_accepted = st == ST_OK;
	if (fuzz_accepted)
		check_figures(d);
	diag_release(&log);
	source_close(src);
	digest_free(d);
	return 0;
}

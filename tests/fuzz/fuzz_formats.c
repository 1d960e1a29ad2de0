/* A table of formats is read, or refused with one line; if it is read, a sample of a result file is
 * then read or refused under this table, whatever paths and templates it has. */
#include "fuzz.h"

#include "figure_laws.h"
#include "results/result_file.h"
#include "rules/formats_file.h"

static const char sample[] = "{\"a\": {\"b\": [1, 2.5, \"3 ms\"], \"t\": [{\"tag\": \"x\", \"v\": "
                             "7}]}, \"c\": null, \"n\": \"x y\"}\n"
                             "{\"a\": {\"b\": [4]}, \"c\": NaN, \"n\": \"z\"}\n";

static void read_sample(const struct result_formats *formats)
{
	const struct result_formats *const tables[] = { formats, NULL };
	struct result_reader reader = { tables, "a/b.json", "b.json" };
	struct source *src = source_memory("fuzz", sample, sizeof sample - 1, NULL);
	struct digest *d = digest_new();
	struct diag_log log;
	bool found;
	diag_init(&log);
	enum status st = result_read(src, &reader, d, &found, &log);
	check_said(st, found, &log);
	if (st == ST_OK && found)
		check_figures(d);
	diag_release(&log);
	source_close(src);
	digest_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result_formats formats;
	struct diag_log log;
	diag_init(&log);
	enum status st =
	    formats_read("fuzz", &(struct span){ (const char *)data, size }, &formats, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK ? !error : error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	fuzz_accepted = st == ST_OK;
	if (fuzz_accepted)
		read_sample(&formats);
	result_formats_release(&formats);
	diag_release(&log);
	return 0;
}

/* A result file is read by the built-in table of formats, or is of another kind, or is refused with
 * one line; the result is a sorted list of figures with valid names, which a digest stores without
 * loss. */
#include "fuzz.h"

#include "figure_laws.h"
#include "results/result_file.h"
#include "rules/formats_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result_formats formats;
	struct span text = { (const char *)data, size };
	struct digest *d = digest_new();
	struct diag_log log;
	bool found;
	diag_init(&log);
	if (!formats.list.nr)
		check(formats_read(NULL, NULL, &formats, &log) == ST_OK);
	const struct result_formats *const tables[] = { &formats, NULL };
	struct result_reader reader = { tables, "results/fuzz.json", "fuzz.json" };
	(void)result_recognize(text);
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	(void)result_sniff(src);
	source_close(src);
	src = source_memory("fuzz", text.p, text.n, NULL);
	enum status st = result_read(src, &reader, d, &found, &log);
	check_said(st, found, &log);
	fuzz_accepted = st == ST_OK && found;
	if (fuzz_accepted)
		check_figures(d);
	diag_release(&log);
	source_close(src);
	digest_free(d);
	return 0;
}

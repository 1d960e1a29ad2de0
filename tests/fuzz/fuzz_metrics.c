/* A metrics file is read, or refused with one line; the result is a sorted list of figures with
 * valid names, which a digest stores without loss. */
#include "fuzz.h"

#include "figure_laws.h"
#include "results/result_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag_log log;
	struct digest *d = digest_new();
	bool other;
	struct span text = { (const char *)data, size };
	(void)metrics_recognize(text);
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

/* A file with the state of GPUs is read, or recognized as something else, or refused with one line;
 * a digest stores the figures without loss, and shares are between 0 and 100 %. */
#include "fuzz.h"

#include "figure_laws.h"
#include "results/result_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *src = source_memory("fuzz", data, size, NULL);
	struct digest *d = digest_new();
	struct diag_log log;
	bool found;
	diag_init(&log);
	enum status st = machine_read(src, d, &found, &log);
	check_said(st, found, &log);
	fuzz_accepted = st == ST_OK && found;
	for (size_t i = 0; fuzz_accepted && i < d->machines.nr; i++) {
		check(d->machines.v[i].samples > 0 && d->machines.v[i].throttled_pct >= -1);
		check(i == 0 || strcmp(d->machines.v[i - 1].id, d->machines.v[i].id) < 0);
	}
	if (fuzz_accepted)
		check_figures(d);
	diag_release(&log);
	source_close(src);
	digest_free(d);
	return 0;
}

/* Any bytes are read as a suite file: it is refused with one line, or gives cases with distinct
 * names. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/rules_file.h"
#include "rules/suite_file.h"

static void check(int law)
{
	if (!law)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct suite_file f;
	struct diag_log log;
	diag_init(&log);
	enum status st = suite_file_read("f", &(struct span){ (const char *)data, size }, &f, &log);
	const char *error = diag_first_error(&log);
	check((st == ST_OK) == (error == NULL));
	check(!error || (!strchr(error, '\n') && text_is_valid(span_of(error))));
	for (size_t i = 0; st == ST_OK && i < f.entries.nr; i++) {
		const struct suite_entry *e = &f.entries.v[i];
		check(!workload_fault(span_of(e->workload)));
		check((e->each != NULL) == (strstr(e->workload, "{name}") != NULL));
		check(e->repeat >= 1 && (e->each || e->runs.nr));
	}
	fuzz_accepted = st == ST_OK;
	suite_file_release(&f);
	diag_release(&log);
	return 0;
}

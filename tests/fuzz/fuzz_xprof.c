/* The input is read as a memory profile of XProf; record_laws.h checks it. */
#include "fuzz.h"

#include "read/xprof.h"
#include "record_laws.h"

static enum status reduce_xprof(struct source *src, struct digest *d, struct diag_log *log)
{
	struct xprof_profile p;
	TRY(xprof_read(src, NULL, &p, log));
	enum status st = xprof_reduce(&p, d, log);
	xprof_profile_release(&p);
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_record((struct span){ (const char *)data, size }, reduce_xprof);
	return 0;
}

/* The input is read as a memory timeline of torch.profiler; record_laws.h checks it. */
#include "fuzz.h"

#include "read/timeline.h"
#include "record_laws.h"

static enum status reduce_timeline(struct source *src, struct digest *d, struct diag_log *log)
{
	struct memory_timeline t;
	TRY(timeline_read(src, 0, &t, log));
	timeline_reduce(&t, d);
	memory_timeline_release(&t);
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_record((struct span){ (const char *)data, size }, reduce_timeline);
	return 0;
}

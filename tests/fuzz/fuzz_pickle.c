/* A pickled snapshot is read, or refused with one line, within the limits of the reader. */
#include "fuzz.h"

#include "snapshot_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot_limits limits = snapshot_limits_default;
	/* a lower limit than usual, so that pickles whose references unfold to too many objects are
	   refused sooner */
	limits.pickle_visits = 1 << 16;
	fuzz_accepted =
	    check_reader((struct span){ (const char *)data, size }, snapshot_read_pickle, &limits, 0);
	return 0;
}

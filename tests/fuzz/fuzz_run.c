/* The input is read as a stored run, the digests of several ranks; run_laws.h checks it. */
#include "fuzz.h"

#include "run_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_run((struct span){ (const char *)data, size }, run_read);
	return 0;
}

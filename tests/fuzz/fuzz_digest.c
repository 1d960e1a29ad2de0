/* The input is read as a stored digest, which is a run of one rank; run_laws.h checks it. */
#include "fuzz.h"

#include "run_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_run((struct span){ (const char *)data, size }, read_one_digest);
	return 0;
}

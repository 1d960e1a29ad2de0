/* The input is read as a dump of the Flight Recorder in a pickle; flight_laws.h checks it. */
#include "fuzz.h"

#include "flight_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_flight((struct span){ (const char *)data, size }, flight_read_pickle);
	return 0;
}

/* A dump of the Flight Recorder as JSON. */
#include "fuzz.h"

#include "flight_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = check_flight((struct span){ (const char *)data, size }, flight_read);
	return 0;
}

/* A JSON snapshot is read, or refused with one line, with the same result for blocks of any size.
 */
#include "fuzz.h"

#include "snapshot_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { (const char *)data, size };
	fuzz_accepted = check_reader(bytes, snapshot_read, NULL, 0);
	check(fuzz_accepted == check_reader(bytes, snapshot_read, NULL, 3));
	return 0;
}

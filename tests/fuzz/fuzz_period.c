/* Each byte is the launch of the kernel with this number. The repetitions that period_find() finds
 * follow one another, lie within the sequence, and are at least two. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/number.h"
#include "base/period.h"
#include "model/digest.h"

static void law(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t mean_ns[256] = {
		['a'] = 1000, ['b'] = 1000, ['A'] = 100000, ['B'] = INT64_MAX
	};
	struct period p;
	uint32_t *names = mem_calloc(size, sizeof *names);
	for (size_t i = 0; i < size; i++)
		names[i] = data[i];
	period_find(&(struct launch_sequence){ names, size, mean_ns, 256 }, &p);
	free(names);
	law(p.regularity >= 0 && p.regularity <= 100 * MICRO);
	law(p.starts.nr == 0 || (p.starts.nr > 2 && p.regularity >= PERIOD_NEEDED));
	law((p.launches > 0) == (p.starts.nr > 0));
	for (size_t i = 1; i < p.starts.nr; i++)
		law(p.starts.v[i - 1] < p.starts.v[i] && p.starts.v[i] <= size);
	period_release(&p);
	return 0;
}

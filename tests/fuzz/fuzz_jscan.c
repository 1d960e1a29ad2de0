/* Any bytes are scanned as JSON: sizes of blocks and window make no difference, nor does skipping
 * values instead of reading them; and JSON that the strict scanner accepts has no faults in
 * tolerant mode. */
#include "fuzz.h"

#include <stdlib.h>

#include "../unit/jscan_walk.h"
#include "base/text.h"

static void law(bool holds)
{
	if (!holds)
		abort();
}

static struct walked in_every_way(struct span text, bool tolerant)
{
	static const size_t sizes[] = { 1, 2, 7 };
	struct walked whole = walk_text_of(text, tolerant, 0, false);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct walked w = walk_text_of(text, tolerant, sizes[i], i == 1);
		law(walked_same(&w, &whole, i != 1));
		walked_release(&w);
	}
	law(!whole.cut || whole.byte == text.n);
	law((whole.status == ST_OK) == (whole.error.n == 0));
	law(whole.byte <= text.n);
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	fuzz_accepted = false;
	/* a window of two bytes has no room for the mark (source_read()) */
	while (span_skip(&text, BYTE_ORDER_MARK))
		;
	if (span_starts(text, SPAN("\x1f\x8b")))
		return 0; /* gzip is left out here, because fuzz_trace covers it */
	struct walked strict = in_every_way(text, false), tolerant = in_every_way(text, true);
	fuzz_accepted = strict.status == ST_OK;
	if (fuzz_accepted) {
		law(walked_same(&strict, &tolerant, true));
		law(tolerant.faults == 0);
	}
	law(strict.faults == 0);
	law(strict.byte <= tolerant.byte);
	walked_release(&strict);
	walked_release(&tolerant);
	return 0;
}

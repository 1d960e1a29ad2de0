/* Values of a history as a line of bars in a table. */
#include "base/number.h"
#include "history/course_document.h"

enum { SPARK_CHARS = 16 };

/* Draw the values of all runs, oldest first, as a line of at most SPARK_CHARS bars. A bar that
   covers several runs shows their highest value. */
const char *course_sparkline(struct document *d, const struct course_figure *f)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▅", "▇" };
	enum { NR_BARS = sizeof bars / sizeof *bars };
	struct strbuf b = STRBUF_INIT;
	size_t nr = f->values.nr, chars = nr < SPARK_CHARS ? nr : SPARK_CHARS;
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (size_t i = 0; i < nr; i++) {
		number_lower(&low, f->values.v[i]);
		number_raise(&high, f->values.v[i]);
	}
	for (size_t k = 0, i = 0; k < chars; k++) {
		int64_t top = INT64_MIN;
		for (; i < nr * (k + 1) / chars; i++)
			number_raise(&top, f->values.v[i]);
		__int128 range = (__int128)high - low, above = (__int128)top - low;
		strbuf_adds(&b, bars[range ? number_div_round(above * (NR_BARS - 1), range) : 0]);
	}
	return arena_take(&d->arena, &b);
}

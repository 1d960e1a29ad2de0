#include "events/event.h"

#include <inttypes.h>

#include "base/text.h"

const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident)
{
	if (ident >= 0)
		return arena_printf(a, "%" PRId64, ident);
	if (ident == IDENT_NONE)
		return "null";
	struct strbuf b = STRBUF_INIT;
	text_add_valid(&b, name_span(names->by_id[-2 - ident]));
	return arena_take(a, &b);
}

bool ident_integer(const struct name_table *names, int64_t ident, __int128 *out)
{
	if (ident >= 0) {
		*out = ident;
		return true;
	}
	if (ident == IDENT_NONE)
		return false;
	struct span s = name_span(names->by_id[-2 - ident]);
	bool negative = s.n && s.p[0] == '-';
	__int128 v = 0, limit = (__int128)1000000000000000000 * 1000000000000000000;
	for (size_t i = negative; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v < limit ? v * 10 + (s.p[i] - '0') : v;
	}
	*out = negative ? -v : v;
	return s.n > (size_t)negative;
}

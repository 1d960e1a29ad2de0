#include "model/finding.h"

#include <string.h>

const char *const cause_names[NR_CAUSES] = { CAUSES(ENUM_WORD) };

const char *const place_kind_names[NR_PLACE_KINDS] = { PLACE_KINDS(ENUM_WORD) };

/* Splits the place at its last ':', since the name of a file may contain a colon ("C:\model.py"),
 * but the name of a function cannot. */
struct source_line source_line_of(struct arena *a, struct span place, int64_t line)
{
	const char *colon = place.n ? memrchr(place.p, ':', place.n) : NULL;
	struct source_line out = { .line = line };
	if (colon && colon > place.p)
		out.file = arena_dup(a, (struct span){ place.p, (size_t)(colon - place.p) });
	return out;
}

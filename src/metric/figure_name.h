/// Names of figures, and what they say of unit and direction.
#ifndef GG_METRIC_FIGURE_NAME_H
#define GG_METRIC_FIGURE_NAME_H

#include "base/arena.h"
#include "base/strbuf.h"

/// Append `text` fit for the name of a figure: other letters as '_'; beyond 100 bytes it is cut,
/// with 8 hex digits of its hash.
void figure_name_add(struct span text, struct strbuf *out);

/// The unit in brackets that a column's name ends with, "Triton (GB/s)", which is cut off; or "".
struct span figure_name_unit(struct span *name);

/// The name of figure_units that `word` means ("tokens/sec": "tok/s"), or NULL; static.
const char *figure_unit_of(struct span word);

/// The same of the last words of a name ("p99_ttft_ms": "ms").
const char *figure_unit_by_name(struct span name);

/// "lower" or "higher" as the words of a name say it, else as its unit (may be NULL) does; NULL:
/// neither does. Static.
const char *figure_better(struct span name, const char *unit);

/// True for a figure that is a time or a rate, which differs from run to run as wall time does, by
/// its unit (NULL: unknown) or the words of its name.
bool figure_is_timed(struct span name, const char *unit);

#endif

/// Strings of a report: figures and names as people read them, owned by its arena.
#ifndef GG_GATE_WORDS_H
#define GG_GATE_WORDS_H

#include "base/arena.h"
#include "model/metric.h"

/// Stands where a side has no figure.
#define WORD_ABSENT "–"

/// Content of `b` as a string owned by `a`; `b` is released.
const char *word_take(struct arena *a, struct strbuf *b);

/// A figure of `unit`.
const char *word_figure(struct arena *a, enum unit unit, int64_t value);

/// A change of a figure, with its sign; of percentages in points ("+1.20 pp").
const char *word_change(struct arena *a, enum unit unit, int64_t change);

/// "1.00 MiB → 1.50 MiB".
const char *word_movement(struct arena *a, enum unit unit, int64_t from, int64_t to);

/// The size of a change, without sign; of percentages in points ("1.20 pp").
const char *word_amount(struct arena *a, enum unit unit, int64_t amount);

/// A relative change ("+12.29 %"), `pct` in 1e-6 percent.
const char *word_pct(struct arena *a, int64_t pct);

/// Untrusted text fit for one line.
const char *word_line(struct arena *a, struct span s);

/// The same, cut to `max_chars` with a hash.
const char *word_short(struct arena *a, struct span s, size_t max_chars);

#endif

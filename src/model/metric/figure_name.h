/// What the name of a figure tells about its unit and about which direction is better.
#ifndef GG_METRIC_FIGURE_NAME_H
#define GG_METRIC_FIGURE_NAME_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "metric/metric.h"

/// Appends `text` in the form that names of figures have: other characters become '_'; beyond 100
/// bytes the text is cut and 8 hex digits of its hash are appended.
void figure_name_add(struct span text, struct strbuf *out);

/// A name without the folders of an absolute path, which differ between machines:
/// "/data/models/Llama-3" is "Llama-3"; other names, and commands, are as they are.
struct span figure_case_plain(struct span text);

/// The name of a case of a server's benchmark without the folders of its model and without a limit
/// of requests that is not there: "m.rInfinity.cnone" is "m.rinf"; other names are as they are.
/// Memory is owned by `a`.
struct span figure_case_settle(struct span name, struct arena *a);

/// What people call the member of a file that tells the work of a figure of the case `of`: "rank"
/// of "config.devices___.rank". With the name of the case in it, it is called as it is.
struct span figure_work_name(struct span key, struct span of);

/// True for the characters that titles of figures may have.
bool figure_title_has(char c);

/// Cuts the unit in brackets off the end of a column's name, "Triton (GB/s)", and returns it; "" if
/// there is none.
struct span figure_name_unit(struct span *name);

/// The name in figure_units of the unit that `word` means ("tokens/sec": "tok/s"), or NULL; static.
const char *figure_unit_of(struct span word);

/// The unit (see figure_unit_of()) that the last words of a figure's name tell: "ms" for
/// "p99_ttft_ms".
const char *figure_unit_by_name(struct span name);

/// The better direction, "lower" or "higher", by the unit of a figure (NULL, or any text that is
/// one, such as "seq/ms") and the words of its name; NULL if these do not tell, or contradict one
/// another. Static.
const char *figure_better(struct span name, const char *unit);

/// True for the name of what is chosen for a run, such as its batch size; of the `kind`
/// ("record", "flat", "case", "sweep") of rules/figures.yaml; "count": of what counts things done.
bool figure_is_setting(struct span name, const char *kind);

/// True for a figure of which no direction is better by its name: a spread, a time of day, a number
/// of samples, a setting.
bool figure_is_neither(struct span name);

/// True for a figure of files that is a time or a rate by its unit or, if that is unknown, by the
/// words of its name: such figures differ from run to run as wall time does.
bool figure_is_timed(const struct metric *m);

/// True for a time or an energy over all that a run did, by its unit (or NULL) and its name.
bool figure_is_sum(struct span name, const char *unit);

/// True for a figure that is the same in each run of the same work, by the words of its name.
bool figure_is_counted(struct span name);

/// Places of statistics of one thing, none of which is less than that of a lower place; a
/// percentile's is its number. The mean has none, but is between the least and the largest.
enum { FIGURE_MEAN = -1, FIGURE_MIN = 1, FIGURE_MEDIAN = 50, FIGURE_MAX = 100 };

/// The place of the statistic that a figure is by the words of its name, 0 if by none; the others
/// are appended to `what`.
int figure_statistic(struct span name, struct strbuf *what);

/// True for a figure that cannot be below 0, by its unit or, if that is unknown (NULL), by its
/// name: a time, a size, a rate or a count, but no difference of such.
bool figure_is_amount(struct span name, const char *unit);

#endif

/// Derives facts on a figure, such as its unit and its better direction, from its name.
#ifndef GG_METRIC_FIGURE_NAME_H
#define GG_METRIC_FIGURE_NAME_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "metric/metric.h"

/// Appends `text` in the form that names of figures have. Bytes other than ASCII letters, digits,
/// '.', '_', '-' and '/' become '_'. A text of more than 100 bytes is cut after 91 bytes; then '-'
/// and 8 hex digits of the hash of the whole text follow.
void figure_name_add(struct span text, struct strbuf *out);

/// The last component of an absolute path, since folders differ between machines: "Llama-3" for
/// "/data/models/Llama-3". Any other text, such as a command with arguments, is returned unchanged.
struct span figure_case_plain(struct span text);

/// The present form of the name of a benchmark case that an earlier version stored: without the
/// folders of its model, and without limits of requests that are not set: "m.rinf" for
/// "/data/m.rInfinity.cnone". Other names are returned unchanged. Memory is owned by `a`.
struct span figure_case_settle(struct span name, struct arena *a);

/// The name that reports use for a setting with the path `key` in a result file: the last
/// component, "rank" for "config.devices___.rank". If the path contains the name of the case `of`,
/// the name is the whole path.
struct span figure_work_name(struct span key, struct span of);

/// True for the characters that titles of figures may have.
bool figure_title_has(char c);

/// Cuts the unit in brackets off the end of a column's name, "Triton (GB/s)", and returns it; "" if
/// the name does not end in a unit in brackets.
struct span figure_name_unit(struct span *name);

/// The name in figure_units of the unit that `word` means ("tok/s" for "tokens/sec"); NULL if it
/// means no unit. Static.
const char *figure_unit_of(struct span word);

/// The name in figure_units of the unit that the last words of a figure's name mean: "ms" for
/// "p99_ttft_ms". NULL if these words mean no unit; static.
const char *figure_unit_by_name(struct span name);

/// The better direction, "lower" or "higher", by the unit of a figure and the words of its name;
/// NULL if they do not decide it, or contradict one another. Static. `unit` may be NULL, or a unit
/// that figure_units lacks, such as "seq/ms".
const char *figure_better(struct span name, const char *unit);

/// True if `name` is the name of a setting or count, and is of the kind `kind`. A setting is chosen
/// for a run, such as its batch size; a count says how much was done. Kinds are those of
/// rules/figures.yaml: "record", "flat", "case" or "sweep" for settings, "count", "amount" and
/// "repeated" for counts.
bool figure_is_setting(struct span name, const char *kind);

/// True if neither direction is better for a figure by its name: a spread, a time of day, a number
/// of samples, a setting.
bool figure_is_neither(struct span name);

/// True for a figure of files that is a time or a rate, which differs from run to run as wall time
/// does. Decided by the figure's unit, or the unit that its name means, and by the other words of
/// its name.
bool figure_is_timed(const struct metric *m);

/// True if a figure is the total time or energy of a run, rather than that of one request or step.
/// Decided by the figure's name and by `unit`, which may be NULL.
bool figure_is_sum(struct span name, const char *unit);

/// True if a figure is by its name a count that is the same in each run of the same work.
bool figure_is_counted(struct span name);

/// True if a figure is a time in which something was done, such as a latency, by its name: 0 means
/// that it was not measured.
bool figure_is_above_0(struct span name);

/// Numbers of statistics: of two statistics of the same samples, the one with the higher number is
/// never less. A percentile has its own number, such as 99. The mean has no place in this order.
enum { FIGURE_MEAN = -1, FIGURE_MIN = 1, FIGURE_MEDIAN = 50, FIGURE_MAX = 100 };

/// The number of the statistic that the words of a figure's name mean, such as FIGURE_MEDIAN; 0 if
/// there is no such word. The other words are appended to `what`.
int figure_statistic(struct span name, struct strbuf *what);

/// True for a figure that cannot be below 0, by its unit or, if that is unknown (NULL), by its
/// name: a time, a size, a rate or a count, but not a difference of two.
bool figure_is_amount(struct span name, const char *unit);

#endif

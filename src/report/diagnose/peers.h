/// Internal to diagnose/: finding ranks that differ from the others.
#ifndef GG_DIAGNOSE_PEERS_H
#define GG_DIAGNOSE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/report.h"
#include "model/view.h"

/// Median of a figure over the ranks, and the scaled MAD (× 1.4826) of the ranks around this
/// median.
struct peers {
	int64_t median, mad;
};

/// Median and scaled MAD of `nr` > 0 values; `v` is reordered.
struct peers peers_of(int64_t *v, size_t nr);

/// True if `value` differs from the median by more than three scaled MADs, and also by more than
/// `floor_pct` % of the median or of `value`, whichever is larger.
bool peers_exclude(struct peers s, int64_t value, int64_t floor_pct);

/// Least excess of a slow rank's compute time over that of the median rank, in 1e-6 % of the median
/// rank's.
enum { SLOW_FLOOR = 3000000 };

/// Find slow ranks, whose compute time exceeds that of the peers by more than three scaled MADs and
/// by 3 %. With fewer than three known ranks, no rank is slow. `skew` has the metric
/// rank.compute_skew_pct of each rank in 1e-6 %, or INT64_MIN if unknown. Sets the flag of each of
/// the `nr` ranks.
void slow_ranks(const int64_t *skew, size_t nr, bool *is_slow);

/// Find late ranks. A rank is late if the time in which the others wait only for this rank is more
/// than 1 % of the time of the steps, more than three scaled MADs above the median of all ranks,
/// and at least half as long as the same time of every other rank. `late_ns` is the time in which
/// only that rank was waited for, `step_ns` the total time of the steps. Sets the flag of each of
/// the `nr` ranks.
void late_ranks(const int64_t *late_ns, const int64_t *step_ns, size_t nr, bool *is_late);

/// Find functions that differ from the same functions of the rank's peers. Sets `text[rank]` to a
/// text, owned by `a`, on the `most[rank]` functions that differ most; it is not set if none
/// differs. Functions that take 1 % of the window (the recorded time) or more are compared by their
/// share of it. Kernels and memory operations that all compared ranks have are also compared by the
/// time of one execution and by the bytes per second; there, only worse ranks are found. For host
/// calls and Python functions only a larger share counts, since a rank that others wait for waits
/// less itself. Communication is left out. Needs four ranks; ranks that lack steps, or whose
/// recording ends within a step, are left out.
void functions_unlike(const struct run_view *v, const size_t *most, struct arena *a,
                      const char **text);

/// Append the table of ranks and the note on GPU utilization, as diagnose_ranks() describes.
void diagnose_rank_table(const struct run_view *v, bool candidate, struct report *out);

#endif

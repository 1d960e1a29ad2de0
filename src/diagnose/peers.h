/// Internal to diagnose/: finding ranks that differ from the others. Each kind of finding is a
/// function of plain numbers.
#ifndef GG_DIAGNOSE_PEERS_H
#define GG_DIAGNOSE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Median of the ranks and the scaled MAD (× 1.4826) around it.
struct peers {
	int64_t median, mad;
};

/// Median and scaled MAD of `nr` > 0 values; `v` is reordered.
struct peers peers_of(int64_t *v, size_t nr);

/// True if `value` differs from the median by more than three scaled MADs, and by more than
/// `floor_pct` % of the median, or of the value if that is larger.
bool peers_exclude(struct peers s, int64_t value, int64_t floor_pct);

/// Least compute skew of a slow rank (its compute time beyond the median rank's), in 1e-6 %.
enum { SLOW_FLOOR = 3000000 };

/// Find slow ranks, whose compute time exceeds that of the peers by more than three scaled MADs
/// and by 3 %. Needs three ranks. `skew` is rank.compute_skew_pct; INT64_MIN if unknown. Sets the
/// flag of each of the `nr` ranks.
void slow_ranks(const int64_t *skew, size_t nr, bool *is_slow);

/// Find late ranks: the others wait 1 % of the steps for this rank only, more than three scaled
/// MADs beyond the usual, and wait for no other rank twice as long. `late_ns` is the time in which
/// only that rank was waited for, `step_ns` the total time of the steps. Sets the flag of each of
/// the `nr` ranks.
void late_ranks(const int64_t *late_ns, const int64_t *step_ns, size_t nr, bool *is_late);

/// A collective that was found on all of its ranks, as one of these ranks recorded it.
struct link_point {
	int64_t wire_ns; ///< transfer time: the duration on the rank where the collective is shortest
	int64_t lag_ns; ///< time from the median end over all ranks to the end on this rank; clocks may
	                ///< differ
	int64_t sort, bytes; ///< kind and size of the collective, -1 if unknown; equal collectives take
	                     ///< equally long
	bool last; ///< true if the rank came last, so that its own lag is part of the transfer time;
	           ///< else false
};

/// Lag of the rank's ends for each ns of transfer, in 1e-6: the median slope over all pairs of
/// collectives of which one takes a quarter longer, so that clock offsets cancel out. 0 if there
/// are few pairs, equal transfer times, or slopes that rise in less than nine of ten pairs.
/// O(nr²); `p` is reordered.
int64_t link_slope(struct link_point *p, size_t nr);

#endif

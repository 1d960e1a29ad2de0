/// Internal to diagnose/: who is unlike the others. Each kind of finding is one function of plain
/// numbers.
#ifndef GG_DIAGNOSE_PEERS_H
#define GG_DIAGNOSE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Median of the peers and scaled MAD (× 1.4826) around it.
struct peers {
	int64_t median, mad;
};

/// Spread of `nr` > 0 values; `v` is reordered.
struct peers peers_of(int64_t *v, size_t nr);

/// Beyond three scaled MADs of the peers and beyond `floor_pct` % of their median, or of
/// the value where that is larger.
bool peers_exclude(struct peers s, int64_t value, int64_t floor_pct);

/// The skew in compute that is slow, in 1e-6 %.
enum { SLOW_FLOOR = 3000000 };

/// Slow: compute beyond that of the peers by three scaled MADs and 3 %; three ranks or
/// more. `skew` as rank.compute_skew_pct, INT64_MIN unknown. Sets flags of `nr` ranks.
void slow_ranks(const int64_t *skew, size_t nr, bool *is_slow);

/// Late: the others wait 1 % of its steps for it and no other, more than three scaled MADs beyond
/// what they wait for each other, and for nobody twice as much. `late_ns` is what only this rank
/// was awaited, over steps of `step_ns` together. Sets flags of `nr` ranks.
void late_ranks(const int64_t *late_ns, const int64_t *step_ns, size_t nr, bool *is_late);

#endif

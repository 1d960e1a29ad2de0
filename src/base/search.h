/// Binary search as macros: the caller writes the condition in place, without a comparison
/// function. `before` is an expression of `index` that is true up to some index and false from
/// there on.
#ifndef GG_BASE_SEARCH_H
#define GG_BASE_SEARCH_H

#include <stddef.h>

/// `lo` becomes the first index of [lo, hi) for which `before` is false, or `hi`. Both are
/// variables of the caller; `hi` changes, too.
#define SEARCH(lo, hi, index, before)                \
	do {                                             \
		while ((lo) < (hi)) {                        \
			size_t index = (lo) + ((hi) - (lo)) / 2; \
			if (before)                              \
				(lo) = index + 1;                    \
			else                                     \
				(hi) = index;                        \
		}                                            \
	} while (0)

/// Like SEARCH, for a result that is likely to be near `lo`: the range that holds the result is
/// found in steps, each twice as long as the one before.
#define SEARCH_NEAR(lo, hi, index, before)                                        \
	do {                                                                          \
		for (size_t step_ = 1; (lo) + step_ <= (hi); (lo) += step_, step_ *= 2) { \
			size_t index = (lo) + step_ - 1;                                      \
			if (!(before)) {                                                      \
				(hi) = index;                                                     \
				break;                                                            \
			}                                                                     \
		}                                                                         \
		SEARCH(lo, hi, index, before);                                            \
	} while (0)

/// The first element of the array `v` of `nr`, sorted by `member`, whose `member` is `value`; NULL
/// if there is none.
#define SEARCH_EQUAL(v, nr, member, value)                           \
	__extension__({                                                  \
		size_t lo_ = 0, hi_ = (nr);                                  \
		SEARCH(lo_, hi_, i_, (v)[i_].member < (value));              \
		lo_ < (nr) && (v)[lo_].member == (value) ? &(v)[lo_] : NULL; \
	})

#endif

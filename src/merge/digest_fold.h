/// Digests of bounded size: what is too small to keep goes into sums.
#ifndef GG_MERGE_DIGEST_FOLD_H
#define GG_MERGE_DIGEST_FOLD_H

#include "model/category.h"
#include "model/digest.h"

/// What a digest keeps rows of: at most so many of each kind, and each at least
/// one in so many of the sum of its kind (kernel time, self time of operators,
/// the window, time of threads, bytes of a list of sites).
enum fold_limits {
	FOLD_KERNELS = 400,
	FOLD_KERNEL_PART = 2000,
	FOLD_OPS = 400,
	FOLD_FUNCTIONS = 200, ///< of each class but Python
	FOLD_PATHS = 300,
	FOLD_THREADS = 100,
	FOLD_CALLS = 16, ///< of each kind
	FOLD_CODE_KERNELS = 160, ///< of the table of where work comes from: rows that name a kernel
	FOLD_CODE = 320, ///< all of its rows
	FOLD_RANGES = 60,
	FOLD_PART = 1000,
};

/// Put what is smaller, or beyond the limits, into rows of sums (`names` > 0), of kernels
/// one for each category of `t`; small sites into the rest of their list. Communication,
/// copies and memory sets stay. Every sum stays what it was, and a digest that is
/// folded already stays as it is.
void digest_fold(struct digest *d, const struct category_table *t);

/// True if rows of the code table have a module or a place.
bool digest_has_places(const struct digest *d);

/// The same for the table of where work comes from, which digest_fold() does if that has places:
/// others may still come from a recording apart (merge/where.h).
void digest_fold_code(struct digest *d);

/// The same for functions, which need no order but that a caller stands before its
/// callees, and get that of a digest: sums by class, of Python functions by the
/// caller that stays. A caller stays while it and all below it take their share.
void digest_fold_functions(struct digest *d);

/// Make `k` a sum of one kernel of `category`, which is borrowed.
void kernel_stat_fold(struct kernel_stat *k, const char *category);

#endif

/// Bounds the size of digests: rows too small to keep are added to sums.
#ifndef GG_MERGE_DIGEST_SMALL_H
#define GG_MERGE_DIGEST_SMALL_H

#include "model/category.h"
#include "model/digest.h"

/// Limits of the rows that a digest keeps. Most limits, such as KEEP_KERNELS, are the largest
/// number of rows of a kind. KEEP_KERNEL_SHARE and KEEP_SHARE are reciprocals of the smallest share
/// that a row may have of the sum over its kind (kernel time, self time of operators, the window,
/// time of threads, bytes of a list of sites).
enum keep_limits {
	KEEP_KERNELS = 400,
	KEEP_KERNEL_SHARE = 2000,
	KEEP_OPS = 400,
	KEEP_FUNCTIONS = 200, ///< largest number of functions of each class except Python
	KEEP_PATHS = 300,
	KEEP_THREADS = 100,
	KEEP_CALLS = 16, ///< largest number of rows of calls of each kind, without the sum of the rest
	KEEP_CODE_KERNELS = 160, ///< largest number of rows of the code table that name a kernel
	KEEP_CODE = 320, ///< largest number of rows of the code table
	KEEP_RANGES = 60,
	KEEP_SHARE = 1000,
};

/// Adds rows that are too small, or too many for keep_limits, to sums, which are rows with a member
/// `names` above 0. Kernels go to one sum for each category of `t`, allocation sites to the
/// SITE_REST row of their list. Rows of communication, copies and memory sets are kept. The totals
/// of a digest do not change; a digest that is within the limits does not change at all.
void digest_small(struct digest *d, const struct category_table *t);

/// True if rows of the code table have a module or a place.
bool digest_has_places(const struct digest *d);

/// Like digest_small(), but only for the code table. digest_small() calls this function if the
/// table already has places. If not, a separate recording may still add places;
/// digests_join_where() calls this function after that.
void digest_small_code(struct digest *d);

/// Like digest_small(), but only for functions. Callers must come before their callees; afterwards
/// the functions are in the order of a digest. Each class has one sum; Python functions have one
/// for each caller that is kept. A caller is kept if it and all functions below it together take
/// the minimum share.
void digest_small_functions(struct digest *d);

/// Turns `k`, the row of one kernel, into a sum over small kernels of `category`, to which other
/// rows can be added. The text `category` is borrowed.
void kernel_stat_make_small(struct kernel_stat *k, const char *category);

#endif

/// Bounds the size of digests: rows too small to keep are added to sums.
#ifndef GG_MERGE_DIGEST_FOLD_H
#define GG_MERGE_DIGEST_FOLD_H

#include "model/category.h"
#include "model/digest.h"

/// Limits of the rows that a digest keeps. FOLD_KERNELS, …: the largest number of rows of a kind.
/// FOLD_PART, …: the reciprocal of the smallest share that a row has of the sum over its kind
/// (kernel time, self time of operators, the window, time of threads, bytes of a list of sites).
enum fold_limits {
	FOLD_KERNELS = 400,
	FOLD_KERNEL_PART = 2000,
	FOLD_OPS = 400,
	FOLD_FUNCTIONS = 200, ///< largest number of functions of each class except Python
	FOLD_PATHS = 300,
	FOLD_THREADS = 100,
	FOLD_CALLS = 16, ///< largest number of rows of calls of each kind, without the sum of the rest
	FOLD_CODE_KERNELS = 160, ///< largest number of rows of the code table that name a kernel
	FOLD_CODE = 320, ///< largest number of rows of the code table
	FOLD_RANGES = 60,
	FOLD_PART = 1000,
};

/// Adds rows that are too small or beyond the limits to sums (rows whose member `names` is above
/// 0): kernels to one sum for each category of `t`, small sites to the SITE_REST row of their list.
/// Rows of communication, copies and memory sets are kept. The totals of a digest do not change; a
/// digest that is within the limits does not change at all.
void digest_fold(struct digest *d, const struct category_table *t);

/// True if rows of the code table have a module or a place.
bool digest_has_places(const struct digest *d);

/// Like digest_fold(), but only for the code table. digest_fold() calls it if the table already has
/// places. If not, a separate recording may still add them, and digests_join_where() calls it
/// afterwards.
void digest_fold_code(struct digest *d);

/// Like digest_fold(), but only for functions. Callers must come before their callees; afterwards
/// the functions are in the order of a digest. There is one sum for each class and, of Python
/// functions, one for each caller that is kept. A caller is kept if it and all functions below it
/// take the minimum share.
void digest_fold_functions(struct digest *d);

/// Turns `k`, the row of one kernel, into a row of sums over kernels of `category`, to which other
/// rows can then be added. The text `category` is borrowed.
void kernel_stat_fold(struct kernel_stat *k, const char *category);

#endif

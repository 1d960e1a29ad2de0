/// Table of sums for breakdowns: for each metric, the figures ("terms") that add up to the metric.
#ifndef GG_DIFF_TERMS_H
#define GG_DIFF_TERMS_H

#include "model/digest.h"

/// Where the figure of a term comes from; TERM_END ends the terms of a row.
enum term_source {
	TERM_END,
	TERM_STEP_METRIC, ///< the term is the sum of a step.* metric over the usable steps
	TERM_device_stat, ///< the term is a member of struct device_stat; each value below names
	                  ///< another struct in this way
	TERM_kernel_stat,
	TERM_thread_stat,
	TERM_memory_stat,
};

/// One figure that is added to the value of a struct term_row, or subtracted from it.
struct term {
	enum term_source from;
	int sign;
	size_t at; ///< for TERM_STEP_METRIC the id of the metric, else the offset of the member in its
	           ///< struct
};

/// Largest number of terms of a row, and of rows of a sum.
enum { ROW_TERMS = 4, TERM_ROWS = 4 };

/// Properties of a struct term_row, as bits.
enum {
	ROW_PER_ONE = 1, ///< the row's value is divided by the number of launches or steps
	ROW_LESS_ABOVE = 2, ///< the sum of the rows above it in the table is subtracted from the row's
	                    ///< value
	ROW_TAKEN_OFF = 4, ///< the row is a part that is subtracted from the whole; it is shown without
	                   ///< its sign
	ROW_AT_PEAK = 8, ///< the row also shows the name of the operator that ran at the peak

	/// the row's bytes are also split by site (function that allocates), by the lists of sites of
	/// the snapshot
	ROW_HAS_SITES = 16,
	ROW_UNUSED = 32, ///< the row is memory that is reserved but not in use

	/// the row is a sum over devices: if there are several, a remark says that they may overlap
	ROW_OF_DEVICES = 64,
	ROW_PER_DEVICE = 256, ///< the row's value is divided by terms_devices(), the number of devices
	ROW_COMPLEMENT = 128, ///< for a metric that is the share of a part in a whole: this row, the
	                      ///< second, is what remains of the whole without that part
};

/// A row of a breakdown: the sum of its terms.
struct term_row {
	const char *label;
	struct term terms[ROW_TERMS];
	unsigned flags;
};

/// Rows whose values add up to a metric in every step, device, kernel, thread or memory. If the
/// metric is a share, there are two rows: the whole and the part.
struct term_sum {
	enum metric_id metric;
	bool one_rank; ///< true: the sum is used only for a change of a single rank, since a change of
	               ///< several ranks is broken down by rank instead
	const char *by; ///< words after "by" in the title of the breakdown
	struct term_row rows[TERM_ROWS];
};

/// The `nth` sum (from 0) for a metric, in order of preference; NULL after the last one. Static.
const struct term_sum *terms_of(enum metric_id id, size_t nth);

/// The data from which terms_values() computes the values of a sum's terms.
struct term_place {
	const struct digest *digest; ///< digest from which step metrics are taken
	const void *row; ///< row of the digest from which members are taken
	int64_t unknown; ///< value that a member has if it is unknown
	int64_t ones; ///< number of launches or steps that rows with ROW_PER_ONE are divided by
};

/// Compute the value of each row. False if a value is unknown.
bool terms_values(const struct term_sum *t, const struct term_place *p, __int128 out[TERM_ROWS]);

/// Number of devices of a rank that take part in steps; on each of them, the parts of a period
/// (wall time of a step) add up to the period. 0 if the period was not recorded.
int64_t terms_devices(const struct digest *d);

/// Sum of a step.* metric over the usable steps of `d`. False if it was not recorded.
bool step_metric_total(const struct digest *d, enum metric_id id, __int128 *out);

/// Number of usable steps that have a sample of the metric `id`.
int64_t step_metric_nr(const struct digest *d, enum metric_id id);

#endif

/// Figures that other figures add up to: what a change is broken down into, as data.
#ifndef GG_DIFF_TERMS_H
#define GG_DIFF_TERMS_H

#include "model/digest.h"

enum term_source {
	TERM_END,
	TERM_STEP_METRIC, ///< sum of a step.* metric over the usable steps
	TERM_device_stat, ///< a member of the row that the figure is of
	TERM_kernel_stat,
	TERM_thread_stat,
	TERM_memory_stat,
};

/// A field that is added or taken off.
struct term {
	enum term_source from;
	int sign;
	size_t at; ///< id of the metric, offset of the member
};
enum { ROW_TERMS = 4, TERM_ROWS = 4 };

/// What else is to be known of a row, as bits.
enum {
	ROW_PER_ONE = 1, ///< divided by the number of launches (kernels) or steps (memory)
	ROW_LESS_ABOVE = 2, ///< less the rows above it
	ROW_TAKEN_OFF = 4, ///< what it is is shown without the sign
	ROW_AT_PEAK = 8, ///< the operator that ran then is named
	ROW_HAS_SITES = 16, ///< bytes that the lists of sites tell more of
	ROW_UNUSED = 32, ///< memory that is not in use
	ROW_OF_DEVICES = 64, ///< several devices of a rank may run at once
	ROW_PER_DEVICE = 256, ///< divided by the number of devices that work for steps
	ROW_COMPLEMENT = 128, ///< the share is that of the whole less this
};

struct term_row {
	const char *label;
	struct term terms[ROW_TERMS];
	unsigned flags;
};

/// Rows that add up to a metric: in every step, device, kernel, thread or memory. A share
/// has its whole and its part.
struct term_sum {
	enum metric_id metric;
	bool one_rank; ///< only for one rank: several are listed by rank
	const char *by; ///< for the title
	struct term_row rows[TERM_ROWS];
};

/// The `nth` set of rows of a metric, the one to be preferred first, or NULL; static.
const struct term_sum *terms_of(enum metric_id id, size_t nth);

/// What terms are taken from.
struct term_place {
	const struct digest *digest; ///< of the step figures
	const void *row; ///< of the members
	int64_t unknown; ///< value of a member that is not known
	int64_t ones; ///< what ROW_PER_ONE divides by
};

/// The values of the rows. False where one is not known.
bool terms_values(const struct term_sum *t, const struct term_place *p, __int128 out[TERM_ROWS]);

/// Devices of a rank that work for steps: over each of them the parts of a period add up to it. 0
/// if the period was not recorded.
int64_t terms_devices(const struct digest *d);

/// Sum of a step.* metric over the usable steps of `d`. False if it was not recorded.
bool step_metric_total(const struct digest *d, enum metric_id id, __int128 *out);

/// Number of usable steps that have a sample of it.
int64_t step_metric_nr(const struct digest *d, enum metric_id id);

#endif

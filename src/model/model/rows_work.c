/* Row types for work of GPU and host: kernels, devices, operators, calls, operations, threads,
 * functions, counters. */
#include "base/number.h"
#include "model/flops.h"
#include "model/rows_internal.h"

/* ---- rows of kernels and devices ---- */

int64_t kernel_occupancy_ns(const struct kernel_stat *k)
{
	return k->occupancy <= 0 ? 0 : k->occupancy_ns > 0 ? k->occupancy_ns : k->step_total_ns;
}

__int128 kernel_occupancy_sum(const struct kernel_stat *k)
{
	return (__int128)k->occupancy * kernel_occupancy_ns(k) + k->occupancy_rest;
}

/* Joins the occupancies of two rows; the mean is weighted by time in steps. The remainder of the
 * division is kept, so that joining in any order gives the same figure. */
static void join_occupancy(struct kernel_stat *x, const struct kernel_stat *y)
{
	__int128 sum = kernel_occupancy_sum(x) + kernel_occupancy_sum(y);
	int64_t ns = number_add(kernel_occupancy_ns(x), kernel_occupancy_ns(y));
	bool in_steps = x->step_total_ns > 0 || y->step_total_ns > 0,
	     less = y->occupancy < x->occupancy;
	x->occupancy_ns = ns;
	x->occupancy_rest = 0;
	if (ns > 0) {
		x->occupancy = number_div_round(sum, ns);
		x->occupancy_rest = (int64_t)(sum - (__int128)x->occupancy * ns);
	} else if (in_steps == less) { /* no occupancy in steps is known: keeps the lower value, which
		                              is "unknown", if a row has time in steps; else keeps the
		                              higher value */
		x->occupancy = y->occupancy;
	}
}

static void join_small_kernels(void *row, const void *more)
{
	join_occupancy(row, more);
}

static void join_kernel_cycles(void *row, const void *more)
{
	struct kernel_stat *x = row;
	const struct kernel_stat *y = more;
	__int128 time = (__int128)x->total_ns + y->total_ns;
	if (x->names > 0)
		join_occupancy(x, y);
	else if (x->occupancy < 0 || y->occupancy < 0)
		x->occupancy = x->occupancy > y->occupancy ? x->occupancy : y->occupancy;
	else if (time > 0)
		x->occupancy = number_div_round(
		    (__int128)x->occupancy * x->total_ns + (__int128)y->occupancy * y->total_ns, time);
	if (y->count > x->count) {
		memcpy(x->grid, y->grid, sizeof x->grid);
		memcpy(x->block, y->block, sizeof x->block);
	}
}

#define ROW kernel_stat
static const struct field kernel_stat_fields[] = {
	KEY(ORDER, kind, ENUM(event_gpu_names), 0),
	KEY(ORDER, name, NAME, 0, SUMS_LAST),
	FIELD(count, COUNT, SUM, SUM, 0, SHOWN("count")),
	FIELD(total_ns, COUNT, SUM, SUM, 0, SHOWN("total")),
	FIELD(max_ns, COUNT, MAX, MAX, 0, SHOWN("max")),
	FIELD(bytes, COUNT, SUM, SUM, 0),
	FIELD(step_count, COUNT, SUM, SUM, 0),
	FIELD(step_total_ns, COUNT, SUM, SUM, 0),
	FIELD(step_max_ns, COUNT, MAX, MAX, 0),
	FIELD(step_bytes, COUNT, SUM, SUM, 0),
	FIELD(grid, SHAPE, OWN, NONE, 0),
	FIELD(block, SHAPE, OWN, NONE, 0),
	FIELD(shapes, COUNT, MAX, NONE, 0),
	FIELD_AT(resources[RESOURCE_REGISTERS], "registers", OPTIONAL_COUNT(-1), MAX, MAX, 3),
	FIELD_AT(resources[RESOURCE_SHARED], "shared_memory", OPTIONAL_COUNT(-1), MAX, MAX, 3),
	FIELD_AT(resources[RESOURCE_LOCAL], "local_memory", OPTIONAL_COUNT(-1), MAX, MAX, 3),
	FIELD(occupancy, OPTIONAL_COUNT(-1), OWN, OWN, 0),
	FIELD(occupancy_ns, OPTIONAL_COUNT(0), OWN, OWN, 1),
	FIELD(occupancy_rest, OPTIONAL_NUMBER(0), OWN, OWN, 1),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 0),
	/* the largest kernel of both cycles may be the same one, whose time is then the sum; so the sum
	   is the least upper bound */
	FIELD(largest_ns, OPTIONAL_NUMBER(0), SUM, MAX, 0),
};
ROW_TYPE(kernel_stat, LISTED, SUMS(kernel_stat), OWN(OF_CYCLES, join_kernel_cycles),
         OWN(SMALL, join_small_kernels));
#undef ROW

#define ROW device_stat
static const struct field device_stat_fields[] = {
	KEY(ORDER, id, TEXT, 0),
	FIELD(streams, COUNT, MAX, KEEP, 0),
	FIELD(activities, COUNT, SUM, KEEP, 0),
	FIELD(span_ns, COUNT, SUM, KEEP, 0),
	FIELD(busy_ns, COUNT, SUM, KEEP, 0),
	FIELD(compute_ns, COUNT, SUM, KEEP, 0),
	FIELD(comm_ns, COUNT, SUM, KEEP, 0),
	FIELD(overlap_ns, COUNT, SUM, KEEP, 0),
	FIELD(measured_ns, OPTIONAL_COUNT(-1), BOTH, KEEP, 1),
	FIELD(measured_busy_ns, OPTIONAL_COUNT(-1), BOTH, KEEP, 1),
};
ROW_TYPE(device_stat, LISTED);
#undef ROW

/* ---- rows of host work ---- */

#define ROW op_stat
static const struct field op_stat_fields[] = {
	KEY(ORDER, name, NAME, 0, SUMS_LAST),
	FIELD(count, COUNT, SUM, SUM, 0),
	FIELD(total_ns, COUNT, SUM, SUM, 0),
	FIELD(self_ns, COUNT, SUM, SUM, 0),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 0),
};
ROW_TYPE(op_stat, LISTED, SUMS(op_stat));
#undef ROW

#define ROW call_stat
static const struct field call_stat_fields[] = {
	KEY(ORDER, kind, ENUM(call_kind_names), 0),
	KEY(ORDER, name, NAME, 0, SUMS_LAST),
	FIELD(count, COUNT, SUM, SUM, 0),
	FIELD(total_ns, COUNT, SUM, SUM, 0),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 0),
};
ROW_TYPE(call_stat, LISTED, SUMS(call_stat));
#undef ROW

#define ROW thread_stat
static const struct field thread_stat_fields[] = {
	KEY(ORDER, id, TEXT, 0),
	FIELD(busy_ns, COUNT, SUM, SUM, 0),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 0),
	FIELD(op_ns, OPTIONAL_COUNT(-1), BOTH, NONE, 0),
};
ROW_TYPE(thread_stat, LISTED, SUMS(thread_stat));
#undef ROW

#define ROW flop_stat
static const struct field flop_stat_fields[] = {
	KEY(ORDER, op, NAME, 0),
	KEY(ORDER, type, ENUM(flop_type_names), 0),
	FIELD(count, COUNT, SUM, SUM, 0),
	FIELD(flops, COUNT, SUM, SUM, 0),
	FIELD(uncounted, COUNT, SUM, SUM, 0),
	FIELD(gpu_ns, COUNT, SUM, SUM, 0),
	FIELD(bytes, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(unsized, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(sized_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(memory_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(compute_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(short_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(moved_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
	FIELD(roof_ns, OPTIONAL_NUMBER(0), SUM, SUM, 3),
};
ROW_TYPE(flop_stat, LISTED);
#undef ROW

/* ---- functions and counters ---- */

/* Joins a function of two profiler cycles. Medians cannot be added, so the medians of the cycle
   with more executions are kept. */
static void join_function_cycles(void *row, const void *more)
{
	struct function_stat *x = row;
	const struct function_stat *y = more;
	if (y->count <= x->count)
		return;
	x->median_ns = y->median_ns;
	x->rate = y->rate;
	x->rate_mad = y->rate_mad;
}

/* Functions are ordered as a tree of calls: a caller comes before its callees. */
#define ROW function_stat
static const struct field function_stat_fields[] = {
	KEY(ORDER, cls, ENUM(function_class_names), 0),
	KEY(SAME, name, NAME, 0, SUMS_LAST),
	FIELD(parent, OPTIONAL_COUNT(-1), KEEP, KEEP, 0),
	FIELD(count, COUNT, SUM, SUM, 0, SHOWN("count")),
	FIELD(total_ns, COUNT, SUM, SUM, 0, SHOWN("total")),
	FIELD(exclusive_ns, COUNT, SUM, SUM, 0),
	FIELD(median_ns, COUNT, OWN, NONE, 0, SHOWN("median")),
	FIELD(rate, OPTIONAL_COUNT(-1), OWN, NONE, 0, SHOWN("throughput")),
	FIELD(rate_mad, OPTIONAL_COUNT(-1), OWN, NONE, 0, SHOWN("throughput_spread")),
	FIELD(names, OPTIONAL_NUMBER(0), MAX, NAMES, 0),
};
ROW_TYPE(function_stat, LISTED, SUMS(function_stat), OWN(OF_CYCLES, join_function_cycles));
#undef ROW

static void join_counter_cycles(void *row, const void *more)
{
	struct counter_stat *x = row;
	const struct counter_stat *y = more;
	if (y->samples > x->samples)
		*x = *y;
}

#define ROW counter_stat
static const struct field counter_stat_fields[] = {
	KEY(ORDER, name, NAME, 0),
	FIELD(samples, COUNT, OWN, KEEP, 0),
	FIELD(median, COUNT, OWN, KEEP, 0),
	FIELD(mad, COUNT, OWN, KEEP, 0),
};
ROW_TYPE(counter_stat, LISTED, OWN(OF_CYCLES, join_counter_cycles));
#undef ROW

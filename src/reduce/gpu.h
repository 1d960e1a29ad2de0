/// GPU activities (kernels, copies, memory sets): what is kept of each, their names and lanes.
#ifndef GG_REDUCE_GPU_H
#define GG_REDUCE_GPU_H

#include "base/diag.h"
#include "code/wide.h"
#include "model/digest.h"

struct reducer;

/// A GPU activity, 24 bytes.
struct activity {
	int64_t start_ns;
	uint32_t dur; ///< activity_dur()
	uint32_t correlation; ///< Union: correlation id, widen() it. If `has_launch`: index into
	                      ///< `launches.list`; after launches_end() index into `host.spans`.
	uint32_t row : 31; ///< index into `rows`: activity_name(), activity_lane()
	bool has_launch : 1; ///< its launch was recorded; set by launches_match()
	uint32_t step; ///< index into `steps.marks`, or NO_ID
};

/// Bytes of a copy or memory set. Most activities are kernels, which have no such entry.
struct transfer {
	uint32_t activity; ///< index
	int64_t bytes;
};

/// A launch shape of one name; its bytes are the key in the name table `shapes`.
struct gpu_shape {
	int64_t name; ///< index into `names`
	int64_t dims[6]; ///< grid, block
};

/// All activities of one kind and name.
struct gpu_name {
	struct kernel_stat stat;
	bool communication;
	int64_t shape_count; ///< launches of the most frequent shape
	int64_t occupancy_ns; ///< GPU time of the launches with a known occupancy
	__int128 occupancy_sum; ///< sum of occupancy × time over these launches
	struct kernel_stat phase; ///< step_* of the requested phase
};

struct gpu_events {
	int64_t total_ns; ///< sum of all durations, so that every smaller sum fits
	VEC(struct activity) activities; ///< in file order; by start from gpu_figures() on
	VEC(struct transfer) transfers; ///< by `activity` in file order
	struct wide_numbers wide; ///< of durations and correlation ids
	struct idmap name_ids; ///< (kind, name id) → index into `names`
	VEC(struct gpu_name) names;
	struct idmap rows; ///< (index into `names`, lane id)
	struct name_table shapes; ///< struct gpu_shape
	VEC(int64_t) shape_counts; ///< launches, by id in `shapes`
	struct idmap devices, streams; ///< idents
	struct idmap lanes; ///< (device id, stream id)
	int64_t last_device, last_stream; ///< of the latest activity; a cache of one
	uint32_t last_lane; ///< its lane id; NO_ID before the first activity
};

/// Ready for use, and back.
void gpu_init(struct gpu_events *g);
void gpu_release(struct gpu_events *g);

/// Keep an activity; may set `fault`.
void gpu_take(struct reducer *r, const struct event *ev);

/// Join a part: its ids; whether its sums fit; its activities.
void gpu_join_ids(struct reducer *to, struct reducer *from);
bool gpu_fits(const struct reducer *to, const struct reducer *from);
void gpu_join(struct reducer *to, struct reducer *from);

/// Rows by activity name, from the activities with their steps, in file order.
GG_MUST_CHECK enum status kernel_figures(struct reducer *r, struct digest *d, struct diag_log *log);

/// A device over the periods of the measured steps; 0 if it does nothing in any step.
struct device_periods {
	bool works; ///< it has an activity of a step
	int64_t period_ns, busy_ns;
};

/// Wall time of the steps and what ran in it, from the activities by start. `devices`: one for
/// each device id, zeroed.
GG_MUST_CHECK enum status wall_figures(const struct reducer *r, struct digest *d,
                                       struct device_periods *devices, struct diag_log *log);

/// The same for a trace without steps, which has no period: only its idle time.
void wall_of_window(struct digest *d, int64_t idle_ns);

/// Figures per step and per device. Sorts the activities by start.
GG_MUST_CHECK enum status gpu_figures(struct reducer *r, struct digest *d, struct diag_log *log);

static inline struct gpu_name *activity_name(const struct gpu_events *g, const struct activity *a)
{
	return &g->names.v[idmap_pair_first(g->rows.keys.v[a->row])];
}
static inline uint32_t activity_lane(const struct gpu_events *g, const struct activity *a)
{
	return (uint32_t)g->rows.keys.v[a->row];
}
static inline int64_t activity_dur(const struct gpu_events *g, const struct activity *a)
{
	return widen(&g->wide, a->dur);
}
static inline int64_t activity_end(const struct gpu_events *g, const struct activity *a)
{
	return a->start_ns + activity_dur(g, a);
}

#endif

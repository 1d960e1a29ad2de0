/// GPU activities (kernels, copies, memory sets): figures, name and lane (GPU stream) of each.
#ifndef GG_REDUCE_GPU_H
#define GG_REDUCE_GPU_H

#include "base/diag.h"
#include "code/wide.h"
#include "model/digest.h"

struct reducer;

/// A trace with this many rows (gpu_events.rows) is refused, since the index of a row has 29 bits.
#define GPU_ROWS_END ((uint32_t)1 << 29)

/// A trace with this many lanes is refused. The lower half of a key in `rows` is the lane id plus
/// GPU_LANES_END times the number of blocks.
#define GPU_LANES_END ((uint32_t)1 << 24)

/// Value of the start of an activity that the driver did not time (account_untime()).
#define NO_START INT64_MIN

/// A GPU activity, 24 bytes.
struct activity {
	int64_t start_ns;
	uint32_t dur; ///< duration, to be read with activity_dur() in ns
	uint32_t correlation; ///< correlation id, packed by narrow(). If `has_launch` is set: index of
	                      ///< the launch in `launches.list`; from launches_end() on, index of its
	                      ///< span in `host.spans`.
	uint32_t row : 29; ///< index into `rows`; see activity_name() and activity_lane()
	bool has_launch : 1; ///< true if the launch was recorded; set by launches_match()
	bool before : 1; ///< true if the activity was launched before the recording; set by
	                 ///< launches_match()
	bool untimed : 1; ///< true if the activity has no start or no valid duration, so that its time
	                  ///< is unknown
	uint32_t step; ///< index into `steps.marks`, or NO_ID
};

/// The data that are kept of an activity with a known launch after the figures of the GPU are made.
struct launched {
	uint32_t span; ///< index of the launch in `host.spans`
	uint32_t row, dur; ///< the members `row` and `dur` of the activity
};

/// Bytes of a copy or memory set. Most activities are kernels, which have no transfer.
struct transfer {
	uint32_t activity; ///< index of the activity
	uint32_t bytes; ///< bytes, to be read with widen()
};

/// A launch shape (grid and block size) of the kernels of one name. The bytes of the struct are the
/// key in the name table `shapes`.
struct gpu_shape {
	int64_t name; ///< index of the name in `names`
	int64_t dims[6]; ///< grid and block dimensions
};

/// All activities of one kind and name.
struct gpu_name {
	struct kernel_stat stat;
	bool communication;
	uint64_t key; ///< hash of the name, made by code_kernel_key()
	int64_t shape_count; ///< number of launches with the most frequent shape
	int64_t occupancy_ns; ///< GPU time of the launches whose occupancy is known
	__int128 occupancy_sum; ///< sum of occupancy × time over the launches with a known occupancy
	struct kernel_stat phase; ///< figures of the activities in the phase `options.phase`; only the
	                          ///< step_* members are used
};

/// The GPU activities of a trace.
struct gpu_events {
	int64_t total_ns; ///< sum of all durations, which fits int64
	int64_t tick_ns; ///< tick of the clock: gcd of all starts, durations and CLOCK_TICK_MAX
	VEC(struct activity) activities; ///< activities in file order, from gpu_figures() on by start
	struct launched *launched; ///< activities with a known launch; gpu_keep_launched() makes them
	                           ///< from `activities`
	size_t nr_launched;
	VEC(struct transfer) transfers; ///< bytes of copies and memory sets, sorted by `activity`
	struct wide_numbers wide; ///< durations, ids and bytes that do not fit into 30 bits
	struct idmap name_ids; ///< index into `names` of each pair (kind, name id)
	VEC(struct gpu_name) names;
	struct idmap rows; ///< ids of pairs of two numbers: an index into `names`, and a number made of
	                   ///< lane id and number of blocks (GPU_LANES_END)
	struct name_table shapes; ///< launch shapes; the bytes of each key are a struct gpu_shape
	VEC(int64_t) shape_counts; ///< number of launches, indexed by id in `shapes`
	struct idmap devices, streams; ///< map from the ids of devices and streams in the trace to ids
	                               ///< 0, 1, 2 …
	struct idmap lanes; ///< ids of pairs (device id, stream id)
	int64_t last_device, last_stream; ///< cache: ids in the trace of device and stream of the
	                                  ///< latest activity
	uint32_t last_lane; ///< lane id of the latest activity; NO_ID before the first
};

/// Makes an empty store of GPU activities; gpu_release() releases what it owns.
void gpu_init(struct gpu_events *g);

/// Releases the activities, their names and ids.
void gpu_release(struct gpu_events *g);

/// Stores a GPU activity; may set r->fault.
void gpu_take(struct reducer *r, const struct event *ev);

/// Makes one row of `d` for each name of activities. The activities must have steps and be in file
/// order. ST_INPUT if the bytes of a step exceed int64.
GG_MUST_CHECK enum status kernel_figures(struct reducer *r, struct digest *d, struct diag_log *log);

/// A device over the periods (wall times) of all measured steps; times are 0 if the device has no
/// activity in any step.
struct device_periods {
	bool works; ///< true if the device has an activity in at least one step
	int64_t period_ns, busy_ns; ///< sum of the periods; part of it in which the device is busy
};

/// Computes the wall time of each step, and the parts of it in which devices compute, communicate,
/// copy or are idle. The activities must be sorted by start. `devices` has one zeroed struct for
/// each device id. ST_INPUT if a time exceeds int64.
GG_MUST_CHECK enum status wall_figures(const struct reducer *r, struct digest *d,
                                       struct device_periods *devices, struct diag_log *log);

/// Like wall_figures(), for a trace without steps, whose devices have no periods. `idle_ns` is the
/// time in which devices are idle, summed over them.
void wall_of_window(struct digest *d, int64_t idle_ns);

/// Computes figures per step and per device; sorts the activities by start. ST_INPUT if a time
/// exceeds int64.
GG_MUST_CHECK enum status gpu_figures(struct reducer *r, struct digest *d, struct diag_log *log);

/// Replaces `activities` by the smaller list `launched`. Call it after launches_end().
void gpu_keep_launched(struct gpu_events *g);

/// Members of an activity in unpacked form: its name, lane id, duration and end. Times are in ns.
static inline struct gpu_name *activity_name(const struct gpu_events *g, const struct activity *a)
{
	return &g->names.v[idmap_pair_first(g->rows.keys.v[a->row])];
}
static inline uint32_t activity_lane(const struct gpu_events *g, const struct activity *a)
{
	return (uint32_t)g->rows.keys.v[a->row] % GPU_LANES_END;
}
/// Number of blocks of the kernels of a row; 0 if unknown, or if there are more than 255.
static inline uint32_t row_blocks(const struct gpu_events *g, uint32_t row)
{
	return (uint32_t)g->rows.keys.v[row] / GPU_LANES_END;
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

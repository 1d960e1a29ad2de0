/// Graphs: the calls that stream captures recorded into them, and the replays that run them. All
/// kernels of a replay have one launch; their place in the code is that of the recorded calls.
#ifndef GG_REDUCE_GRAPHS_H
#define GG_REDUCE_GRAPHS_H

#include "model/digest.h"
#include "reduce/flops.h"

struct reducer;

/// The name of the kernel that a call launches, where the call tells it (HIP).
struct graph_call {
	uint32_t span; ///< index of the call in `host.spans`
	uint32_t kernel; ///< id of the kernel's name
};

/// The number of a node, as an activity of a replay tells it (CUDA): a capture numbers its nodes in
/// the order of their calls.
struct graph_number {
	uint32_t activity; ///< index in `gpu.activities`
	int64_t number;
};

/// A call that was recorded into a graph.
struct graph_node {
	uint32_t capture; ///< index in `captures`
	uint32_t span; ///< index of the call in `host.spans`; NO_ID if it is in another recording
	int64_t work; ///< kind of its activity, and id of the activity's name or NO_ID: a pair like
	              ///< those of `gpu.name_ids`
	uint32_t op, stack; ///< code around the call, as in struct where_moment; 0 if not known
	uint32_t counted; ///< index in `ops` of the operator that is counted for it; NO_ID: none
};

/// An operator whose operations are counted, and which made calls that were recorded.
struct graph_op {
	struct op_size size;
	struct op_work work; ///< that of its nodes in replays
	uint32_t name; ///< id of its name
	int64_t times; ///< number of replays in measured steps
};

/// A stream capture, from the start of an outermost Begin to the start of its End. A Begin without
/// an End is not a capture: events may be missing.
struct graph_capture {
	uint32_t thread;
	int64_t start_ns, end_ns;
	bool forks; ///< true if streams wait for each other in it, so that nodes run side by side
	bool unread; ///< true if names of its kernels may be in the file and were not read
	size_t first, nr; ///< its nodes in `nodes`
	uint32_t form; ///< index in `forms`; not set without nodes
};

/// Captures of equal work in equal order.
struct graph_form {
	uint32_t first; ///< the first of them, in `captures`
	bool forks; ///< true if one of them forks
	bool sizes_differ; ///< true if what is counted for their operators differs
	bool differ; ///< true if their places differ, or if one of them is `unread`
	uint32_t captures, sequences; ///< number of captures, and of kinds of replays that fit them
};

/// Why replays have or lack the places of a capture.
enum graph_join {
	GRAPH_JOINED,
	GRAPH_UNLIKE, ///< no capture has as many nodes, of the same kinds and names
	GRAPH_UNORDERED, ///< nodes run side by side, without numbers that tell their order
	GRAPH_AMBIGUOUS, ///< captures that fit have different places, or more graphs fit one
	NR_GRAPH_JOINS
};

/// All replays with the same kernels in the same order.
struct graph_replay {
	enum graph_join join;
	bool sized; ///< true if joined, and if operators can be counted
	size_t first, nr; ///< forms that fit, in `fitting`
};

/// An activity of a replay.
struct graph_run {
	uint32_t activity; ///< index in `gpu.activities`, as long as these are in file order
	uint32_t replay; ///< index in `replays`
	uint32_t node; ///< number of its node in the capture
};

/// The captures of a trace and of the recordings that are joined to it, and the replays that they
/// fit.
struct graphs {
	bool begun; ///< true once the file has begun a capture
	uint32_t from; ///< first span after that: of earlier ones no names of kernels were read
	VEC(struct graph_call) calls; ///< sorted by `span`
	VEC(struct graph_number) numbers; ///< sorted by `activity`
	/// captures of this recording, sorted by thread and start and disjoint in each thread; then
	/// those of other recordings
	VEC(struct graph_capture) captures;
	size_t own; ///< number of captures of this recording
	VEC(struct graph_node) nodes; ///< sorted by capture and start of the call
	VEC(struct graph_op) ops;
	VEC(const struct captured *) joined; ///< captures of other recordings, borrowed
	/* the members below stay empty without a capture */
	struct name_table works; ///< the works of forms, by index in `forms`, then of replays, as bytes
	struct idmap counts; ///< the numbers of nodes that captures have
	VEC(struct graph_form) forms;
	bool full; ///< true if there are too many captures to compare all: no replay gets places then
	VEC(uint32_t) partly; ///< forms in which only some kernels have a name
	struct name_table sequences; ///< the kernels of each of `replays`
	VEC(struct graph_replay) replays;
	VEC(uint32_t) fitting; ///< indices in `forms`
	VEC(struct graph_run) runs; ///< sorted by `activity`
};

/// Releases all memory of graphs.
void graphs_release(struct graphs *g);

/// Finds the captures of this recording.
void graphs_find(struct reducer *r);

/// True if a thread was capturing at a moment.
bool graphs_capture_at(const struct graphs *g, uint32_t thread, int64_t at_ns);

/// True if the call at `span` was made in a capture, and so only recorded. Stores it as a node if
/// it launches work. Call it once for each such call, after graphs_find().
bool graphs_take(struct reducer *r, uint32_t span);

/// Adds the captures of other recordings, and finds those that fit each replay. Call it between
/// launches_match(), which takes all nodes, and launches_end(), with activities in file order;
/// `where.names` and `where.places` must be initialized.
void graphs_match(struct reducer *r);

/// Takes the code around the recorded calls, after all walks, and decides which replays have it.
void graphs_settle(struct reducer *r);

/// The node of an activity of a replay, given its index in `runs`; NULL if it is not known.
const struct graph_node *graphs_node(const struct graphs *g, uint32_t run);

/// Adds the work of replays in measured steps to `ops`; returns the number of these replays.
int64_t graphs_count(struct reducer *r);

/// Adds to `t` the time of the work that replays of graphs ran, and its parts (`replayed_ns` to
/// `ambiguous_ns`), if there are any captures.
void graphs_figures(const struct reducer *r, struct trust_counts *t);

#endif

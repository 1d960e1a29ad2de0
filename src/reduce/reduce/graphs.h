/// CUDA and HIP graphs. A stream capture records calls into a graph, and each launch of the graph
/// replays their work. All kernels of a replay are launched by one call, so their places in the
/// code are taken from the calls that were recorded into the graph.
#ifndef GG_REDUCE_GRAPHS_H
#define GG_REDUCE_GRAPHS_H

#include "model/digest.h"
#include "reduce/flops.h"

struct reducer;

/// The kernel that a call launches, if the trace names it (HIP).
struct graph_call {
	uint32_t span; ///< index of the call in `host.spans`
	uint32_t kernel; ///< id of the kernel's name
};

/// The number of the graph node that an activity of a replay ran, if the trace has it (CUDA). A
/// capture numbers its nodes in the order of their calls.
struct graph_number {
	uint32_t activity; ///< index in `gpu.activities`
	int64_t number;
};

/// A call that was recorded into a graph.
struct graph_node {
	uint32_t capture; ///< index in `captures`
	uint32_t span; ///< index of the call in `host.spans`; NO_ID if it is in another recording
	int64_t work; ///< pair (kind of the activity, id of its name or NO_ID), like a key of
	              ///< `gpu.name_ids`
	uint32_t op, stack; ///< ids of the paths of operators and of frames around the call (struct
	                    ///< where_moment); 0 if unknown
	uint32_t counted; ///< index in `ops` of the operator that made the call, if its operations are
	                  ///< counted; else NO_ID
};

/// An operator that made recorded calls, and whose floating-point operations are counted.
struct graph_op {
	struct op_size size;
	struct op_work work; ///< GPU work of the operator's nodes in replays
	uint32_t name; ///< id of the operator's name
	int64_t times; ///< number of replays in measured steps
};

/// A stream capture, from an outermost StreamBeginCapture to the StreamEndCapture that closes it. A
/// begin without an end does not count, since events may be missing.
struct graph_capture {
	uint32_t thread;
	int64_t start_ns, end_ns;
	bool forks; ///< true if streams wait for each other in the capture, so that nodes may run in
	            ///< parallel
	bool unread; ///< true if the file may have names of kernels of the capture that were not read,
	             ///< since the capture began before names were read
	size_t first, nr; ///< the nodes of the capture, as a range of `nodes`
	uint32_t form; ///< index in `forms` of the capture's form; unset if the capture has no nodes
};

/// A form: all captures whose nodes have the same `work`, in the same order.
struct graph_form {
	uint32_t first; ///< index in `captures` of the first capture of this form
	bool forks; ///< true if `forks` is set in at least one capture of this form
	bool sizes_differ; ///< true if the captures of this form differ in the operations of their
	                   ///< operators
	bool differ; ///< true if the captures of this form differ in their places in the code, or one
	             ///< is `unread`
	uint32_t captures, sequences; ///< number of captures of this form; number of entries of
	                              ///< `replays` that fit this form
};

/// Whether replays get the places in the code of a capture, and if not, why.
enum graph_join {
	GRAPH_JOINED, ///< replays get the places of a capture
	GRAPH_UNLIKE, ///< no capture has as many nodes, of the same kinds and names
	GRAPH_UNORDERED, ///< nodes run in parallel, and have no numbers from which their order would
	                 ///< follow
	GRAPH_AMBIGUOUS, ///< the captures that fit the replay have different places; or more different
	                 ///< replays fit these captures than there are captures, so the capture of some
	                 ///< graph is missing
	NR_GRAPH_JOINS
};

/// All replays with the same kernels in the same order.
struct graph_replay {
	enum graph_join join;
	bool sized; ///< true if the operations of the operators in these replays can be counted
	size_t first, nr; ///< the forms that fit, as a range of `fitting`
};

/// An activity of a replay.
struct graph_run {
	uint32_t activity; ///< index in `gpu.activities`, as long as these are in file order
	uint32_t replay; ///< index in `replays`
	uint32_t node; ///< index of the activity's node among the nodes of a fitting capture
};

/// The captures of a trace and of other recordings (reducer_join()), and the replays that fit them.
struct graphs {
	bool begun; ///< true once a call that begins a stream capture was stored
	uint32_t from; ///< index in `host.spans` of the first such call. Kernel names of earlier calls
	               ///< were not read.
	VEC(struct graph_call) calls; ///< calls whose kernel is known, sorted by `span`
	VEC(struct graph_number) numbers; ///< numbers of graph nodes, sorted by `activity`
	/// captures of this recording, sorted by thread and start and disjoint in each thread; then
	/// captures of other recordings
	VEC(struct graph_capture) captures;
	size_t own; ///< number of captures of this recording
	VEC(struct graph_node) nodes; ///< nodes, sorted by capture and start of the call
	VEC(struct graph_op) ops;
	/// what was captured in each other recording, borrowed; graphs_match() appends these captures
	/// to `captures`
	VEC(const struct captured *) joined;
	/* the members below stay empty without a capture */
	struct name_table works; ///< sequences of `work`, as bytes. First come those of the forms,
	                         ///< whose ids are their indices in `forms`; then those of replays that
	                         ///< fit no form.
	struct idmap counts; ///< numbers of nodes that captures have, each number once
	VEC(struct graph_form) forms;
	bool full; ///< true if there are too many captures to compare all of them; no replay then gets
	           ///< places
	/// indices in `forms` of the forms in which the trace names some of the kernels, but not all
	/// (struct graph_call)
	VEC(uint32_t) partly;
	struct name_table sequences; ///< for each entry of `replays`, the names of its activities in
	                             ///< order; the id is the index in `replays`
	VEC(struct graph_replay) replays;
	VEC(uint32_t) fitting; ///< indices in `forms` of the forms that fit each replay
	VEC(struct graph_run) runs; ///< activities of replays, sorted by `activity`
};

/// Releases captures and replays, but not the captures of other recordings, which are borrowed.
void graphs_release(struct graphs *g);

/// Finds the captures of this recording.
void graphs_find(struct reducer *r);

/// True if a thread was capturing at a moment.
bool graphs_capture_at(const struct graphs *g, uint32_t thread, int64_t at_ns);

/// True if the call at `span` was made in a capture, and so only recorded. Stores the call as a
/// node if it launches, copies or sets memory. Call it at most once for each call, after
/// graphs_find().
bool graphs_take(struct reducer *r, uint32_t span);

/// Adds the captures of other recordings, and finds the captures that fit each replay. Call it
/// after launches_match(), which finds all nodes, and before launches_end(), with activities in
/// file order. `where.names` and `where.places` must be initialized.
void graphs_match(struct reducer *r);

/// Looks up the code around the recorded calls, and decides which replays get it. Call it after
/// threads_walk() and where_link().
void graphs_settle(struct reducer *r);

/// The node that an activity of a replay ran, given the activity's index in `runs`; NULL if the
/// node is not known.
const struct graph_node *graphs_node(const struct graphs *g, uint32_t run);

/// Adds the work of replays in measured steps to `ops`; returns the number of these replays.
int64_t graphs_count(struct reducer *r);

/// Adds to `t` the GPU time of graph replays, in total (`replayed_ns`) and by enum graph_join. Adds
/// nothing if there are no captures.
void graphs_figures(const struct reducer *r, struct trust_counts *t);

#endif

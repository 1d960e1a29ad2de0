/// Reads dumps of PyTorch's Flight Recorder, which list the last collectives that a rank entered,
/// and the state of each.
#ifndef GG_FLIGHT_DUMP_H
#define GG_FLIGHT_DUMP_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/vec.h"
#include "io/source.h"

/// State of a collective: how far it has progressed.
enum flight_state {
	FLIGHT_SCHEDULED, ///< the host has entered the collective
	FLIGHT_STARTED, ///< the GPU has begun the collective
	FLIGHT_COMPLETED
};

/// A collective, a send or a receive that the rank of the dump has entered.
struct flight_entry {
	uint32_t group; ///< index of the collective's process group in the list `groups` of the dump
	int64_t seq; ///< number of the collective in its process group
	const struct name *kind; ///< kind, such as "all_reduce", or "recv 1<-0" for a receive
	const struct name *sizes; ///< sizes of the inputs: "[4, 4], [2]", cut to 120 bytes; NULL if not
	                          ///< given
	int64_t elements; ///< number of elements of all inputs together; -1 if not given
	const struct name *dtype; ///< element type of the inputs; NULL if not given

	/// Innermost frame outside of PyTorch, or if there is none, the innermost frame: "train.py:88
	/// (step)". NULL if no frames are given.
	const struct name *frame;
	enum flight_state state;
};

/// A process group, as the dump of one rank describes it.
struct flight_group {
	const struct name *name, *desc; ///< name and description; the description is NULL if not given

	/// Members of the group, as ranks of the whole job, in rising order; empty if not given.
	VEC(int64_t) ranks;
	struct flight_entry p2p; ///< the last send or receive; its `kind` is NULL if there is none
};

/// A dump, which owns its lists and texts.
struct flight_dump {
	int64_t rank; ///< rank that wrote the dump; -1 if not given
	bool dropped; ///< true if the recorder has overwritten older entries
	uint64_t json_faults, fault_byte;
	struct name_table names; ///< name table that owns all texts of the dump
	VEC(struct flight_group) groups; ///< groups, in order of first occurrence
	VEC(struct flight_entry) entries; ///< entries, oldest first; without sends and receives
};

/// Read a dump: flight_read() in JSON (_dump_nccl_trace_json()), flight_read_pickle() as a pickle,
/// such as the files that TORCH_FR_DUMP_TEMP_FILE names. ST_INPUT leaves `out` unchanged; it is
/// also returned for an input that is cut short, or that has more than `entries` entries; 0 means
/// 2^20. Caller releases with flight_dump_free(). Sources: FlightRecorder.hpp,
/// torch/distributed/flight_recorder and its tests (PyTorch 2.8).
GG_MUST_CHECK enum status flight_read(struct source *src, size_t entries, struct flight_dump **out,
                                      struct diag_log *log);
GG_MUST_CHECK enum status flight_read_pickle(struct source *src, size_t entries,
                                             struct flight_dump **out, struct diag_log *log);

/// Releases a dump; NULL is fine.
void flight_dump_free(struct flight_dump *d);

/// Finds, from the `nr` dumps `v` of a job that hangs, the ranks that are the cause. The dumps must
/// be sorted by rank, one for each rank. Adds errors to `log` that name the ranks that never
/// entered a collective in which others wait, left no dump while others wait, or entered another
/// collective than their peers did at the same position in a process group. A rank that itself
/// waits for others is named as missing only if the ranks that do not wait, and dumps that are not
/// there, do not explain any hang. If there is no error, there is one for each rank with work that
/// had not ended and that no other rank has completed. `name` is the name of the run for messages,
/// in quotes. Returns the number of errors found; at most 16 of them are in the log, and one more
/// that says how many are left out. Takes O(n log n) time in the entries, plus O(process groups ×
/// dumps).
size_t flight_find_hangs(struct flight_dump *const *v, size_t nr, const char *name,
                         struct diag_log *log);

#endif

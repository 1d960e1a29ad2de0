/// Dumps of PyTorch's Flight Recorder: the last collectives that a rank entered, and how far they
/// came.
#ifndef GG_FLIGHT_DUMP_H
#define GG_FLIGHT_DUMP_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/vec.h"
#include "io/source.h"

/// A process group, as the rank knows it.
struct flight_group {
	const struct name *name, *desc; ///< desc NULL: not said
	VEC(int64_t) ranks; ///< its members, of all ranks of the job; empty: not said
};

/// How far a collective came.
enum flight_state {
	FLIGHT_SCHEDULED, ///< the host entered it
	FLIGHT_STARTED, ///< the GPU began it
	FLIGHT_COMPLETED
};

/// A collective that the rank entered.
struct flight_entry {
	uint32_t group; ///< index in the groups of the dump
	int64_t seq; ///< number in its process group
	const struct name *kind; ///< "all_reduce"
	const struct name *sizes; ///< of the inputs: "[4, 4], [2]"; NULL: not said
	int64_t elements; ///< of the inputs together; -1 not said
	const struct name *dtype; ///< of the inputs; NULL: not said
	const struct name *frame; ///< "train.py:88 (step)": innermost outside of PyTorch; NULL: none
	enum flight_state state;
};

struct flight_dump {
	int64_t rank; ///< -1 not said
	bool dropped; ///< older entries have gone
	uint64_t json_faults, fault_byte;
	struct name_table names; ///< owns all text
	VEC(struct flight_group) groups; ///< in order of first sight
	VEC(struct flight_entry) entries; ///< oldest first; without sends and receives
};

struct flight_options {
	size_t entries; ///< more are ST_INPUT; 0: 2^20
	size_t window; ///< bytes of the JSON scanner's window, for tests; 0: its default
};

/// Read a dump as JSON (_dump_nccl_trace_json()), or as the pickle that TORCH_FR_DUMP_TEMP_FILE
/// names. `options` may be NULL. ST_INPUT, also for a cut input, leaves `out` untouched. Caller:
/// flight_dump_free(). Sources: FlightRecorder.hpp, torch/distributed/flight_recorder and its
/// tests (PyTorch 2.8).
GG_MUST_CHECK enum status flight_read(struct source *src, const struct flight_options *options,
                                      struct flight_dump **out, struct diag_log *log);
GG_MUST_CHECK enum status flight_read_pickle(struct source *src,
                                             const struct flight_options *options,
                                             struct flight_dump **out, struct diag_log *log);

/// Release a dump; NULL is fine.
void flight_dump_free(struct flight_dump *d);

#endif

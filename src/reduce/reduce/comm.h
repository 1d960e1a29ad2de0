/// Communication: kernels of collectives, and the host events in which collectives are called.
#ifndef GG_REDUCE_COMM_H
#define GG_REDUCE_COMM_H

#include "base/diag.h"
#include "base/vec.h"
#include "events/event.h"
#include "model/digest.h"

struct reducer;

/// Identity of a collective. The bytes of this struct are its key in the name table `keys`.
struct comm_key {
	int64_t kind, group_size;
	int64_t group, group_name, dtype; ///< ids of texts in `texts`
};

/// A communication kernel and the id of its collective.
struct comm_kernel {
	uint32_t activity; ///< index of the activity
	uint32_t key; ///< id of the comm_key in `keys`
	int64_t bytes;
	bool args; ///< true if the arguments of the kernel's event name the collective
};

/// A host event that calls a collective: the kernels launched in it belong to the collective.
struct comm_scope {
	int64_t start_ns, end_ns, bytes;
	int64_t thread; ///< key of the event's thread, from thread_key()
	const struct name *name;
	uint32_t key; ///< id of the comm_key in `keys`
	bool args; ///< true if the event's arguments name the collective
	bool nested; ///< true if the nearest scope around this one has the same kind of collective
};

/// The collectives of a trace: their kernels, and the host events that call them.
struct comm_state {
	struct name_table texts, keys;
	VEC(struct comm_kernel) kernels; ///< kernels, sorted by `activity`, in file order
	VEC(struct comm_scope) scopes; ///< host events that call a collective, in file order
};

/// Makes the state of a trace without collectives; comm_release() releases what it owns.
void comm_init(struct comm_state *c);

/// Releases the lists and the texts of the collectives.
void comm_release(struct comm_state *c);

/// Stores the collective to which the activity that was stored last, a communication kernel,
/// belongs; may set r->fault.
void comm_take_kernel(struct reducer *r, const struct event *ev);

/// Stores an operator or annotation that calls a collective; may set r->fault.
void comm_take_host(struct reducer *r, const struct event *ev);

/// Makes the rows of `d` on collectives of complete measured steps. Activities must be in file
/// order. ST_INPUT if the bytes exceed int64.
GG_MUST_CHECK enum status comm_figures(struct reducer *r, struct digest *d, struct diag_log *log);

#endif

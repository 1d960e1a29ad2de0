/// Communication: kernels, and the host events that enter collectives.
#ifndef GG_REDUCE_COMM_H
#define GG_REDUCE_COMM_H

#include "base/diag.h"
#include "code/ids.h"
#include "model/digest.h"

struct reducer;

/// What a collective is; its bytes are the key in the name table `keys`.
struct comm_key {
	int64_t kind, group_size;
	int64_t group, group_name, dtype; ///< ids in `texts`
};

/// A communication kernel.
struct comm_kernel {
	uint32_t activity; ///< index
	uint32_t key; ///< id in `keys`
	int64_t bytes;
	bool args; ///< it has arguments, not only a name
};

/// A host event that enters a collective: kernels launched in it belong to that.
struct comm_scope {
	int64_t start_ns, end_ns, bytes;
	int64_t thread; ///< thread_key()
	const struct name *name;
	uint32_t key; ///< id in `keys`
	bool args; ///< it has arguments, not only shapes
	bool nested; ///< within a scope of the same kind: both are one collective
};

struct comm_state {
	struct name_table texts, keys;
	VEC(struct comm_kernel) kernels; ///< by `activity` in file order
	VEC(struct comm_scope) scopes; ///< in file order
};

/// Ready for use, and back.
void comm_init(struct comm_state *c);
void comm_release(struct comm_state *c);

/// Keep what a communication kernel, the newest activity, says of itself; may set `fault`.
void comm_take_kernel(struct reducer *r, const struct event *ev);

/// Keep an operator or annotation that enters a collective; may set `fault`.
void comm_take_host(struct reducer *r, const struct event *ev);

/// Join a part: its ids (false if a table is full); its kernels, whose activities come after the
/// first `activities` of the whole, and its scopes.
GG_MUST_CHECK bool comm_join_ids(struct reducer *to, struct reducer *from);
void comm_join(struct reducer *to, struct reducer *from, size_t activities);

/// Rows of collectives of usable steps, while the activities are in file order.
GG_MUST_CHECK enum status comm_figures(struct reducer *r, struct digest *d, struct diag_log *log);

#endif

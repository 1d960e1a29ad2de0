/// Communication of a trace while it is reduced. No other room includes this.
#ifndef GG_REDUCE_COMM_H
#define GG_REDUCE_COMM_H

#include "base/diag.h"
#include "base/intern.h"
#include "model/digest.h"
#include "model/event.h"

/// What a collective is, as the bytes that stand for it in a name table.
struct comm_key {
	int64_t kind, group_size;
	int64_t group, group_name, dtype; ///< ids in `texts`
};

/// A communication kernel.
struct comm_kernel {
	uint32_t activity;
	uint32_t key; ///< id in `keys`
	int64_t bytes;
	bool args; ///< it has arguments, not a name alone
};

/// A host event that enters a collective: kernels launched in it are of that.
struct comm_scope {
	int64_t start_ns, end_ns, bytes;
	int64_t thread; ///< idmap_pair() of pid and tid id, as in the reducer's `threads`
	const struct name *name;
	uint32_t key;
	bool args; ///< it has arguments, not shapes alone
	bool nested; ///< in one of the same kind, that is, the same collective
};

struct comm_state {
	struct name_table texts, keys;
	VEC(struct comm_kernel) kernels; ///< in order of `activity`, file order
	VEC(struct comm_scope) scopes;
};

struct reducer;

/// Keep what the communication kernel `ev`, the newest activity, says of itself; may set
/// `fault`, as may the next.
void comm_take_kernel(struct reducer *r, const struct event *ev);

/// Keep an operator or annotation that enters a collective.
void comm_take_host(struct reducer *r, const struct event *ev);

/// Rows of collectives of usable steps; while activities are in the order of the file.
GG_MUST_CHECK enum status comm_figures(struct reducer *r, struct digest *d, struct diag_log *log);

#endif

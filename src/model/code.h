/// Where in the code GPU work and waiting come from (metrics.md, "Where in the code"): one table.
#ifndef GG_MODEL_CODE_H
#define GG_MODEL_CODE_H

#include "base/span.h"
#include "model/phase.h"

/// What a row is about: the first three are GPU activities.
enum code_kind { CODE_KERNEL, CODE_MEMCPY, CODE_MEMSET, CODE_SYNC, NR_CODE_KINDS };

/// Names of the kinds, ended by NULL; static.
extern const char *const code_kind_names[];

/// What stands between the names of a path of modules or operators.
#define CODE_BETWEEN '\n'

/// Work of measured steps (else of the window) by where it was launched, at the moment of the
/// launch and on its thread. Each text is empty where there is none.
struct code_stat {
	enum code_kind kind;
	enum phase phase; ///< PHASE_ALL: not known
	struct span module; ///< names of modules, outermost first, between CODE_BETWEEN
	struct span place; ///< "FILE:FUNCTION"
	int64_t line; ///< of the place; -1 unknown
	struct span op; ///< names of operators, outermost first, between CODE_BETWEEN
	uint64_t kernel; ///< code_kernel_key() of a GPU activity; 0: of waiting, or of a sum
	int64_t count;
	int64_t total_ns; ///< of waiting: host time
	int64_t bytes; ///< of copies and memory sets
	int64_t names; ///< > 0: sum of so many rows too small to keep
};

/// The same of all that was launched within an annotation.
struct range_stat {
	struct span name; ///< raw bytes
	int64_t count, total_ns;
	int64_t names; ///< > 0: sum of so many too small to keep
};

/// Label of work without a place, where other work has one.
#define CODE_NO_PLACE "(no place)"

/// What a row has in place of the name of a GPU activity; never 0.
uint64_t code_kernel_key(struct span name);

/// Take the next name off the front of a path; false at its end.
bool code_path_next(struct span *path, struct span *name);

/// The innermost name of a path; empty where it is empty.
struct span code_path_last(struct span path);

/// True if `path` is `outer` or within it; every path is within an empty one.
bool code_path_within(struct span path, struct span outer);

/// True if one of the names of a path is `name`.
bool code_path_has(struct span path, struct span name);

#endif

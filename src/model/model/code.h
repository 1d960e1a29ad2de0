/// Where in the code GPU work and waiting come from (metrics.md, "Where in the code"), as one table
/// of rows.
#ifndef GG_MODEL_CODE_H
#define GG_MODEL_CODE_H

#include "base/span.h"
#include "model/phase.h"

/// Kinds of work that a row of struct code_stat is about. The first three are GPU activities;
/// CODE_SYNC is the host waiting for the GPU.
enum code_kind { CODE_KERNEL, CODE_MEMCPY, CODE_MEMSET, CODE_SYNC, NR_CODE_KINDS };

/// Names of enum code_kind, ended by NULL; static.
extern const char *const code_kind_names[];

/// Separator between the names of a path of modules or operators.
#define CODE_BETWEEN '\n'

/// Work of the complete measured steps (or of the window, if there are no steps), grouped by what
/// the launching thread ran at the moment of the launch. Unknown texts are empty.
struct code_stat {
	enum code_kind kind;
	enum phase phase; ///< phase in which the call was made: the kind of the whole step (such as
	                  ///< PHASE_DECODE), or a part of the step (such as PHASE_BACKWARD); PHASE_ALL
	                  ///< if unknown
	struct span module; ///< names of modules, outermost first, separated by CODE_BETWEEN
	struct span place; ///< place in the user's code, "FILE:FUNCTION"
	int64_t line; ///< line number of `place`; -1 if unknown
	struct span op; ///< names of operators, outermost first, separated by CODE_BETWEEN
	uint64_t kernel; ///< code_kernel_key() of a GPU activity; 0 for waiting and for a sum of rows
	int64_t count; ///< number of activities, or of waits
	int64_t total_ns; ///< GPU time; for waiting, host time
	int64_t bytes; ///< bytes moved by copies and memory sets; 0 for other kinds
	int64_t names; ///< number of small rows that this row sums up (digest_small()); 0 if it is not
	               ///< a sum
};

/// All GPU activities that were launched within annotations of one name.
struct range_stat {
	struct span name; ///< name of the annotation, raw bytes
	int64_t count, total_ns; ///< number of the activities; their GPU time
	int64_t names; ///< number of small rows that this row sums up (digest_small()); 0 if it is not
	               ///< a sum
};

/// Label of work whose place is unknown, in a table in which other work has a place.
#define CODE_NO_PLACE "(no place)"

struct metric;

/// What a row adds to the metric: launches, bytes or ns, depending on the metric's unit.
int64_t code_amount(const struct metric *m, const struct code_stat *c);

/// Hash of the name of a GPU activity, which struct code_stat stores instead of the name; never 0.
uint64_t code_kernel_key(struct span name);

/// Takes the next name off the front of a path; false at the end of the path.
bool code_path_next(struct span *path, struct span *name);

/// The innermost name of a path; empty if the path is empty.
struct span code_path_last(struct span path);

/// True if one of the names of a path is `name`.
bool code_path_has(struct span path, struct span name);

#endif

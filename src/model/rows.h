/// Row types, each told once: what a member is in JSON, and what becomes of it where rows are
/// joined.
#ifndef GG_MODEL_ROWS_H
#define GG_MODEL_ROWS_H

#include "model/digest.h"

struct row_reader;
struct schema;
struct sink;

/// Text that is not valid UTF-8 or holds a NUL is written with U+FFFD for
/// people, and its bytes as `KEY_hex` behind it.
enum field_type {
	FIELD_COUNT, ///< int64_t, ≥ 0
	FIELD_OPTIONAL_COUNT, ///< int64_t, left out where < 0, which reads as `absent`
	FIELD_NUMBER, ///< int64_t
	FIELD_OPTIONAL_NUMBER, ///< int64_t, left out where it is `absent`
	FIELD_BOOL,
	FIELD_TEXT, ///< const char *, never NULL
	FIELD_OPTIONAL_TEXT, ///< const char *, left out where NULL
	FIELD_NAME, ///< struct span
	FIELD_OPTIONAL_NAME, ///< struct span, left out where empty
	FIELD_HASH, ///< uint64_t as 16 hex digits
	FIELD_ENUM, ///< an enum, by `names`
	FIELD_SHAPE, ///< int64_t[3], left out where [0] < 0, which reads as -1
	FIELD_ROW, ///< struct of schema `sub`, on the same line
	FIELD_ROWS, ///< VEC of structs of schema `sub`, in strict order, one per line; several
	            ///< structs share a line, in which "ranks" says which have it unless all do
	FIELD_OPTIONAL_ROWS, ///< the same, left out where there are none
	FIELD_OWN, ///< what `read` and `write` make of the whole structs, and `describe` says of it
};

/// Why rows become one.
enum row_occasion {
	ROWS_OF_CYCLES, ///< the same row of two profiler cycles of a rank
	ROWS_FOLDED, ///< rows too small to keep go into a sum; raw names share a match name
	NR_ROW_OCCASIONS
};

/// What becomes of a member.
enum row_join {
	JOIN_KEEP, ///< the value of the first row stays
	JOIN_LAST, ///< the value of the second row
	JOIN_SUM,
	JOIN_MAX,
	JOIN_OR,
	JOIN_BOTH, ///< the sum if both are known, else unknown
	JOIN_NAMES, ///< in a sum: how many rows it is of, each that is not a sum itself being one
	JOIN_NONE, ///< a sum has no such value; raw names that share a match name keep the first one
	JOIN_OWN, ///< what the function of the row type for this occasion says
};

/// How a member takes part in the order of rows.
enum row_key {
	KEY_NOT,
	KEY_ORDER, ///< rows are in its order, and equal if all keys are
	KEY_SAME, ///< equal rows have the same value, but the order of rows is the writer's
};

/// A member of a row.
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	int64_t absent;
	const char *const *names; ///< ended by NULL
	bool names_row; ///< FIELD_ENUM: a row with an unknown name is one that a newer minor added
	const struct schema *sub;
	enum row_key order;
	bool sums_last; ///< of a key: sums (`names` > 0) come after all others
	int since; ///< minor of the stored form that brought it; above 0 it may be absent
	enum row_join join[NR_ROW_OCCASIONS];
	const char *shown; ///< key in `metrics --json`, where text is an id; NULL: not shown
	void (*read)(struct row_reader *r, void *const *rows, size_t nr);
	void (*write)(const void *const *rows, size_t nr, struct sink *out);
	bool (*has)(const void *const *rows, size_t nr); ///< whether it is written; NULL: always
	/// Write the JSON Schema of the value, or of that of `several` structs together.
	void (*describe)(bool several, int depth, struct sink *out);
};

/// A row type, or a document.
struct schema {
	const char *id; ///< value of the leading key "schema"; NULL for rows
	bool counted; ///< the leading key "ranks" is the number of structs
	bool listed; ///< its rows stand in lists (FIELD_ROWS)
	const struct field *fields; ///< keys first; at most 64
	size_t nr;
	size_t size; ///< of the struct
	size_t names; ///< offset of the member that makes a row a sum; 0: no row is one
	int (*cmp)(const void *a, const void *b); ///< order of rows; NULL: that of the keys
	/// Minor that brought what a row is about, or its present meaning; NULL: as old as the list.
	int (*since)(const void *row);
	/// Set the members that are JOIN_OWN, before all others are joined; by occasion.
	void (*own[NR_ROW_OCCASIONS])(void *row, const void *more);
};

/// All row types of a digest, by the name of their struct.
extern const struct schema env_entry_row, trust_counts_row, kernel_stat_row, device_stat_row,
    op_stat_row, call_stat_row, flop_stat_row, thread_stat_row, comm_stat_row, collective_row,
    function_stat_row, counter_stat_row, progress_row, cross_rank_row, memory_stat_row,
    code_stat_row, range_stat_row, memory_item_row, memory_level_row, memory_evidence_row,
    input_stat_row, machine_stat_row, step_summary_row, phase_summary_row;

/// Every list of a digest.
struct digest_list {
	size_t offset; ///< of the VEC in struct digest
	const struct schema *row;
	bool joined; ///< of two cycles, rows of the same keys are joined, without more
};
extern const struct digest_list digest_lists[];
extern const size_t nr_digest_lists;

/// Order by all keys; 0 for the same row, whatever its figures.
int row_cmp(const struct schema *s, const void *a, const void *b);

/// Order of rows in a list; < 0 for rows that the writer may order as it likes.
int row_order(const struct schema *s, const void *a, const void *b);

/// Join `more` into `row`, of the same keys.
void row_add(const struct schema *s, enum row_occasion occasion, void *row, const void *more);

/// 0 for rows that are one line of a file of several ranks, whatever their figures; else the order
/// of these lines.
int row_identity(const struct schema *s, const void *a, const void *b);

/// Make a row that is not a sum one of a single row: its name is empty, and what a sum has not is
/// absent. Members that are JOIN_OWN stay.
void row_make_sum(const struct schema *s, void *row);

/// Put `row` into `sum`, which begins all zero, and is made a sum of `row` then.
void row_fold(const struct schema *s, void *sum, const void *row);

/// True if the row is a sum of small ones.
bool row_is_sum(const struct schema *s, const void *row);

/// Bytes of the member.
size_t field_size(const struct field *f);

/// Join the list at `from` into the one at `into`, of two cycles: both are VECs of the row type and
/// in order. Rows of one key become one.
void rows_join(const struct schema *s, void *into, const void *from);

/// Neighbors of one key in a list that is in order become one, as small rows do; `list` is a VEC.
void rows_unite(const struct schema *s, void *list);

/// Time that the occupancy of a kernel, or of a sum of kernels, is known for; 0: unknown.
int64_t kernel_occupancy_ns(const struct kernel_stat *k);

/// The occupancy times that time, exactly.
__int128 kernel_occupancy_sum(const struct kernel_stat *k);

#endif

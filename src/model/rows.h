/// Row types, each described by one table: how each member is written in JSON, and how it changes
/// when rows are joined.
#ifndef GG_MODEL_ROWS_H
#define GG_MODEL_ROWS_H

#include "model/digest.h"

struct row_reader;
struct schema;
struct sink;

/// How a member is stored. Text that is not valid UTF-8 or that holds a NUL is written twice: with
/// U+FFFD for people, and as hex bytes under `KEY_hex`.
enum field_type {
	FIELD_COUNT, ///< int64_t that is at least 0
	FIELD_OPTIONAL_COUNT, ///< int64_t, left out if < 0; an absent key is read as `absent`
	FIELD_NUMBER, ///< int64_t
	FIELD_OPTIONAL_NUMBER, ///< int64_t, left out if equal to `absent`
	FIELD_BOOL,
	FIELD_TEXT, ///< const char * that is never NULL
	FIELD_OPTIONAL_TEXT, ///< const char *, left out if NULL
	FIELD_NAME, ///< struct span
	FIELD_OPTIONAL_NAME, ///< struct span, left out if empty
	FIELD_HASH, ///< uint64_t as 16 hex digits
	FIELD_ENUM, ///< an enum, by its name in `names`
	FIELD_SHAPE, ///< int64_t[3], left out if [0] < 0; an absent key is read as -1
	FIELD_ROW, ///< struct of schema `sub`, on the line of its owner
	FIELD_ROWS, ///< VEC of structs of schema `sub`, in strict order, one per line; if structs share
	            ///< a line, "ranks" lists them, unless all do
	FIELD_OPTIONAL_ROWS, ///< like FIELD_ROWS, but left out if empty
	FIELD_OWN, ///< `read` and `write` convert the whole structs, and `describe` writes the schema
};

/// The occasions on which two rows are joined into one.
enum row_occasion {
	ROWS_OF_CYCLES, ///< equal rows of two profiler cycles of one rank
	ROWS_FOLDED, ///< a row too small to keep goes into a sum, or raw names share a match name
	NR_ROW_OCCASIONS
};

/// How a member of two joined rows gets its value.
enum row_join {
	JOIN_KEEP, ///< the value of the first row stays
	JOIN_LAST, ///< the value of the second row replaces the first
	JOIN_SUM,
	JOIN_MAX,
	JOIN_OR,
	JOIN_BOTH, ///< the sum if both are known, else unknown
	JOIN_NAMES, ///< for the number of rows in a sum: a row that is not a sum counts as 1
	JOIN_NONE, ///< absent in a sum; raw names that share a match name keep the first value
	JOIN_OWN, ///< set by the function of the row type for this occasion
};

/// Whether a member decides the order of rows.
enum row_key {
	KEY_NOT,
	KEY_ORDER, ///< rows are sorted by the member, and equal if all keys are equal
	KEY_SAME, ///< equal rows have the same value, but rows are not sorted by this member
};

/// One member of a row type.
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	int64_t absent;
	const char *const *names; ///< names of the enum, ended by NULL
	bool names_row; ///< FIELD_ENUM: rows with an unknown name were added by a newer minor
	const struct schema *sub;
	enum row_key order;
	bool sums_last; ///< for a key: sums (`names` > 0) come after all other rows
	int since; ///< minor of the stored form that added the member; above 0 the member may be absent
	enum row_join join[NR_ROW_OCCASIONS];
	const char *shown; ///< key in `metrics --json`, where text is an id; NULL if not shown
	void (*read)(struct row_reader *r, void *const *rows, size_t nr);
	void (*write)(const void *const *rows, size_t nr, struct sink *out);
	bool (*has)(const void *const *rows, size_t nr); ///< whether it is written; NULL: always
	/// Writes the JSON Schema of the value, or (`several`) of the values of several structs.
	void (*describe)(bool several, int depth, struct sink *out);
};

/// A row type, or a whole document.
struct schema {
	const char *id; ///< value of the key "schema", which comes first; NULL for rows
	bool counted; ///< the first key is "ranks", the number of structs
	bool listed; ///< rows of this type are in lists (FIELD_ROWS)
	const struct field *fields; ///< table of members, keys first; at most 64
	size_t nr;
	size_t size; ///< size of the struct in bytes
	size_t names; ///< offset of the member whose value makes a row a sum; 0 if no row is a sum
	int (*cmp)(const void *a,
	           const void *b); ///< compares two rows; NULL: by their keys
	/// The minor that added what a row is about, or its present meaning; NULL if rows are as old as
	/// their list.
	int (*since)(const void *row);
	/// Sets the members that are JOIN_OWN, before all others are joined; indexed by occasion.
	void (*own[NR_ROW_OCCASIONS])(void *row, const void *more);
};

/// All row types of a digest, each called after its struct.
extern const struct schema env_entry_row, trust_counts_row, kernel_stat_row, device_stat_row,
    op_stat_row, call_stat_row, flop_stat_row, thread_stat_row, comm_stat_row, collective_row,
    function_stat_row, counter_stat_row, progress_row, cross_rank_row, memory_stat_row,
    code_stat_row, range_stat_row, memory_item_row, memory_level_row, memory_evidence_row,
    input_stat_row, machine_stat_row, step_summary_row, phase_summary_row;

/// One list of a digest; digest_lists has all of them.
struct digest_list {
	size_t offset; ///< offset of the VEC in struct digest
	const struct schema *row;
	bool joined; ///< two profiler cycles are merged by joining the rows of equal keys
};
extern const struct digest_list digest_lists[];
extern const size_t nr_digest_lists;

/// Compares two rows by all keys; 0 if they are the same row, whatever their figures.
int row_cmp(const struct schema *s, const void *a, const void *b);

/// Compares two rows by their order in a list; < 0 also if the writer may order them as it likes.
int row_order(const struct schema *s, const void *a, const void *b);

/// Joins `more` into `row`, which has the same keys.
void row_add(const struct schema *s, enum row_occasion occasion, void *row, const void *more);

/// Compares two rows as lines of a file of several ranks; 0 if they share a line, whatever their
/// figures.
int row_identity(const struct schema *s, const void *a, const void *b);

/// Turns a row that is not a sum into a sum of one row: its name becomes empty, and members that a
/// sum does not have become absent. Members that are JOIN_OWN stay.
void row_make_sum(const struct schema *s, void *row);

/// Adds `row` to `sum`. A `sum` that is all zero first becomes a sum of `row` only.
void row_fold(const struct schema *s, void *sum, const void *row);

/// True if the row is a sum of small ones.
bool row_is_sum(const struct schema *s, const void *row);

/// Size of the member in bytes.
size_t field_size(const struct field *f);

/// Joins the list at `from` into the list at `into` when two cycles are merged. Both are sorted
/// VECs of the row type; rows of one key become one.
void rows_join(const struct schema *s, void *into, const void *from);

/// Joins neighbors with equal keys in a sorted list, as small rows are joined; `list` is a VEC.
void rows_unite(const struct schema *s, void *list);

/// Time for which the occupancy of a kernel, or of a sum of kernels, is known; 0 if it is unknown.
int64_t kernel_occupancy_ns(const struct kernel_stat *k);

/// Exact product of the occupancy and kernel_occupancy_ns().
__int128 kernel_occupancy_sum(const struct kernel_stat *k);

#endif

/// Row types, each described by one table: how each member is written in JSON, and how it changes
/// when rows are joined.
#ifndef GG_MODEL_ROWS_H
#define GG_MODEL_ROWS_H

#include <stddef.h>

#include "model/digest.h"

struct row_reader;
struct schema;
struct sink;

/// How a member is stored in JSON. Text that is not valid UTF-8 or that holds a NUL is written
/// twice: with U+FFFD for people, and as hex bytes under `KEY_hex`.
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
	FIELD_ENUM, ///< an enum, written as the name of its value in `names`
	FIELD_SHAPE, ///< int64_t[3], left out if [0] < 0; an absent key is read as -1
	FIELD_ROW, ///< struct of schema `sub`; a file has it on the line of the struct that contains it
	FIELD_ROWS, ///< VEC of structs of schema `sub`, in strict order, one per line; a line that not
	            ///< all ranks have lists its ranks under the key "ranks"
	FIELD_OPTIONAL_ROWS, ///< like FIELD_ROWS, but left out if empty
	FIELD_STEPS, ///< the steps of a digest; only in struct digest (store/digest_steps.c)
	FIELD_OWN, ///< own form, which `read` and `write` convert; only in documents of one struct
};

/// The occasions on which two rows are joined into one row.
enum row_occasion {
	ROWS_OF_CYCLES, ///< merging equal rows of two profiler cycles (repeated recordings of one rank)
	ROWS_SMALL, ///< adding a small row to a sum, or joining kernels that rules match by one name
	NR_ROW_OCCASIONS
};

/// How a member of two joined rows gets its value.
enum row_join {
	JOIN_KEEP, ///< the value of the first row stays
	JOIN_LAST, ///< the value of the second row
	JOIN_SUM,
	JOIN_MAX,
	JOIN_OR,
	JOIN_BOTH, ///< the sum if both values are known, else unknown
	JOIN_NAMES, ///< the numbers of rows in the two sums, added; a row that is not a sum counts as 1
	JOIN_NONE, ///< in a sum: no value; in kernels that rules match by one name: the first value
	JOIN_OWN, ///< value that a function of the row type computes (schema.own)
};

/// Whether a member decides the order of rows.
enum row_key {
	KEY_NOT,
	KEY_ORDER, ///< rows are sorted by the member, and equal if all keys are equal
	KEY_SAME, ///< part of the key, but rows are not sorted by this member
};

/// One member of a row type.
struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	int64_t absent;
	const char *const *names; ///< names of the values of FIELD_ENUM, ended by NULL
	bool names_row; ///< true if a row with an unknown name in a file of a newer minor version is
	                ///< skipped; false if the file is then refused
	const struct schema *sub;
	enum row_key order;
	bool sums_last; ///< true for a key: of the rows that are equal in all earlier keys, sums
	                ///< (`names` > 0) come last
	int since; ///< minor version of the stored format that added the member, if above 0
	enum row_join join[NR_ROW_OCCASIONS];
	const char *shown; ///< key of the member in `figures` of JSON reports on a run (emit_row());
	                   ///< NULL if these reports lack the member
	/// For FIELD_OWN: convert the member.
	void (*read)(struct row_reader *r, void *row);
	void (*write)(const void *row, struct sink *out);
	bool (*has)(const void *row); ///< true if the value is to be written; NULL: it always is
	const char *described; ///< JSON Schema of the value; NULL: that of `sub`
	int most; ///< if above 0, the value is a list of at most this many structs of schema `sub`
};

/// A row type, or a whole document: the table of its members.
struct schema {
	const char *id; ///< value of the key "schema", which comes first; NULL for rows
	const char *title; ///< title of the document in its JSON Schema
	bool counted; ///< true if the first key is "ranks", the number of structs
	bool listed; ///< true if rows of this type are elements of lists (FIELD_ROWS)
	const struct field *fields; ///< table of members, keys first; at most 64 members
	size_t nr;
	size_t size; ///< size of the struct in bytes
	size_t names; ///< offset of the member `names`, which is the number of rows that a sum
	              ///< replaces; 0 if no row of the type can be a sum
	int (*cmp)(const void *a,
	           const void *b); ///< compares two rows; NULL if rows are compared by their keys

	/// Returns the minor version of the stored format in which `row` became valid; the function is
	/// NULL if all rows are as old as their list.
	int (*since)(const void *row);
	/// Functions, indexed by row_occasion, that set the JOIN_OWN members before other members are
	/// joined; NULL if there are no such members.
	void (*own[NR_ROW_OCCASIONS])(void *row, const void *more);
};

/// A line of a table of fields: the member of struct `type_` under the key `key_`, or under its own
/// name. `...` is the type of the field without FIELD_, then other members of struct field.
#define MEMBER_AT(key_, type_, member_, ...)                                                \
	{                                                                                       \
		.key = key_, .offset = offsetof(struct type_, member_), .type = FIELD_##__VA_ARGS__ \
	}
#define MEMBER(type_, member_, ...) MEMBER_AT(#member_, type_, member_, __VA_ARGS__)

/// The schema of struct `type_` with a table of fields; `...` sets its other members.
#define SCHEMA_OF(type_, fields_, ...)                                                       \
	{                                                                                        \
		.fields = (fields_), .nr = NR_OF(fields_), .size = sizeof(struct type_), __VA_ARGS__ \
	}

/// All row types of a digest, each named after its struct.
extern const struct schema env_entry_row, trust_counts_row, kernel_stat_row, device_stat_row,
    op_stat_row, call_stat_row, flop_stat_row, thread_stat_row, comm_stat_row, collective_row,
    function_stat_row, counter_stat_row, progress_row, cross_rank_row, memory_stat_row,
    code_stat_row, range_stat_row, memory_item_row, memory_level_row, memory_evidence_row,
    input_stat_row, machine_stat_row, step_summary_row, phase_summary_row;

/// Row types of the lists in a fold. Lists of numbers with one number per rank have no row type:
/// they are stored as columns (store/fold_json.c).
extern const struct schema fold_deed_row, fold_figure_row, fold_series_row;

/// One list of a digest; digest_lists has all of them.
struct digest_list {
	size_t offset; ///< offset of the VEC in struct digest
	const struct schema *row;
	bool joined; ///< true if rows with equal keys are joined when cycles are merged
	bool summed; ///< true if rows with equal keys are summed over the ranks of a folded run
};
extern const struct digest_list digest_lists[];
extern const size_t nr_digest_lists;

/// Compares two rows by all keys; 0 if they are the same row, whatever their figures.
int row_cmp(const struct schema *s, const void *a, const void *b);

/// Compares two rows by their order in a list. If the row type leaves the order of rows with equal
/// sorting keys to the writer of the file, the result for such rows is < 0.
int row_order(const struct schema *s, const void *a, const void *b);

/// Joins `more` into `row`, which has the same keys.
void row_add(const struct schema *s, enum row_occasion occasion, void *row, const void *more);

/// Compares rows of two ranks by their keys, not their figures; 0 if a file of several ranks has
/// both rows on one line.
int row_identity(const struct schema *s, const void *a, const void *b);

/// Turns a row that is not a sum into a sum of one row: its name becomes empty, and members without
/// a meaning in a sum become absent. Members marked JOIN_OWN stay as they are.
void row_make_sum(const struct schema *s, void *row);

/// Adds `row` to `sum`. A `sum` that is all zero first becomes a sum of `row` only.
void row_add_small(const struct schema *s, void *sum, const void *row);

/// True if the row is a sum of rows that were too small to be kept.
bool row_is_sum(const struct schema *s, const void *row);

/// Size of the member in bytes.
size_t field_size(const struct field *f);

/// Joins `more` into `row`, which has the same keys.
typedef void row_joiner(const struct schema *s, void *row, const void *more);

/// Joins the list at `from` into the list at `into`. Both are sorted VECs of the row type. `join`
/// joins the second of two rows with equal keys into the first.
void rows_join(const struct schema *s, void *into, const void *from, row_joiner *join);

/// Sorts a list, and joins rows with equal keys, on the occasion ROWS_SMALL; `list` is a VEC.
void rows_unite(const struct schema *s, void *list);

/// A memory whose figures are not set yet: MEMORY_UNKNOWN for those that a recording may lack, 0
/// for the others. `id` is borrowed.
struct memory_stat memory_stat_unknown(const char *id, enum memory_source source);

/// Time for which the occupancy of a kernel, or of a sum of kernels, is known; 0 if it is unknown.
int64_t kernel_occupancy_ns(const struct kernel_stat *k);

/// Exact product of the occupancy and kernel_occupancy_ns().
__int128 kernel_occupancy_sum(const struct kernel_stat *k);

#endif

/// Macros for the tables of row types. A table first defines ROW as the struct whose members its
/// lines describe.
#ifndef GG_MODEL_ROWS_INTERNAL_H
#define GG_MODEL_ROWS_INTERNAL_H

#include "model/rows.h"

/* ---- stored forms of members; an optional number is left out of a file if it equals `absent_`
 * ---- */
#define COUNT .type = FIELD_COUNT
#define NUMBER .type = FIELD_NUMBER
#define OPTIONAL_COUNT(absent_) .type = FIELD_OPTIONAL_COUNT, .absent = (absent_)
#define OPTIONAL_NUMBER(absent_) .type = FIELD_OPTIONAL_NUMBER, .absent = (absent_)
#define FLAG .type = FIELD_BOOL
#define TEXT .type = FIELD_TEXT
#define OPTIONAL_TEXT .type = FIELD_OPTIONAL_TEXT
#define NAME .type = FIELD_NAME
#define OPTIONAL_NAME .type = FIELD_OPTIONAL_NAME
#define HASH .type = FIELD_HASH
#define SHAPE .type = FIELD_SHAPE
#define ENUM(names_) .type = FIELD_ENUM, .names = (names_)

/// A line for a key member, by which rows are compared (KEY_ORDER or KEY_SAME). `stored` is one of
/// the stored forms above. `...` begins with the minor version of the stored format that added the
/// member.
#define KEY(order_, member, stored, ...)                                                       \
	{                                                                                          \
		.key = #member, .offset = offsetof(struct ROW, member), .order = KEY_##order_, stored, \
		.since = __VA_ARGS__                                                                   \
	}

/// A line for a member that is not a key. `cycles` and `small` say how two values of the member
/// become one: when profiler cycles are joined, and in sums of small rows (enum row_join, without
/// JOIN_). `...` begins with the minor version of the stored format that added the member.
#define FIELD(member, stored, cycles, small, ...)                                          \
	{                                                                                      \
		.key = #member, .offset = offsetof(struct ROW, member),                            \
		.join = { [ROWS_OF_CYCLES] = JOIN_##cycles, [ROWS_SMALL] = JOIN_##small }, stored, \
		.since = __VA_ARGS__                                                               \
	}

/// Like FIELD, for a member whose key in JSON is not its C name.
#define FIELD_AT(member, key_, stored, cycles, small, ...)                                 \
	{                                                                                      \
		.key = (key_), .offset = offsetof(struct ROW, member),                             \
		.join = { [ROWS_OF_CYCLES] = JOIN_##cycles, [ROWS_SMALL] = JOIN_##small }, stored, \
		.since = __VA_ARGS__                                                               \
	}

/// For a member that JSON reports on a run show in `figures`, under the key `key_`.
#define SHOWN(key_) .shown = (key_)
/// For a key member: of the rows that are equal in all earlier keys, sums of small rows come last.
#define SUMS_LAST .sums_last = true
/// A member of type ENUM: if a file of a newer minor version has an unknown name here, the row is
/// skipped. Without NAMES_ROW, the file is refused.
#define NAMES_ROW .names_row = true

/// Defines the row type of a struct from the table `STRUCT_fields`.
#define ROW_TYPE(type, ...) \
	const struct schema type##_row = SCHEMA_OF(type, type##_fields, __VA_ARGS__)

/// Further arguments of ROW_TYPE(), each of which sets one member of struct schema.
#define LISTED .listed = true
#define ALONE .listed = false
#define SUMS(type) .names = offsetof(struct type, names)
#define OWN(occasion, function) .own[ROWS_##occasion] = (function)

#endif

/// Inside of the tables of rows: how a line of one is written. A table defines ROW, the struct that
/// its lines are members of.
#ifndef GG_MODEL_ROWS_INTERNAL_H
#define GG_MODEL_ROWS_INTERNAL_H

#include "model/rows.h"

/* Stored forms. An optional number is left out where it has the given value. */
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

/// A line of a member by which rows are compared and ordered, KEY_ORDER or KEY_SAME; `...` begins
/// with the minor version that brought it.
#define KEY(order_, member, stored, ...)                                                       \
	{                                                                                          \
		.key = #member, .offset = offsetof(struct ROW, member), .order = KEY_##order_, stored, \
		.since = __VA_ARGS__                                                                   \
	}

/// A line of a member: what becomes of it where two cycles are joined, and where small rows go into
/// a sum; `...` as above.
#define FIELD(member, stored, cycles, small, ...)                                           \
	{                                                                                       \
		.key = #member, .offset = offsetof(struct ROW, member),                             \
		.join = { [ROWS_OF_CYCLES] = JOIN_##cycles, [ROWS_FOLDED] = JOIN_##small }, stored, \
		.since = __VA_ARGS__                                                                \
	}

/// The same of a member that has another key in JSON.
#define FIELD_AT(member, key_, stored, cycles, small, ...)                                  \
	{                                                                                       \
		.key = (key_), .offset = offsetof(struct ROW, member),                              \
		.join = { [ROWS_OF_CYCLES] = JOIN_##cycles, [ROWS_FOLDED] = JOIN_##small }, stored, \
		.since = __VA_ARGS__                                                                \
	}

/// Further designators of a line: its key in `metrics --json`; sums of small rows come last; a row
/// with an unknown name is one that a newer minor added.
#define SHOWN(key_) .shown = (key_)
#define SUMS_LAST .sums_last = true
#define NAMES_ROW .names_row = true

/// The row type of a struct, with the lines `STRUCT_fields`.
#define ROW_TYPE(type, ...)                                                                \
	const struct schema type##_row = { .fields = type##_fields,                            \
		                               .nr = sizeof type##_fields / sizeof *type##_fields, \
		                               .size = sizeof(struct type),                        \
		                               __VA_ARGS__ }

/// Further designators of a row type.
#define LISTED .listed = true
#define ALONE .listed = false
#define SUMS(type) .names = offsetof(struct type, names)
#define OWN(occasion, function) .own[ROWS_##occasion] = (function)

#endif

/// JSON text that is written piece by piece into a sink, in the order of the calls. Numbers are
/// integers or decimals, never binary floating point.
#ifndef GG_REPORT_EMIT_H
#define GG_REPORT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/sink.h"
#include "model/rows.h"

/// State of writing JSON text into a sink. The sink is borrowed.
struct emit {
	struct sink *out;
	bool comma; ///< true if the next value needs a comma before it
};

/// Begin an object or array; `key` is NULL inside an array.
void emit_open(struct emit *e, const char *key, char bracket);

/// End the innermost object or array.
void emit_close(struct emit *e, char bracket);

/// Like emit_open(), but on a new line.
void emit_open_line(struct emit *e, int indent, const char *key, char bracket);

/// Write a text as a member of an object (as an element of an array if `key` is NULL). The text is
/// made valid UTF-8, and characters that control a terminal are escaped.
void emit_text(struct emit *e, const char *key, struct span text);

/// Like emit_text(), but from a string; NULL is written as null.
void emit_str(struct emit *e, const char *key, const char *text);

/// Write an array of `nr` strings.
void emit_texts(struct emit *e, const char *key, const char *const *v, size_t nr);

/// Write `value` / 10^`digits` as a decimal number (number_format()).
void emit_number(struct emit *e, const char *key, int64_t value, int digits);

/// Like emit_number(), but writes null if `has` is false.
void emit_number_if(struct emit *e, const char *key, bool has, int64_t value, int digits);

/// Write true or false.
void emit_bool(struct emit *e, const char *key, bool value);

/// Write an id, as a number if it is an integer from 0 on with at most 18 digits, else as text.
void emit_id(struct emit *e, const char *key, struct span id);

/// Write the fields of a row as members, but only those with a name in JSON (field.shown). Unknown
/// figures are null.
void emit_row(struct emit *e, const struct schema *s, const void *row);

/// Write a line break and `indent` blanks, so that the next value begins a new line of the JSON
/// text.
void emit_line(struct emit *e, int indent);

#endif

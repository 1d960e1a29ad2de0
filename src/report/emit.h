/// JSON text written piece by piece into a sink: order as called, no doubles.
#ifndef GG_REPORT_EMIT_H
#define GG_REPORT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/sink.h"
#include "model/rows.h"

struct emit {
	struct sink *out;
	bool comma; ///< a value stands before this place
};

/// Begin an object or array; `key` NULL inside an array.
void emit_open(struct emit *e, const char *key, char bracket);

/// End the innermost.
void emit_close(struct emit *e, char bracket);

/// Begin one on a line of its own.
void emit_open_line(struct emit *e, int indent, const char *key, char bracket);

/// One member (or element, where `key` is NULL). Text is made valid UTF-8,
/// and what a terminal would obey is escaped.
void emit_text(struct emit *e, const char *key, struct span text);

/// The same from a string; NULL is null.
void emit_str(struct emit *e, const char *key, const char *text);

/// `value` / 10^`digits` as a plain decimal.
void emit_number(struct emit *e, const char *key, int64_t value, int digits);

/// The same, null where there is none.
void emit_number_if(struct emit *e, const char *key, bool has, int64_t value, int digits);

/// null.
void emit_null(struct emit *e, const char *key);

/// true or false.
void emit_bool(struct emit *e, const char *key, bool value);

/// An id: a number where it is a plain integer, else text.
void emit_id(struct emit *e, const char *key, struct span id);

/// The members of a row that `metrics --json` shows; what is not known is null.
void emit_row(struct emit *e, const struct schema *s, const void *row);

/// Line break and indentation before the next value; white space only.
void emit_line(struct emit *e, int indent);

#endif

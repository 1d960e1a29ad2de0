/// Validating incremental JSON scanner: reads one value after the other from a source. It has only
/// a window of the source in memory, and builds no tree.
///
/// Errors are sticky: after an error every call returns what it returns at the end of an object or
/// array, and jscan_status() gives the error. A typical reader:
///
///     if (jscan_object(js))
///         while (jscan_key(js, &key))
///             if (span_eq(key, SPAN("ts"))) …jscan_number(js, &text)…
///             else jscan_skip(js);
///
/// Every key must be followed by exactly one of: number, string, literal, object (drained to its
/// end), array (drained to its end), skip.
#ifndef GG_IO_JSCAN_H
#define GG_IO_JSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "io/source.h"

struct jscan;

/// The type of the next value; JSCAN_END if there is none.
enum jscan_type {
	JSCAN_OBJECT,
	JSCAN_ARRAY,
	JSCAN_STRING,
	JSCAN_NUMBER,
	JSCAN_TRUE,
	JSCAN_FALSE,
	JSCAN_NULL,
	JSCAN_NAN, ///< NaN, Infinity, nan, …, which are not JSON: a fault if `tolerant`, else an error
	JSCAN_END /* end of the input, or an error */
};

/// Options of a scanner; a zeroed struct has the defaults.
struct jscan_options {
	bool tolerant; ///< true to count raw control bytes, bad escapes and NaN as faults; false to
	               ///< report them as errors
	bool nan; ///< true if NaN and infinity, which Python writes, are values like others; only if
	          ///< `tolerant`
	unsigned max_depth; ///< limit of the nesting of values, at most 512; 0 means 512
};

/// Makes a scanner over `src`; `src` and `log` are borrowed. `options` may be NULL, and so may
/// `log`: messages are then dropped. Caller releases with jscan_free().
struct jscan *jscan_new(struct source *src, const struct jscan_options *options,
                        struct diag_log *log);

/// Type of the next value, which is not consumed. If no value follows, this is an error: the scan
/// stops, and the result is JSCAN_END.
enum jscan_type jscan_peek(struct jscan *js);

/// Enters the next value if it is an object; else false, and nothing is consumed.
bool jscan_object(struct jscan *js);

/// Reads the next key of the innermost object, decoded; false at the end of the object, which is
/// consumed. The span is borrowed until the next call.
bool jscan_key(struct jscan *js, struct span *key);

/// A key to look up, with two numbers whose meaning the reader chooses: `what` (from
/// JSCAN_KEY_FIRST on) and `where`.
struct jscan_key {
	struct span key;
	uint8_t what, where;
};

/// Values of `what`: for a key that is not in the table, for the end of the object, and the first
/// value that a reader may choose.
enum { JSCAN_KEY_OTHER, JSCAN_KEY_END, JSCAN_KEY_FIRST };

/// A table of keys to look up: `nr` rows, and after them one row for all other keys. The `what` of
/// that last row is JSCAN_KEY_OTHER if the text of other keys is wanted.
struct jscan_keys {
	const struct jscan_key *rows;
	size_t nr;
};

/// Reads the next key of the innermost object, and returns its row in `keys`; at the end of the
/// object a row whose `what` is JSCAN_KEY_END. `*key` is borrowed until the next call. `keys` must
/// outlive the scanner. For objects at the same place in the structure of the input, a reader must
/// always pass the same table.
const struct jscan_key *jscan_key_of(struct jscan *js, const struct jscan_keys *keys,
                                     struct span *key);

/// Enters the next value if it is an array; else false, and nothing is consumed.
bool jscan_array(struct jscan *js);

/// True while the innermost array has another element; false at its end.
bool jscan_element(struct jscan *js);

/// Reads the next value if it is a string; else false, and nothing is consumed. `*text` is decoded,
/// and borrowed until the next call. A lone surrogate becomes three bytes, as if UTF-8 allowed it;
/// \u0000 becomes a NUL byte.
bool jscan_string(struct jscan *js, struct span *text);

/// Reads the next value if it is a number; else false, and nothing is consumed. `*text` is the
/// number as it is written, borrowed until the next call.
bool jscan_number(struct jscan *js, struct span *text);

/// Reads the next value if it is a simple number: no exponent, at most 16 digits before the point
/// and at most `digits` (≤ 6) decimals. `*out` is the number × 10^digits, which must be in range.
/// Else returns false and consumes nothing, also for a number that reaches to the end of the
/// scanner's window; jscan_number() can then read the value.
bool jscan_decimal(struct jscan *js, unsigned digits, int64_t *out);

/// Reads the next value if it is an integer from 0 to 10^16 - 1 in its usual form: only digits, no
/// leading zero. Else returns false and consumes nothing, also for a number that reaches to the end
/// of the scanner's window.
bool jscan_natural(struct jscan *js, int64_t *out);

/// Reads the next value if it is true, false, null or a tolerated NaN; else returns false.
bool jscan_literal(struct jscan *js, enum jscan_type *type);

/// Reads the next value if it is null.
bool jscan_null(struct jscan *js);

/// Validates and skips the next value, whatever its type.
void jscan_skip(struct jscan *js);

/// Checks that only white space follows the outermost value; false with an error otherwise.
bool jscan_end(struct jscan *js);

/// Copies the input to `out`, which is borrowed, from the next value on until jscan_keep_end(). The
/// copy is complete only then.
void jscan_keep(struct jscan *js, struct strbuf *out);

/// Ends the copy that jscan_keep() began.
void jscan_keep_end(struct jscan *js);

/// Offset of the next byte in the decompressed stream.
uint64_t jscan_byte(const struct jscan *js);

/// Offset of the next value, after the white space before it.
uint64_t jscan_value_byte(struct jscan *js);

/// ST_OK, or the status of the first error, which is in the log.
enum status jscan_status(const struct jscan *js);

/// Records the error `FILE: byte N: what` and stops the scan; an earlier error is kept. Returns
/// false, for functions that give up.
bool jscan_fail(struct jscan *js, uint64_t byte, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// True if the scan stopped because the input ended too early.
bool jscan_cut(const struct jscan *js);

/// Number of tolerated faults so far; `*first_byte` becomes the offset of the first one.
uint64_t jscan_faults(const struct jscan *js, uint64_t *first_byte);

/// Releases the scanner; NULL is fine.
void jscan_free(struct jscan *js);

#endif

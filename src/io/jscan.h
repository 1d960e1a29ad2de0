/// Validating incremental JSON scanner: pulls tokens from a source through a
/// fixed window, never builds a tree, touches each byte once.
///
/// Errors are sticky: after one, every call answers as at the end of its
/// container, and jscan_status() tells. A typical reader:
///
///     if (jscan_object(js))
///         while (jscan_key(js, &key))
///             if (span_eq(key, SPAN("ts"))) …jscan_number(js, &text)…
///             else jscan_skip(js);
///
/// Every key must be followed by exactly one of: number, string, literal,
/// object (drained to its end), array (drained to its end), skip.
#ifndef GG_IO_JSCAN_H
#define GG_IO_JSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "io/source.h"

struct jscan;

enum jscan_type {
	JSCAN_OBJECT,
	JSCAN_ARRAY,
	JSCAN_STRING,
	JSCAN_NUMBER,
	JSCAN_TRUE,
	JSCAN_FALSE,
	JSCAN_NULL,
	JSCAN_NAN, ///< NaN, Infinity, nan, … : tolerated, counted as a fault
	JSCAN_END /**< end of input, or an error */
};

struct jscan_options {
	bool tolerant; ///< raw control bytes and bad escapes in strings, NaN: counted, not errors
	unsigned max_depth; ///< 0: 512
	size_t window; ///< bytes of the window, for tests; 0: 256 KiB
};

/// A scanner over `src`, which it borrows. Caller releases with jscan_free().
struct jscan *jscan_new(struct source *src, const struct jscan_options *options,
                        struct diag_log *log);

/// Type of the next value, without consuming it.
enum jscan_type jscan_peek(struct jscan *js);

/// Enter the next value if it is an object; else false and nothing is consumed.
bool jscan_object(struct jscan *js);

/// Next key of the innermost object, decoded; false at its end, which is
/// consumed. The span is borrowed until the next call.
bool jscan_key(struct jscan *js, struct span *key);

/// A key to look up, and what it is to the reader: `what` from JSCAN_KEY_FIRST on.
struct jscan_key {
	struct span key;
	uint8_t what, where;
};
enum { JSCAN_KEY_OTHER, JSCAN_KEY_END, JSCAN_KEY_FIRST };

/// Keys to look up; the row behind the last is what any other is, JSCAN_KEY_OTHER where its
/// text is of interest.
struct jscan_keys {
	const struct jscan_key *rows;
	size_t nr;
};

/// The next key of the innermost object as its row of `keys`, and decoded; JSCAN_KEY_END at its
/// end. `keys` is the caller's and outlives the scanner; in one place it is always the same.
const struct jscan_key *jscan_key_of(struct jscan *js, const struct jscan_keys *keys,
                                     struct span *key);

/// Enter the next value if it is an array; else false and nothing is consumed.
bool jscan_array(struct jscan *js);

/// True while the innermost array has another element; false at its end.
bool jscan_element(struct jscan *js);

/// The next value if it is a string, decoded (lone surrogates as the three
/// bytes of their code, \u0000 as a NUL byte); borrowed until the next call.
bool jscan_string(struct jscan *js, struct span *text);

/// The next value if it is a number, as written; borrowed until the next call.
bool jscan_number(struct jscan *js, struct span *text);

/// The next value × 10^digits (≤ 6) if it is a number that is easily had: no exponent, at most
/// so many decimals, in range. Else nothing is consumed, and jscan_number() may have it.
bool jscan_decimal(struct jscan *js, unsigned digits, int64_t *out);

/// The next value if it is an integer from 0 to 10^16 as anyone would write it: digits
/// only, no leading zero. Else nothing is consumed.
bool jscan_natural(struct jscan *js, int64_t *out);

/// The next value if it is true, false, null or a tolerated NaN; consumed.
bool jscan_literal(struct jscan *js, enum jscan_type *type);

/// Validate and pass over the next value, whatever it is.
void jscan_skip(struct jscan *js);

/// After the outermost value: only white space may follow. False with an error otherwise.
bool jscan_end(struct jscan *js);

/// From the next value on, copy what is read to `out`, which is borrowed, until jscan_keep_end().
void jscan_keep(struct jscan *js, struct strbuf *out);

/// The copy ends here.
void jscan_keep_end(struct jscan *js);

/// Offset of the next byte, in the expanded stream.
uint64_t jscan_byte(const struct jscan *js);

/// The same of the next value itself, behind white space.
uint64_t jscan_value_byte(struct jscan *js);

/// ST_OK, or the status of the first error, which is in the log.
enum status jscan_status(const struct jscan *js);

/// Record `FILE: byte N: what` and stop the scan; keeps an earlier error.
enum status jscan_fail(struct jscan *js, uint64_t byte, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// True where the error is that the input ended too early.
bool jscan_cut(const struct jscan *js);

/// Tolerated faults so far, and the offset of the first.
uint64_t jscan_faults(const struct jscan *js, uint64_t *first_byte);

/// Release; NULL is fine.
void jscan_free(struct jscan *js);

#endif

/// Writes and reads structs as canonical JSON, by a table of the members of each struct. One
/// document may hold several structs of one kind, such as the digests of all ranks. A value that is
/// equal in all structs is then written once. Other values are written as a list with one element
/// for each struct, which is null if the struct has no value.
#ifndef GG_STORE_ROW_H
#define GG_STORE_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "io/jscan.h"
#include "io/sink.h"
#include "model/rows.h"

/// The minor version of stored documents, written after "schema" if it is above 0. A new minor
/// version only adds fields, rows of figures and columns. Readers skip additions of newer minor
/// versions, and treat data that an older minor version lacks as not recorded. A key that an older
/// minor version wrote with another meaning is skipped, too. Any other change needs a new major
/// version, which is part of the schema's id; files of other major versions are refused.
enum { STORE_MINOR = 3 };

/// In a document of several structs, the key whose value is the number of structs. In a row of such
/// a document, the key of a list with the indices of the structs that have the row.
#define ROW_OWNERS "ranks"

/// Limits of the contents of a stored file; exceeding one of them is an error.
struct store_limits {
	uint64_t bytes; ///< largest size of a digest in a run, or else of the whole file
	size_t rows; ///< largest number of lines in one list of rows; several ranks may share a line
	size_t steps; ///< largest number of steps: of a digest, or of all ranks of a pin together
	size_t ranks;
};
extern const struct store_limits store_limits;

/// State of reading a document.
struct row_reader {
	struct jscan *js;
	struct arena *arena; ///< arena that owns the text that is read
	struct strbuf path; ///< path of the value that is being read: "pin[0].kernels[3]"
	uint64_t start; ///< offset in the input at which the present digest begins; the digest may have
	                ///< at most store_limits.bytes
	int64_t minor; ///< minor version of the document that is read

	/// true if steps must have samples, as in a run; false if statistics may replace the samples,
	/// as in a baseline
	bool sampled;
	bool whole; ///< true for a digest or a run: a fold in it must have the values of each rank;
	            ///< false for a baseline: a fold in it must not have them
	bool keeps_text; ///< true if each digest that is read keeps its JSON text
	bool row_is_newer; ///< true if the present row is of a kind that only a newer minor version
	                   ///< knows
};

/// True if the document has a newer minor version; unknown keys are then skipped.
static inline bool row_reader_is_lenient(const struct row_reader *r)
{
	return r->minor > STORE_MINOR;
}

/// Keys that earlier releases wrote and that are no longer read, ended by NULL; static.
extern const char *const row_gone_keys[];

/// True for an unknown key that is to be skipped: a key of a newer minor version, or one in
/// row_gone_keys.
bool row_is_passed_over(const struct row_reader *r, struct span key);

/// Writes a document: braces, one key per line, no newline at the end.
void row_write(const struct schema *s, const void *row, struct sink *out);

/// Like row_write(), for `nr` > 0 structs in one document.
void row_write_all(const struct schema *s, const void *const *rows, size_t nr, struct sink *out);

/// Number of bytes that row_write_all() writes.
size_t row_size(const struct schema *s, const void *const *rows, size_t nr);

/// Reads the object that follows into the zeroed struct `row`. Duplicate keys, missing keys,
/// unsuitable values and unknown keys (unless row_is_passed_over()) stop the scanner with an error
/// that names the byte offset and the path of the value.
void row_read(struct row_reader *r, const struct schema *s, void *row);

/// Like row_read(), for `nr` > 0 structs in one document. The caller has entered the object and, if
/// s->counted, read its first key and the value of that key, the number of structs.
void row_read_all(struct row_reader *r, const struct schema *s, void *const *rows, size_t nr);

/// Enters the array that follows and its first element. Returns the element's type, or JSCAN_END if
/// the array is empty. Anything but an array stops the scanner with an error; `key` is for its
/// message.
enum jscan_type row_enter_array(struct row_reader *r, const char *key);

/// Moves to the element with index `i` of the array that follows, from 0 on; false at its end.
/// Anything but an array stops the scanner.
bool row_item(struct row_reader *r, const char *key, size_t i);

/// Moves to the next element of a list with one value for each of `nr` structs; `*at`, first 0,
/// counts the values. False at the end of the list; a list with more or fewer values is an error.
/// Before the first call, the scanner is at the first value.
bool row_next(struct row_reader *r, const char *key, size_t *at, size_t nr);

/// Stops the scanner with an error. Its message has the offset `byte`, the path of the value at
/// `key` (of the present value if `key` is NULL), and `what`, a description of the error such as
/// "is missing".
void row_fail(struct row_reader *r, uint64_t byte, const char *key, const char *what);

/// Like row_fail() at the present byte, unless `fine`.
void row_need(struct row_reader *r, bool fine, const char *key, const char *what);

/// Offset in the input, in bytes, of the next value.
uint64_t row_byte(struct row_reader *r);

/// Appends a key to the path, or an index if `key` is NULL. Returns the previous length, to be
/// restored with strbuf_setlen().
size_t row_enter(struct row_reader *r, const char *key, size_t index);

/// Reads the whole number that follows, which must be ≥ 0; 0 after an error.
int64_t row_read_count(struct row_reader *r, const char *key);

/// Like row_read_count(), for a whole number that may be negative.
int64_t row_read_number(struct row_reader *r, const char *key);

/// Writes a file with the JSON Schema of the documents that `s` describes; `s->id` must be set.
void row_schema_write(const struct schema *s, struct sink *out);

/// Begins a new line with two spaces for each unit of `depth`, then `text`.
void row_schema_line(struct sink *out, int depth, const char *text);

#endif

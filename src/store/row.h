/// Rows of canonical JSON: one table of fields for writing and reading. Several structs
/// of one kind (the ranks of a run) are one document: a value is that of all, or a list
/// with one for each, null where it has none.
#ifndef GG_STORE_ROW_H
#define GG_STORE_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "io/jscan.h"
#include "io/sink.h"
#include "model/rows.h"

/// The minor version of stored documents, told behind "schema" if it is above 0. A minor adds
/// fields, rows of figures and columns, and changes none: what a newer minor adds is passed over,
/// and what an older one lacks was not recorded. What stands there under a name that got its
/// present meaning later is passed over, too. Any other change is another major, which is part
/// of the schema's id and refused.
enum { STORE_MINOR = 1 };

/// Key of the number of structs, and in a row of those that it is of: their indices.
#define ROW_OWNERS "ranks"

/// What a stored file may hold at most; beyond it is an error.
struct store_limits {
	uint64_t bytes;
	size_t rows; ///< of one array
	size_t steps;
	size_t ranks;
};
extern const struct store_limits store_limits;

struct row_reader {
	struct jscan *js;
	struct arena *arena; ///< owner of the text that is read
	struct strbuf path; ///< path of the value at hand: "pin[0].kernels[3]"
	uint64_t start; ///< offset from which store_limits.bytes counts
	int64_t minor; ///< of the document
	bool
	    sampled; ///< the document is a run, whose steps have samples: only a baseline has summaries
	bool whole; ///< a digest or a run, unlike a baseline: what is folded has its ranks
	bool keeps_text; ///< of digests
	bool row_is_newer; ///< the row at hand is about something that only a newer minor knows
};

/// True in a document of a newer minor, where unknown keys are passed over.
static inline bool row_reader_is_lenient(const struct row_reader *r)
{
	return r->minor > STORE_MINOR;
}

/// Keys that earlier releases wrote and nothing reads, ended by NULL; static.
extern const char *const row_gone_keys[];

/// True for an unknown key that is passed over: of a newer minor, or one that earlier releases
/// wrote.
bool row_is_passed_over(const struct row_reader *r, struct span key);

/// Write a document: braces, one key per line, no newline at the end.
void row_write(const struct schema *s, const void *row, struct sink *out);

/// The same of `nr` > 0 structs together.
void row_write_all(const struct schema *s, const void *const *rows, size_t nr, struct sink *out);

/// Read a zeroed struct from the object that follows. Unknown (but of a newer minor), duplicate
/// and missing keys and unfit values stop the scanner with place and path.
void row_read(struct row_reader *r, const struct schema *s, void *row);

/// The same of `nr` > 0 structs together. If the schema is counted, the caller has read the
/// object and its first key, the number.
void row_read_all(struct row_reader *r, const struct schema *s, void *const *rows, size_t nr);

/// Enter the array that follows and its first element: the type of it, JSCAN_END where
/// there is none. What is not an array stops the scanner.
enum jscan_type row_enter_array(struct row_reader *r, const char *key);

/// The next value of a list with one for each of `nr` structs, `at` counting them; false
/// at the end, and where there are more or fewer. The first is entered already.
bool row_next(struct row_reader *r, const char *key, size_t *at, size_t nr);

/// Stop the scanner: `byte`, then path and `key` (NULL: the value at hand), then `what`.
void row_fail(struct row_reader *r, uint64_t byte, const char *key, const char *what);

/// Offset of the value that follows.
uint64_t row_byte(struct row_reader *r);

/// Extend the path by a key, or by an index where `key` is NULL; returns the
/// length to go back to with strbuf_setlen().
size_t row_enter(struct row_reader *r, const char *key, size_t index);

/// Read the whole number that follows, which is ≥ 0; 0 after an error.
int64_t row_read_count(struct row_reader *r, const char *key);

#endif

/// Internal to the store: schemas of documents, and the digest as an inner object of a document.
#ifndef GG_STORE_DIGEST_SCHEMA_H
#define GG_STORE_DIGEST_SCHEMA_H

#include "io/source.h"
#include "model/digest.h"
#include "model/history.h"
#include "store/row.h"

extern const struct schema digest_schema, baseline_schema, run_schema, history_schema;

/// Like digest_schema, for the digests of several ranks in one document (row_read_all()).
extern const struct schema ranks_schema;

/// Stops the reader with an error if parts of the digest contradict one another. Also brings the
/// figures of result files into their present form (input_settle()).
void digest_check(struct row_reader *r, struct digest *d);

/// The steps of `nr` digests of one document (FIELD_STEPS). The functions read them, write them,
/// and write their JSON Schema, which also allows the values of several digests if `several`.
void steps_read(struct row_reader *r, void *const *digests, size_t nr);
void steps_write(const void *const *digests, size_t nr, struct sink *out);
void steps_describe(bool several, int depth, struct sink *out);

/// Functions and row type for the member `fold` of a digest, the figures of all ranks of a folded
/// run: read it, write it, and check whether there is one.
void fold_read(struct row_reader *r, void *digest);
void fold_write(const void *digest, struct sink *out);
bool fold_is_there(const void *digest);
extern const struct schema fold_schema;

/// Writes a digest as an inner object of a document. If the digest keeps its JSON text, that text
/// is copied.
void digest_write_inner(const struct digest *d, struct sink *out);

/// Writes the digests of a run (struct run) as a list, a folded one first.
void digests_write(const void *run, struct sink *out);

/// Reads the next value of the document, a digest, into `d`, which digest_new() made.
void digest_read_into(struct row_reader *r, struct digest *d);

/// Reads one whole document of schema `s` into `row`; nothing may follow the document. `as` is the
/// initial state of the reader: its arena and its options. `fail` is returned in place of ST_INPUT.
GG_MUST_CHECK enum status stored_document_read(struct source *src, enum status fail,
                                               const struct schema *s, struct row_reader as,
                                               void *row, struct diag_log *log);

/// Stops the reader with an error if functions or collectives refer to missing or unsuitable rows,
/// if functions are not in order or have impossible times, or if a row has an impossible member
/// `names`.
void digest_check_rows(struct row_reader *r, const struct digest *d);

/// Row type of the provenance of a run.
extern const struct schema provenance_schema;

/// Row type of a value in a past run: the answer to a query of a rule.
extern const struct schema past_value_schema;

/// Row type of a run after the pin that is stored in a baseline file.
extern const struct schema past_schema;

/// Fields of a run in a history file: all fields of past_schema, and others such as the pin and the
/// verdict of the gate.
enum { NR_HISTORY_FIELDS = 11 };
extern const struct field history_fields[NR_HISTORY_FIELDS];

/// True if the field may be missing in a file.
bool row_is_optional(const struct field *f);

/// True for a field of type int64_t.
bool row_is_number(const struct field *f);

/// True for a field that is text. If the text is not valid UTF-8, the key KEY is followed by
/// KEY_hex with the raw bytes.
bool row_is_text(const struct field *f);

/// Reads the next value as text, which must be valid UTF-8 without NUL. Owned by the reader's
/// arena; empty after an error. `key` is for messages.
struct span row_read_text(struct row_reader *r, const char *key);

/// Reads the value at `key` into field `f` of `nr` structs: one value for all structs, or a list
/// with one value for each. `hex` is true if `key` is KEY_hex: the value has the raw bytes of a
/// text in hex.
void row_read_values(struct row_reader *r, const struct field *f, const char *key, bool hex,
                     void *const *rows, size_t nr);

#endif

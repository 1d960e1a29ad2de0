/// Internal to the store: schemas of documents, and the digest as a part of a document.
#ifndef GG_STORE_DIGEST_SCHEMA_H
#define GG_STORE_DIGEST_SCHEMA_H

#include "io/source.h"
#include "model/digest.h"
#include "model/history.h"
#include "store/row.h"

extern const struct schema digest_schema, baseline_schema, run_schema, history_schema;

/// Like digest_schema, for the digests of several ranks in one document (row_read_all()).
extern const struct schema ranks_schema;

/// Stops the scanner with an error if parts of a digest contradict one another.
void digest_check(struct row_reader *r, struct digest *d);

/// Functions of two fields of type FIELD_OWN, whose JSON is not made from a table of members: the
/// steps of digests, and the fold (the figures of all ranks) of a folded run. They read or write
/// `nr` digests of one document together, or write the JSON Schema of the field.
void steps_read(struct row_reader *r, void *const *digests, size_t nr);
void steps_write(const void *const *digests, size_t nr, struct sink *out);
void steps_describe(bool several, int depth, struct sink *out);
void fold_read(struct row_reader *r, void *const *digests, size_t nr);
void fold_write(const void *const *digests, size_t nr, struct sink *out);
bool fold_is_there(const void *const *digests, size_t nr);
void fold_describe(bool several, int depth, struct sink *out);

/// Writes a digest as a part of a document. If the digest keeps its JSON text, this is copied.
void digest_write_part(const struct digest *d, struct sink *out);

/// Reads the digest that follows into `d`, which digest_new() made.
void digest_read_into(struct row_reader *r, struct digest *d);

/// Reads one whole document of schema `s` into `row`; nothing may follow the document. `as` is the
/// initial state of the reader: its arena and its options. `fail` is the status of any error.
GG_MUST_CHECK enum status stored_document_read(struct source *src, enum status fail,
                                               const struct schema *s, struct row_reader as,
                                               void *row, struct diag_log *log);

/// Stops the reader with an error if functions or collectives refer to rows that are not there or
/// do not fit, or if a row cannot be the sum of small rows that it says to be.
void digest_check_rows(struct row_reader *r, const struct digest *d);

/// Row type of the provenance of a run.
extern const struct schema provenance_schema;

/// Row type of a value in a past run: the answer to a query of a rule.
extern const struct schema past_value_schema;

/// Row type of a run in a baseline.
extern const struct schema past_schema;

/// Fields of a run in a history file: those of a run in a baseline, and others such as the pin and
/// the verdict of the gate.
enum { NR_HISTORY_FIELDS = 11 };
extern const struct field history_fields[NR_HISTORY_FIELDS];

/// True if the JSON of a struct may leave out the field.
bool row_is_optional(const struct field *f);

/// True for a field of type int64_t.
bool row_is_number(const struct field *f);

/// True for a field that is text. If the text is not valid UTF-8, the key KEY is followed by
/// KEY_hex with the raw bytes.
bool row_is_text(const struct field *f);

/// Reads valid text, owned by the reader's arena; empty after an error.
struct span row_read_text(struct row_reader *r, const char *key);

/// Reads the value at `key` into field `f` of `nr` structs: one value for all structs, or a list
/// with one value for each. `hex` is true for the value at KEY_hex (see row_is_text()).
void row_read_values(struct row_reader *r, const struct field *f, const char *key, bool hex,
                     void *const *rows, size_t nr);

#endif

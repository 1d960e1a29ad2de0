/// Inside of the store: documents, and the digest as a part of one.
#ifndef GG_STORE_DIGEST_SCHEMA_H
#define GG_STORE_DIGEST_SCHEMA_H

#include "io/source.h"
#include "model/digest.h"
#include "store/row.h"

extern const struct schema digest_schema;

/// The same of the digests of several ranks together (row_read_all()).
extern const struct schema ranks_schema;

/// Stop the scanner where parts of a digest contradict one another.
void digest_check(struct row_reader *r, struct digest *d);

/// The steps of digests, for FIELD_OWN.
void steps_read(struct row_reader *r, void *const *digests, size_t nr);
void steps_write(const void *const *digests, size_t nr, struct sink *out);
void steps_describe(bool several, int depth, struct sink *out);

/// What is folded of a run, for FIELD_OWN.
void fold_read(struct row_reader *r, void *const *digests, size_t nr);
void fold_write(const void *const *digests, size_t nr, struct sink *out);
bool fold_is_there(const void *const *digests, size_t nr);
void fold_describe(bool several, int depth, struct sink *out);

/// Read the digest that follows into `d`, from digest_new().
void digest_read_into(struct row_reader *r, struct digest *d);

/// Read one whole document: `read` takes its value, and nothing may follow.
/// `fail` is the status of what is wrong with it.
GG_MUST_CHECK enum status stored_document_read(struct source *src, enum status fail,
                                               struct diag_log *log,
                                               void (*read)(struct row_reader *r, void *ctx),
                                               void *ctx);

/// Stop the reader if rows of functions, collectives or sums refer to something that is missing.
void digest_check_rows(struct row_reader *r, const struct digest *d);

#endif

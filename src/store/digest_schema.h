/// Inside of the store: documents, and the digest as a part of one.
#ifndef GG_STORE_DIGEST_SCHEMA_H
#define GG_STORE_DIGEST_SCHEMA_H

#include "io/source.h"
#include "model/digest.h"
#include "store/row.h"

extern const struct schema digest_schema;

/// Read the digest that follows into `d`, from digest_new().
void digest_read_into(struct row_reader *r, struct digest *d);

/// Read one whole document: `read` takes its value, and nothing may follow.
/// `fail` is the status of what is wrong with it.
GG_MUST_CHECK enum status stored_document_read(struct source *src, enum status fail,
                                               struct diag_log *log,
                                               void (*read)(struct row_reader *r, void *ctx),
                                               void *ctx);

#endif

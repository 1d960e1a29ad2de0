/// The JSON Schema (draft 2020-12) of stored documents, generated from the tables of their fields.
#ifndef GG_STORE_ROW_SCHEMA_H
#define GG_STORE_ROW_SCHEMA_H

#include "store/row.h"

/// Writes a file with the JSON Schema of the documents that `s` describes; `s->id` must be set.
void row_schema_write(const struct schema *s, const char *title, struct sink *out);

/// Writes the schema of the object that holds one struct of the type `s` or, if `several`, a number
/// of such structs together. For the functions `describe` of FIELD_OWN members. `depth` is the
/// indentation of the object's last line.
void row_schema_object(const struct schema *s, bool several, int depth, struct sink *out);

/// Begins a line with indentation `depth` and `text`.
void row_schema_line(struct sink *out, int depth, const char *text);

#endif

/// The JSON Schema (draft 2020-12) of stored documents, from the tables of their fields.
#ifndef GG_STORE_ROW_SCHEMA_H
#define GG_STORE_ROW_SCHEMA_H

#include "store/row.h"

/// Write the schema of the document `s`, which has an id, as a file of its own.
void row_schema_write(const struct schema *s, const char *title, struct sink *out);

/// Write the schema of one object of `s`, or of `several` structs together; `depth` is that of
/// its last line. For the `describe` of a FIELD_OWN.
void row_schema_object(const struct schema *s, bool several, int depth, struct sink *out);

/// Begin a line of that depth with `text`.
void row_schema_line(struct sink *out, int depth, const char *text);

#endif

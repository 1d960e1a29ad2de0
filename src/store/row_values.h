/// Internal to reading rows: reading of fields whose value is not a row.
#ifndef GG_STORE_ROW_VALUES_H
#define GG_STORE_ROW_VALUES_H

#include "store/row.h"

/// True if the JSON of a struct may leave out the field.
bool row_is_optional(const struct field *f);

/// True for a field of type int64_t.
bool row_is_number(const struct field *f);

/// True for a field that is text. After its key KEY, a file may have KEY_hex, with the raw bytes.
bool row_is_text(const struct field *f);

/// Reads valid text, owned by the reader's arena; empty after an error.
struct span row_read_text(struct row_reader *r, const char *key);

/// Reads the value at `key` into field `f` of `nr` structs: one value for all, or a list with one
/// for each. `hex`: the key is KEY_hex.
void row_read_values(struct row_reader *r, const struct field *f, const char *key, bool hex,
                     void *const *rows, size_t nr);

#endif

/// Internal to reading rows: fields whose value is not a row.
#ifndef GG_STORE_ROW_VALUES_H
#define GG_STORE_ROW_VALUES_H

#include "store/row.h"

/// True where a field may be left out.
bool row_is_optional(const struct field *f);

/// True for an int64_t.
bool row_is_number(const struct field *f);

/// True for text, which may have KEY_hex behind it.
bool row_is_text(const struct field *f);

/// Read valid text, owned by the reader's arena; empty after an error.
struct span row_read_text(struct row_reader *r, const char *key);

/// Read the value at `key` into field `f` of `nr` structs: that of all, or a list with one for
/// each. `hex`: it is that of KEY_hex.
void row_read_values(struct row_reader *r, const struct field *f, const char *key, bool hex,
                     void *const *rows, size_t nr);

#endif

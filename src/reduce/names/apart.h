/// Adds to names that would be shown as the same text the words in which they differ.
#ifndef GG_NAMES_APART_H
#define GG_NAMES_APART_H

#include "base/strbuf.h"

/// Appends " [512 4]": for each of the `nr` names of `all` the first word in which `own` differs
/// from it, each word once, at most four. `own` must be one of `all`, by its address.
void names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr);

#endif

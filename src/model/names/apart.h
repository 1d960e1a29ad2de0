/// Adds to names that would be shown as the same text the words in which they differ.
#ifndef GG_NAMES_APART_H
#define GG_NAMES_APART_H

#include <stdbool.h>

#include "base/strbuf.h"

/// True if one of the words of the name, which are letters and digits, is `word`.
bool name_has_word(const char *name, struct span word);

/// Appends " [512 4]": words of `own` of which each of the other `nr` names of `all` lacks at least
/// one. Returns false, with nothing appended, if that takes more than four words, or if a name has
/// all words of `own`. `own` must be one of `all`, by its address.
bool names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr);

#endif

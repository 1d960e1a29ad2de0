/// What distinguishes names that are otherwise shown alike.
#ifndef GG_NAMES_APART_H
#define GG_NAMES_APART_H

#include "base/strbuf.h"

/// Append " [512 4]": the first word of `own` that is another in each of the `nr` names of `all`,
/// each once and no more than four. `own` is one of `all`, by its address.
void names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr);

#endif

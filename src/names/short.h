/// Display names of kernels: the shortest form that tells each from the others of its report.
#ifndef GG_NAMES_SHORT_H
#define GG_NAMES_SHORT_H

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

struct short_name {
	const char *whole; ///< borrowed
	const char *text; ///< as it is shown
	int form; ///< form, from the shortest on
};

struct short_names {
	struct arena arena; ///< owns the texts
	VEC(struct short_name) list; ///< by `whole`, each once, after short_names_end()
};

/// Add the name of a kernel, which is borrowed; NULL and "" are ignored.
void short_names_add(struct short_names *s, const char *whole);

/// Choose the forms: no two names have the same.
void short_names_end(struct short_names *s);

/// How `whole` is shown; NULL if it was not added.
const char *short_names_find(const struct short_names *s, const char *whole);

/// Give the memory back.
void short_names_release(struct short_names *s);

#endif

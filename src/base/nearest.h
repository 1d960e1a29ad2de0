/// "Did you mean": finds the word nearest to a misspelt one.
#ifndef GG_BASE_NEAREST_H
#define GG_BASE_NEAREST_H

#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/// Levenshtein distance of two words, with transpositions; at most `limit` + 1.
size_t edit_distance(struct span a, struct span b, size_t limit);

/// State of a search. Initially only `word`, the misspelt word, is set.
struct nearest {
	struct span word;
	const char *best; ///< nearest word so far; NULL if no word is near enough
	size_t distance;
};

/// Offers one more word, which must outlive the search. A word is near enough within one edit for
/// words of up to 3 bytes, two for up to 7, three beyond; of equally near words the first is taken.
void nearest_try(struct nearest *n, const char *candidate);

/// The end of a message, ": did you mean 'best'?", with `mark` instead of the colon, or `otherwise`
/// if no word is near. Owned by `a`.
const char *nearest_hint(const struct nearest *n, struct arena *a, char mark,
                         const char *otherwise);

#endif

/// "Did you mean": the word nearest to a misspelt one.
#ifndef GG_BASE_NEAREST_H
#define GG_BASE_NEAREST_H

#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/// Levenshtein distance with transpositions; at most `limit` + 1.
size_t edit_distance(struct span a, struct span b, size_t limit);

/// A search. Initially only `word` is set, the misspelt one.
struct nearest {
	struct span word;
	const char *best; ///< NULL: no word is near enough
	size_t distance;
};

/// Offer one more word, which must outlive the search. Near enough is one edit for words of up
/// to 3 bytes, two for up to 7, three beyond; the first of equally near words wins.
void nearest_try(struct nearest *n, const char *candidate);

/// ": did you mean 'best'?", with `mark` for the colon, to end a message; `otherwise` if no word
/// is near. Owned by `a`.
const char *nearest_hint(const struct nearest *n, struct arena *a, char mark,
                         const char *otherwise);

#endif

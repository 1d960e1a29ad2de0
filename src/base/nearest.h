/// "Did you mean": finds the known word that is nearest to a misspelled one.
#ifndef GG_BASE_NEAREST_H
#define GG_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/// Levenshtein distance of two words, in which a transposition counts as one edit; `limit` + 1 if
/// the distance is larger than `limit`.
size_t edit_distance(struct span a, struct span b, size_t limit);

/// State of a search. Initially only `word`, the misspelled word, is set.
struct nearest {
	struct span word;
	const char *best; ///< nearest word so far; NULL if no word is near enough
	size_t distance;
};

/// Compares one more known word, which must outlive the search, with the misspelled one. It is near
/// enough if it differs in at most 1 edit from a misspelled word of up to 3 bytes, in 2 edits from
/// one of up to 7 bytes, or in 3 edits from a longer one. A word that differs only in the case of
/// ASCII letters has distance 0. The first of equally near words is taken.
void nearest_try(struct nearest *n, const char *candidate);

/// The end of a message: `mark` followed by " did you mean 'best'?", owned by `a`; or `otherwise`
/// itself, if no word is near enough.
const char *nearest_hint(const struct nearest *n, struct arena *a, char mark,
                         const char *otherwise);

/// Largest number of names that a message suggests for a text that is not a known name.
enum { NEAREST_MOST = 3 };

/// State of a search for the NEAREST_MOST names nearest to the text `asked`. Initially only `asked`
/// is set.
struct nearest_few {
	struct span asked;
	size_t nr;
	struct {
		size_t cost, index;
		const char *text;
	} best[NEAREST_MOST + 1]; ///< the `nr` nearest names, the nearest first: `cost` (twice the
	                          ///< edit distance, 1 more if `later`), number (`index`) and text of
	                          ///< each
};

/// Compares name number `index`, which messages show as `text`, with `asked`. If `name` contains
/// `asked`, its distance is 0; otherwise it is the edit distance of `text` from `asked`. Among
/// equally near names, those with `later` false come first.
void nearest_few_try(struct nearest_few *n, size_t index, struct span name, const char *text,
                     bool later);

/// The end of a message, "; did you mean 'a', 'b' or 'c'?", with the texts of the names; "" if no
/// name was compared. Borrowed as long as `a`.
const char *nearest_few_hint(const struct nearest_few *n, struct arena *a);

#endif

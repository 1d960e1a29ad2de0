/* Finds the words in which a name differs from others. */
#include "names/apart.h"

#include <ctype.h>

enum { WORDS_MAX = 4 };

/* The next word from `*at` on; empty at the end of the text. */
static struct span next_word(const char *text, size_t *at)
{
	while (text[*at] && !isalnum((unsigned char)text[*at]))
		++*at;
	size_t from = *at;
	while (isalnum((unsigned char)text[*at]))
		++*at;
	return (struct span){ text + from, *at - from };
}

/* The first word of `x` that differs from the word at the same position in `y`. */
static struct span first_other(const char *x, const char *y)
{
	for (size_t i = 0, k = 0;;) {
		struct span a = next_word(x, &i), b = next_word(y, &k);
		if (!a.n || !b.n || !span_eq(a, b))
			return a;
	}
}

void names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr)
{
	struct span told[WORDS_MAX];
	size_t words = 0;
	for (size_t i = 0; i < nr; i++) {
		struct span word = all[i] == own ? (struct span){ 0 } : first_other(own, all[i]);
		bool known = !word.n || words == WORDS_MAX;
		for (size_t k = 0; k < words; k++)
			known = known || span_eq(told[k], word);
		if (!known)
			told[words++] = word;
	}
	for (size_t k = 0; k < words; k++) {
		strbuf_adds(b, k ? " " : " [");
		strbuf_add(b, told[k]);
	}
	strbuf_adds(b, words ? "]" : "");
}

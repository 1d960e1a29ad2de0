/* Finds the words by which a name differs from other names. */
#include "names/short.h"

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

bool name_has_word(const char *name, struct span word)
{
	const char *end = name + strlen(name), *p = word.n ? name : NULL;
	while (p && (p = memmem(p, (size_t)(end - p), word.p, word.n))) {
		if ((p == name || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[word.n]))
			return true;
		p++;
	}
	return false;
}

/* The first word of `x` that `y` does not contain; empty if there is none. */
static struct span word_without(const char *x, const char *y)
{
	struct span word;
	size_t i = 0;
	do
		word = next_word(x, &i);
	while (word.n && name_has_word(y, word));
	return word;
}

bool names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr)
{
	struct span told[WORDS_MAX];
	size_t words = 0;
	for (size_t i = 0; i < nr; i++) {
		bool apart = all[i] == own || ANY(k, words, !name_has_word(all[i], told[k]));
		if (apart)
			continue;
		struct span word = word_without(own, all[i]);
		if (!word.n || words == WORDS_MAX)
			return false;
		told[words++] = word;
	}
	for (size_t k = 0; k < words; k++) {
		strbuf_adds(b, k ? " " : " [");
		strbuf_add(b, told[k]);
	}
	strbuf_adds(b, words ? "]" : "");
	return true;
}

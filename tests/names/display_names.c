/* Reads names of kernels, one a line, as those of one report; prints the display name of each, in
   the same order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/short.h"

int main(void)
{
	struct arena a = ARENA_INIT;
	struct short_names s = { 0 };
	VEC(const char *) names = VEC_INIT;
	char *line = NULL;
	size_t room = 0;
	for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
		const char *name = arena_dup(&a, (struct span){ line, strcspn(line, "\n") });
		vec_push(&names, name);
		short_names_add(&s, name);
	}
	short_names_end(&s);
	for (size_t i = 0; i < names.nr; i++)
		puts(short_names_find(&s, names.v[i]));
	short_names_release(&s);
	vec_release(&names);
	arena_release(&a);
	free(line);
	return 0;
}

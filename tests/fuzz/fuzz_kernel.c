/* The input is the name of a kernel, mangled or not: its display name differs from the display
   names of two similar names in the same report. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "names/short.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct short_names s = { 0 };
	struct arena a = ARENA_INIT;
	if (size > 10000 || memchr(data, 0, size))
		return 0;
	const char *name = arena_dup(&a, (struct span){ (const char *)data, size });
	const char *mangled = arena_printf(&a, "_Z%s", name), *other = arena_printf(&a, "%sx", name);
	short_names_add(&s, name);
	short_names_add(&s, mangled);
	short_names_add(&s, other);
	short_names_end(&s);
	const char *texts[] = { short_names_find(&s, name), short_names_find(&s, mangled),
		                    short_names_find(&s, other) };
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < i; k++)
			if (texts[i] && texts[k] && strcmp(texts[i], texts[k]) == 0)
				abort();
	short_names_release(&s);
	arena_release(&a);
	return 0;
}

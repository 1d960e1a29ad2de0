/* usage: pages DIR VERSION DATE      (DATE as January 31, 2026)
   Writes DIR/man/gpugate.1 and a page per command beside it, DIR/gpugate.bash, DIR/_gpugate (zsh)
   and DIR/gpugate.fish. The folder DIR/man must exist. */
#include "pages/pages.h"

#include <stdlib.h>
#include <string.h>

const struct page_command page_commands[NR_COMMANDS] = {
#define X(id, name, args, fewest, most, meaning) { name, args, meaning },
	COMMAND_ROWS(X)
#undef X
};

const struct page_option page_options[NR_OPTIONS] = {
#define X(id, name, arg, on, meaning) { name, arg, on, meaning },
	OPTION_ROWS(X)
#undef X
};

static const char *const metrics[] = {
#define X(id, name, ...) name,
#include "metric/metrics.def"
};

enum page_value page_arguments(const struct page_command *c)
{
	if (!*c->args)
		return VALUE_NONE;
	return strstr(c->args, "NAME") ? VALUE_METRIC : VALUE_FILE;
}

enum page_value page_value(const struct page_option *o)
{
	if (!o->arg)
		return VALUE_NONE;
	if (strchr(o->arg, '|'))
		return VALUE_WORDS;
	bool file = strcmp(o->arg, "FILE") == 0 || strcmp(o->arg, "RUN") == 0;
	return file ? VALUE_FILE : VALUE_FREE;
}

bool page_takes(int c, const struct page_option *o)
{
	return option_shown(o->commands, o->meaning, c);
}

bool page_short(const struct page_option *o)
{
	return o == &page_options[OPT_OUTPUT];
}

void page_put(FILE *out, const char *s, const char *from, const char *const *to)
{
	for (; *s; s++) {
		const char *special = strchr(from, *s);
		if (special)
			fputs(to[special - from], out);
		else
			fputc(*s, out);
	}
}

void page_words(FILE *out, enum page_value value, const char *words)
{
	static const char *const space[] = { " " };
	if (value == VALUE_WORDS)
		page_put(out, words, "|", space);
	for (size_t i = 0; value == VALUE_METRIC && i < NR_OF(metrics); i++)
		fprintf(out, "%s%s", i ? " " : "", metrics[i]);
}

static FILE *begin(const char *dir, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(1);
	}
	return out;
}

static void end(FILE *out)
{
	if (fclose(out) != 0) {
		perror("pages");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *);
	} shells[] = { { "gpugate.bash", page_bash },
		           { "_gpugate", page_zsh },
		           { "gpugate.fish", page_fish } };
	if (argc != 4) {
		fputs("usage: pages DIR VERSION DATE\n", stderr);
		return 2;
	}
	for (int c = 0; c <= NR_COMMANDS; c++) {
		char name[100] = "man/gpugate.1";
		if (c < NR_COMMANDS)
			snprintf(name, sizeof name, "man/gpugate-%s.1", page_commands[c].name);
		FILE *out = begin(argv[1], name);
		page_man(out, c, argv[2], argv[3]);
		end(out);
	}
	for (size_t i = 0; i < NR_OF(shells); i++) {
		FILE *out = begin(argv[1], shells[i].name);
		shells[i].write(out);
		end(out);
	}
	return 0;
}

/* Reads files of benchmarks as they are, many in one process: "NAME BYTES\n" and the bytes, again
   and again, from standard input. Prints for each the status, the figures as "name value digits
   unit better work" (work in one line, or "-"), and an empty line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/result_file.h"
#include "rules/formats_file.h"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static void print_figure(const struct input_stat *s)
{
	printf("%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t", s->name, s->value, s->digits, or_dash(s->unit),
	       or_dash(s->better));
	for (const char *c = or_dash(s->work); *c; c++)
		putchar(*c == '\n' ? ' ' : *c);
	putchar('\n');
}

static enum status read_flat(const char *name, struct span text, struct digest *d,
                             struct diag_log *log)
{
	bool other;
	if (!metrics_recognize(text))
		return ST_INPUT;
	struct source *src = source_memory(name, text.p, text.n, NULL);
	enum status st = inputs_read(src, d, &other, log);
	source_close(src);
	return st;
}

static void read_one(const struct result_formats *formats, const char *name, struct span text)
{
	const struct result_formats *const tables[] = { formats, NULL };
	struct result_reader reader = { tables, name, name };
	struct digest *d = digest_new();
	struct diag_log log;
	bool found = false;
	diag_init(&log);
	struct source *src = source_memory(name, text.p, text.n, NULL);
	enum status st = result_read(src, &reader, d, &found, &log);
	source_close(src);
	if (st == ST_OK && !found)
		st = read_flat(name, text, d, &log);
	const char *error = diag_first_error(&log);
	printf("%d %s\n", (int)st, error ? error : "");
	for (size_t i = 0; st == ST_OK && i < d->inputs.nr; i++)
		print_figure(&d->inputs.v[i]);
	putchar('\n');
	diag_release(&log);
	digest_free(d);
}

int main(void)
{
	struct result_formats formats;
	struct diag_log log;
	char name[300];
	size_t n;
	diag_init(&log);
	if (formats_read(NULL, NULL, &formats, &log) != ST_OK)
		return 1;
	while (scanf("%299s %zu", name, &n) == 2 && getchar() == '\n') {
		char *text = malloc(n + 1);
		if (!text || fread(text, 1, n, stdin) != n)
			return 1;
		read_one(&formats, name, (struct span){ text, n });
		free(text);
	}
	result_formats_release(&formats);
	diag_release(&log);
	return 0;
}

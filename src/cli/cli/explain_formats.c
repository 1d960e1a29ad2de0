#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/artifact_format.h"
#include "cli/commands.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/embedded.h"
#include "results/result_file.h"
#include "rules/formats_file.h"

/* Print a table of formats. The file was read before, and is thus known to be a regular file of
   limited size. */
static enum status copy_file(const char *path, struct sink *out, struct diag_log *log)
{
	struct source *src;
	struct strbuf text = STRBUF_INIT;
	TRY(source_open(path, NULL, &src, log));
	enum status st = source_read_all(src, SIZE_MAX, &text, log);
	sink_write(out, strbuf_span(&text));
	strbuf_release(&text);
	source_close(src);
	return st;
}

/* Print lines for a rules file by which gpugate would read the file at `path`. */
static enum status propose(const char *path, struct diag_log *log)
{
	struct result_proposal found;
	struct source *src;
	struct sink *out;
	TRY(source_open(path, NULL, &src, log));
	enum status st = result_propose(src, path_last(path), &found, log);
	source_close(src);
	if (st == ST_OK && !found.lines.n)
		st = diag_fail(log, ST_INPUT, "%s: no figure in it that a format could take",
		               diag_quote(log, path));
	if (st == ST_OK && (st = sink_open("-", false, &out, log)) == ST_OK) {
		sink_puts(out,
		          "# For the rules file of the repository; a new one begins with 'version: 2'.\n");
		if (found.is_open)
			sink_puts(out,
			          "# Where it says 'better: neither', write lower or higher if the figure is "
			          "to be judged.\n");
		sink_puts(out, "inputs:\n  results:\n");
		sink_write(out, strbuf_span(&found.lines));
		st = sink_commit(out, log);
	}
	strbuf_release(&found.lines);
	return st;
}

struct span formats_entry(struct span name, struct arena *a)
{
	const char *head = arena_printf(a, "\n- name: %.*s\n", (int)name.n, name.p), *end;
	const char *at = strstr(embedded_formats, head);
	if (!at)
		return SPAN("");
	for (end = at + strlen(head); *end == ' '; end += strcspn(end, "\n") + 1)
		; /* the lines of an entry are indented */
	return (struct span){ at + 1, (size_t)(end - at) - 1 };
}

/* Print those formats of the table that can read the file; `*known` is false if none can. */
static enum status print_known(const char *path, const char *table,
                               const struct result_formats *formats, bool *known,
                               struct diag_log *log)
{
	const struct result_formats *const tables[] = { formats, NULL };
	struct result_reader reader = { tables, path, path_last(path) };
	struct result_known found;
	struct source *src;
	struct sink *out;
	TRY(source_open(path, NULL, &src, log));
	enum status st = result_known_list(src, &reader, &found, log);
	source_close(src);
	*known = found.list.nr > 0;
	if (st == ST_OK && *known && (st = sink_open("-", false, &out, log)) == ST_OK) {
		for (size_t i = 0; i < found.list.nr; i++) {
			const char *name = found.list.v[i]->name;
			sink_puts(out, arena_printf(&log->arena, "# Read by the %s %s, without any rules.\n",
			                            table ? "format" : "built-in format", name));
			sink_write(out, table ? SPAN("") : formats_entry(span_of(name), &log->arena));
		}
		st = sink_commit(out, log);
	}
	vec_release(&found.list);
	return st;
}

enum status explain_formats(const struct options *o, const char *file, struct diag_log *log)
{
	struct result_formats formats;
	struct sink *out;
	const char *path = o->value[OPT_FORMATS];
	struct stat sb;
	if (file && stat(file, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size == 0)
		return diag_fail(log, ST_INPUT, "%s: the file is empty", diag_quote(log, file));
	enum status st = formats_read(path, NULL, &formats, log);
	bool known = false;
	if (file && st == ST_OK)
		st = print_known(file, path, &formats, &known, log);
	result_formats_release(&formats);
	TRY(st);
	if (known)
		return ST_OK;
	bool is_own = file && (artifact_recording(file) || artifact_is_baseline(file));
	if (file && !is_own)
		return propose(file, log);
	TRY(sink_open("-", false, &out, log));
	if (is_own)
		sink_printf(out, "# %s is read without any rules; 'gpugate report' shows what it holds.\n",
		            diag_quote(log, file));
	else if (path)
		st = copy_file(path, out, log);
	else
		sink_puts(out, embedded_formats);
	enum status end = sink_commit(out, log);
	return st == ST_OK ? end : st;
}

#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/embedded.h"
#include "results/propose.h"
#include "rules/formats_file.h"

/* Copy a table of formats. The file was read before, and is therefore known to be a regular file of
   limited size. */
static enum status copy_file(const char *path, struct sink *out, struct diag_log *log)
{
	struct source *src;
	char buf[4096];
	size_t nr = 0;
	TRY(source_open(path, NULL, &src, log));
	enum status st;
	while ((st = source_read(src, buf, sizeof buf, &nr, log)) == ST_OK && nr)
		sink_write(out, (struct span){ buf, nr });
	source_close(src);
	return st;
}

/* Print the lines of a rules file that would read the file. */
static enum status propose(const char *path, struct diag_log *log)
{
	struct result_proposal found;
	struct source *src;
	struct sink *out;
	const char *slash = strrchr(path, '/');
	TRY(source_open(path, NULL, &src, log));
	enum status st = result_propose(src, slash ? slash + 1 : path, &found, log);
	source_close(src);
	if (st == ST_OK && !found.lines.n)
		st = diag_fail(log, ST_INPUT, "%s: no figure in it that a format could take",
		               text_quote(&log->arena, span_of(path)));
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

enum status explain_formats(const struct options *o, const char *file, struct diag_log *log)
{
	struct result_formats formats;
	struct sink *out;
	if (file)
		return propose(file, log);
	const char *path = o->value[OPT_FORMATS];
	enum status st = formats_read(path, &formats, log);
	result_formats_release(&formats);
	TRY(st);
	TRY(sink_open("-", false, &out, log));
	if (path)
		st = copy_file(path, out, log);
	else
		sink_puts(out, embedded_formats);
	enum status end = sink_commit(out, log);
	return st == ST_OK ? end : st;
}

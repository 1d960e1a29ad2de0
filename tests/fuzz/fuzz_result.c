/* A result file is read by the built-in table of formats, or is of another kind, or is refused with
 * one line; the result is a sorted list of figures with valid names, which a digest stores without
 * loss. What is proposed for a file is a valid table of formats, which reads the file in the same
 * way. */
#include "fuzz.h"

#include "figure_laws.h"
#include "results/result_file.h"
#include "rules/formats_file.h"

/* Reads a file by a table; returns whether it has figures. */
static bool read_by(const struct result_formats *formats, const char *path, const char *name,
                    struct span text)
{
	const struct result_formats *const tables[] = { formats, NULL };
	struct result_reader reader = { tables, path, name };
	struct digest *d = digest_new();
	struct diag_log log;
	bool found;
	diag_init(&log);
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	enum status st = result_read(src, &reader, d, &found, &log);
	check_said(st, found, &log);
	bool accepted = st == ST_OK && found;
	if (accepted)
		check_figures(d);
	diag_release(&log);
	source_close(src);
	digest_free(d);
	return accepted;
}

static void check_proposal(const char *name, struct span text)
{
	struct result_proposal proposal;
	struct result_formats formats;
	struct strbuf lines = STRBUF_INIT;
	struct diag_log log;
	diag_init(&log);
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	enum status st = result_propose(src, name, &proposal, &log);
	check(st == ST_OK || diag_first_error(&log));
	if (st == ST_OK && proposal.lines.n) {
		strbuf_addf(&lines, "    - name: p\n      %s",
		            strbuf_str(&proposal.lines) + strlen("    - "));
		struct span table = strbuf_span(&lines);
		check(formats_read("fuzz", &table, &formats, &log) == ST_OK);
		(void)read_by(&formats, name, name, text);
		result_formats_release(&formats);
	}
	strbuf_release(&lines);
	strbuf_release(&proposal.lines);
	source_close(src);
	diag_release(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result_formats formats;
	struct span text = { (const char *)data, size };
	struct diag_log log;
	diag_init(&log);
	if (!formats.list.nr)
		check(formats_read(NULL, NULL, &formats, &log) == ST_OK);
	diag_release(&log);
	(void)result_recognize(text);
	struct source *src = source_memory("fuzz", text.p, text.n, NULL);
	(void)result_sniff(src);
	source_close(src);
	fuzz_accepted = read_by(&formats, "results/fuzz.json", "fuzz.json", text);
	check_proposal("fuzz.log", text);
	check_proposal("fuzz.json", text);
	return 0;
}

/* Writes manual pages in mdoc. */
#include "pages/pages.h"

#include <ctype.h>
#include <string.h>

enum { LINE = 72 };

/* Write a word of running text. It is escaped if mdoc would read it as a request at the start of a
   line; in options, hyphens become minus signs. */
static void word(FILE *out, const char *s, size_t n, bool first)
{
	bool typed = s[0] == '-' || (n > 1 && s[1] == '-');
	if (first && (s[0] == '.' || s[0] == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, s[i] == '-' && typed ? "\\%c" : "%c", s[i]);
}

/* Write running text in lines of at most LINE characters. Each sentence begins a new line. */
static void text(FILE *out, const char *s)
{
	size_t column = 0;
	while (*(s += strspn(s, " \n"))) {
		size_t n = strcspn(s, " \n");
		if (column && column + n > LINE)
			column = 0, fputc('\n', out);
		if (column)
			fputc(' ', out);
		word(out, s, n, column == 0);
		column += n + 1;
		if (s[n - 1] == '.')
			column = 0, fputc('\n', out);
		s += n;
	}
	if (column)
		fputc('\n', out);
}

/* Write the name of a page, such as gpugate-check or, if `capital` is true, GPUGATE-CHECK. */
static void name(FILE *out, int c, bool capital)
{
	fputs(capital ? "GPUGATE" : "gpugate", out);
	if (c == NR_COMMANDS)
		return;
	fputc('-', out);
	for (const char *p = page_commands[c].name; *p; p++)
		fputc(capital ? toupper((unsigned char)*p) : *p, out);
}

static void synopsis(FILE *out, const struct page_command *c)
{
	int n = (int)strlen(c->args);
	fprintf(out, ".Sh SYNOPSIS\n.Nm \"gpugate %s\"\n", c->name);
	if (c->args[0] == '[')
		fprintf(out, ".Op Ar %.*s\n", n - 2, c->args + 1);
	else if (n)
		fprintf(out, ".Ar %s\n", c->args);
	fputs(".Op Ar options\n", out);
}

static void options(FILE *out, int c)
{
	size_t next = 0;
	const char *title = NULL; /* title of the group of options, if it is still to be written;
	                             else NULL */
	bool list = false;
	fputs(".Sh OPTIONS\n", out);
	for (const struct page_option *o = page_options; o < page_options + NR_OPTIONS; o++) {
		if (next < NR_OF(option_groups) && option_groups[next].first == o - page_options)
			title = option_groups[next++].title;
		if (!page_takes(c, o))
			continue;
		if (title)
			fprintf(out, "%s.Ss %c%s\n.Bl -tag -width Ds\n", list ? ".El\n" : "",
			        toupper((unsigned char)*title), title + 1);
		title = NULL;
		list = true;
		fprintf(out, ".It %sFl -%s%s%s\n", page_short(o) ? "Fl o , " : "", o->name,
		        o->arg ? " Ar " : "", o->arg ? o->arg : "");
		text(out, o->meaning);
	}
	fputs(list ? "" : ".Bl -tag -width Ds\n", out);
	fputs(".It Fl -help\nwhat the command is for, and its options\n.El\n", out);
}

static void exit_status(FILE *out)
{
	fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
#define X(name, code, meaning) fprintf(out, ".It %d\n%s\n", code, meaning);
	STATUS_ROWS(X)
#undef X
	fputs(".El\n", out);
}

static void examples_of(FILE *out, int c)
{
	static const struct {
		enum command command;
		const char *words, *what;
	} rows[] = {
		{ CMD_CHECK, "profiles --reports gpugate",
		  "The gate behind the benchmark of a change, with all reports:" },
		{ CMD_CHECK, "profiles --repeat profiles2 --repeat profiles3",
		  "Three runs of the same code, whose median is judged:" },
		{ CMD_SUITE, "gpugate-suite.yaml --markdown gpugate.md", "All cases of a repository:" },
		{ CMD_SUITE, "--shard 2/8 --json shard2.json", "The second of eight jobs:" },
		{ CMD_SUITE, "shard1.json shard2.json --html gpugate.html", "Their reports as one:" },
		{ CMD_DIFF, "main.json.gz branch.json.gz", "What a branch changed, without a baseline:" },
		{ CMD_REPORT, "profiles --html report.html", "What one run is bound by, and what to try:" },
		{ CMD_DIGEST, "rank3.json.gz -o rank3.digest.json.gz",
		  "On each node, instead of a large trace:" },
		{ CMD_DIGEST, "gpugate-suite.yaml -o cases", "All cases of a suite, each in a folder:" },
		{ CMD_DIGEST, "digests --expect-ranks 512 -o run.json.gz",
		  "The digests of all nodes as a run:" },
		{ CMD_APPROVE, "profiles --workload resnet50", "The first baseline:" },
		{ CMD_STORE, "profiles --workload resnet50", "Behind each run of the main branch:" },
		{ CMD_APPROVE, "profiles --accept top-kernels --reason 'cuBLAS 12.8'",
		  "A change that is meant:" },
		{ CMD_REPORT, "baselines/resnet50.json", "What later runs are held against:" },
		{ CMD_STORE, "--keep 100", "Old runs go:" },
		{ CMD_LINT, "baselines/resnet50.json", "Before it is committed:" },
		{ CMD_HISTORY, "resnet50 --metric step.compute_time --html history.html",
		  "A page of one figure over commits:" },
		{ CMD_HISTORY, "resnet50 --bisect", "The script for git bisect run:" },
		{ CMD_REPORT, "profiles --verbose --json report.json", "Every figure of a run:" },
		{ CMD_LINT, "rules/gpugate.yaml --baseline baselines/resnet50.json",
		  "Are the rules sound, and their limits above the noise?" },
		{ CMD_EXPLAIN, "step.compute_time", "What a figure is, and whether it makes a good gate:" },
		{ CMD_EXPLAIN, "formats", "The table to begin one's own with:" },
		{ CMD_INIT, "profiles --workload resnet50", "Rules that fit a run, and a workflow:" },
		{ CMD_HELP, "check", "What a command takes:" },
	};
	const char *before = ".Sh EXAMPLES\n";
	for (size_t i = 0; i < NR_OF(rows); i++) {
		if ((int)rows[i].command != c)
			continue;
		fputs(before, out);
		text(out, rows[i].what);
		fprintf(out, ".Bd -literal -offset indent\ngpugate %s %s\n.Ed\n", page_commands[c].name,
		        rows[i].words);
		before = ".Pp\n";
	}
}

static void command_page(FILE *out, const struct page_command *c)
{
	fprintf(out, ".Nd %s\n", c->meaning);
	synopsis(out, c);
	fputs(".Sh DESCRIPTION\n", out);
	text(out, c->meaning);
	for (size_t i = 0; i < NR_OF(argument_rows); i++)
		if (strstr(c->args, argument_rows[i].word)) {
			fputs(".Pp\n", out);
			text(out, argument_rows[i].meaning);
		}
	options(out, (int)(c - page_commands));
	exit_status(out);
	examples_of(out, (int)(c - page_commands));
	fputs(".Sh SEE ALSO\n.Xr gpugate 1\n", out);
}

static void commands(FILE *out)
{
	fputs(".Sh COMMANDS\nEach has a page of its own.\n.Bl -tag -width Ds\n", out);
	for (int c = 0; c < NR_COMMANDS; c++) {
		fputs(".It Xr ", out);
		name(out, c, false);
		fputs(" 1\n", out);
		text(out, page_commands[c].meaning);
	}
	fputs(".El\n", out);
}

/* Sections of the manual page that no table of the program contains. */
static const char rest[] =
    ".Sh ENVIRONMENT\n"
    ".Bl -tag -width Ds\n"
    ".It Ev NO_COLOR\n"
    "no colors unless\n.Fl -color Ar always\nasks for them\n"
    ".It Ev TERM\n"
    "no colors and no progress where it is\n.Ql dumb\n"
    ".It Ev SOURCE_DATE_EPOCH\n"
    "seconds since 1970, used instead of the time of day in baselines and for waivers\n"
    ".It Ev GITHUB_ACTIONS , GITLAB_CI , JENKINS_URL\n"
    "where one is set, a stored baseline records the commit, the person and the job\n"
    "as the variables of this CI system have them; options come first\n"
    ".El\n"
    ".Sh FILES\n"
    ".Bl -tag -width Ds\n"
    ".It Pa rules/gpugate.yaml\n"
    "the rules, unless\n.Fl -rules\nnames others; without it the rules that are built in\n"
    ".It Pa baselines/WORKLOAD.json\n"
    "the stored baseline, unless the rules or\n.Fl -baseline\nname another\n"
    ".It Pa run.yaml , run.json\n"
    "beside an artifact: facts about its run, as\n.Fl -context\ngives them\n"
    ".El\n";
static const char examples[] = ".Sh EXAMPLES\n"
                               "A first baseline, then the gate behind the benchmark of a change:\n"
                               ".Bd -literal -offset indent\n"
                               "gpugate approve trace.json.gz --workload resnet50\n"
                               "gpugate check pr.json.gz --workload resnet50 --junit gpugate.xml\n"
                               ".Ed\n"
                               ".Pp\n"
                               "What one run is bound by, and what to try:\n"
                               ".Bd -literal -offset indent\n"
                               "gpugate report trace.json.gz --html report.html\n"
                               ".Ed\n";

static void main_page(FILE *out)
{
	fputs(".Nd regression gate for GPU runs\n"
	      ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar arguments\n.Op Ar options\n"
	      ".Nm\n.Fl -help | -version\n"
	      ".Sh DESCRIPTION\n.Nm\n"
	      "reads what the profiler wrote (PyTorch traces and CUDA memory snapshots),\n"
	      "compares it with a stored baseline under rules, and answers with an exit\n"
	      "code and reports.\n",
	      out);
	commands(out);
	fputs(rest, out);
	exit_status(out);
	fputs(examples, out);
}

void page_man(FILE *out, int c, const char *version, const char *date)
{
	fprintf(out, ".Dd %s\n.Dt ", date);
	name(out, c, true);
	fprintf(out, " 1\n.Os \"gpugate %s\"\n.Sh NAME\n.Nm ", version);
	name(out, c, false);
	fputc('\n', out);
	if (c == NR_COMMANDS)
		main_page(out);
	else
		command_page(out, &page_commands[c]);
}

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json_c_version.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/output.h"
#include "io/cores.h"
#include "io/inflate.h"
#include "io/sink.h"

static command_fn *const commands[NR_COMMANDS] = {
	[CMD_CHECK] = cmd_check,     [CMD_SUITE] = cmd_suite,     [CMD_DIFF] = cmd_diff,
	[CMD_REPORT] = cmd_report,   [CMD_DIGEST] = cmd_digest,   [CMD_APPROVE] = cmd_approve,
	[CMD_STORE] = cmd_store,     [CMD_HISTORY] = cmd_history, [CMD_LINT] = cmd_lint,
	[CMD_EXPLAIN] = cmd_explain, [CMD_INIT] = cmd_init,
};

static void on_signal(int sig)
{
	// NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c): it calls unlink(2), which is safe
	leftover_remove_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

void cli_print_log(const struct diag_log *log)
{
	static const char *const prefix[] = {
		[DIAG_ERROR] = "", [DIAG_WARNING] = "warning: ", [DIAG_NOTE] = "note: "
	};
	for (const struct diag_entry *e = log->first; e; e = e->next) {
		struct strbuf line = STRBUF_INIT;
		text_add_log(&line, span_of(e->text), SIZE_MAX);
		fprintf(stderr, "gpugate: %s%s\n", prefix[e->severity], strbuf_str(&line));
		strbuf_release(&line);
	}
}

/* If a standard stream is closed, the next file that is opened gets its number, and output for the
   stream would go into that file. Replace each closed stream by one that can neither be read nor be
   written. */
static void hold_standard_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			_exit(status_exit_code(ST_OUTPUT));
}

static enum status print_help(const struct options *o, struct diag_log *log)
{
	struct sink *out;
	struct strbuf inflate = STRBUF_INIT;
	TRY(sink_open("-", false, &out, log));
	inflate_version(&inflate);
	if (o->version)
		sink_printf(out, "gpugate %s (json-c %s, %s, libyaml %s)\n", GPUGATE_VERSION,
		            json_c_version(), strbuf_str(&inflate), yaml_get_version_string());
	else
		options_help(o, out);
	strbuf_release(&inflate);
	return sink_commit(out, log);
}

uint64_t cli_memory_limit(const struct options *o)
{
	int64_t given = options_size(o, OPT_MAX_MEMORY, 0);
	return given > 0 ? (uint64_t)given : machine_memory() / 4 * 3;
}

/* For each report that the command can write, and for which no option gives a path, set the path to
   that of a file in the folder of --reports. */
static enum status name_reports(struct options *o, struct diag_log *log)
{
	const char *folder = o->value[OPT_REPORTS];
	if (!folder)
		return ST_OK;
	TRY(sink_make_folders(arena_printf(&log->arena, "%s/.", folder), log));
	if (access(arena_printf(&log->arena, "%s/.", folder), W_OK) < 0)
		return diag_fail(log, ST_OUTPUT, "--reports %s: reports cannot be written there: %s",
		                 diag_quote(log, folder), strerror(errno));
	for (const struct report_format *f = report_formats; f->name; f++)
		if (f->option < NR_OPTIONS && !o->value[f->option] && options_is_for(f->option, o->command))
			o->value[f->option] = arena_printf(&log->arena, "%s/%s", folder, f->file);
	return ST_OK;
}

static enum status run_command(const struct options *o, enum status parsed, struct diag_log *log)
{
	if (parsed != ST_OK) {
		struct report r;
		report_init(&r);
		enum status st = output_failure(o, parsed, &r, log);
		report_release(&r);
		(void)st; /* an error while writing reports is ignored: the usage error takes precedence */
		return parsed;
	}
	if (o->version || o->help)
		return print_help(o, log);
	TRY(output_check(o, log));
	mem_limit(cli_memory_limit(o));
	if (o->value[OPT_SUITE] && o->command != CMD_HISTORY)
		return cmd_suite_cases(o, log);
	return commands[o->command](o, log);
}

int cli_main(int argc, char **argv)
{
	struct diag_log log;
	struct options o;
	hold_standard_streams();
	mem_on_failure(leftover_remove_all);
	mem_return_large();
	/* Writing to a closed pipe, or beyond the largest size of a file (ulimit -f), must fail with
	   exit code 5, instead of killing the process. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	diag_init(&log);
	enum status parsed = options_parse(argc, argv, &o, &log);
	enum status named = o.command == NR_COMMANDS ? ST_OK : name_reports(&o, &log);
	enum status st = run_command(&o, parsed == ST_OK ? named : parsed, &log);
	cli_print_log(&log);
	options_release(&o);
	diag_release(&log);
	return status_exit_code(st);
}

#include "cli/options.h"

#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "base/span.h"
#include "base/text.h"
#include "metric/metric.h"

static const struct command_row {
	const char *name, *args;
	int fewest, most;
	const char *meaning;
} commands[NR_COMMANDS] = {
#define X(id, name, args, fewest, most, meaning) { name, args, fewest, most, meaning },
	COMMAND_ROWS(X)
#undef X
};

static const struct option_row {
	const char *name, *arg;
	unsigned commands;
	const char *meaning;
} rows[NR_OPTIONS] = {
#define X(id, name, arg, on, meaning) { name, arg, on, meaning },
	OPTION_ROWS(X)
#undef X
};

static const struct {
	const char *name;
	enum command command;
	const char *now;
	int implied;
} old_names[] = {
#define X(id, name, command, now, implied) [OLD_##id] = { name, command, now, implied },
	OLD_COMMAND_ROWS(X)
#undef X
};
enum { NR_OLD = NR_OF(old_names) };

enum { HELP_WIDTH = 26 };

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static enum status unknown(struct diag_log *log, const char *what, const char *of, struct span word,
                           const char *near)
{
	const char *quoted = text_quote(&log->arena, word);
	if (near)
		return diag_fail(log, ST_USAGE, "unknown %s %s; did you mean '%s'?", what, quoted, near);
	return diag_fail(log, ST_USAGE, "unknown %s %s; 'gpugate %s--help' lists them", what, quoted,
	                 of);
}

static const char *near_command(struct span word)
{
	struct nearest near = { .word = word };
	for (int i = 0; i < NR_COMMANDS; i++) {
		if (word.n && span_starts(span_of(commands[i].name), word))
			return commands[i].name;
		nearest_try(&near, commands[i].name);
	}
	for (int i = OLD_NONE + 1; i < NR_OLD; i++) {
		const char *best = near.best;
		if (word.n && span_starts(span_of(old_names[i].name), word))
			return old_names[i].now;
		nearest_try(&near, old_names[i].name);
		near.best = near.best == best ? best : old_names[i].now;
	}
	return near.best;
}

static bool is_help(const char *word)
{
	return is(word, "--help") || is(word, "-h");
}

static bool is_version(const char *word)
{
	return is(word, "--version") || is(word, "-V");
}

/* Parse the command. Some old names of commands have two words: "baseline" and the next
   argument. */
static enum status parse_command(int argc, char **argv, int *at, struct options *out,
                                 struct diag_log *log)
{
	struct strbuf word = STRBUF_INIT;
	strbuf_adds(&word, argv[*at]);
	if (is(argv[*at], "baseline") && *at + 1 < argc && argv[*at + 1][0] != '-') {
		++*at;
		strbuf_addf(&word, " %s", argv[*at]);
	}
	++*at;
	enum status st = ST_USAGE;
	for (int i = 0; i < NR_COMMANDS; i++)
		if (strcmp(strbuf_str(&word), commands[i].name) == 0) {
			out->command = (enum command)i;
			st = ST_OK;
		}
	for (int i = OLD_NONE + 1; i < NR_OLD; i++)
		if (strcmp(strbuf_str(&word), old_names[i].name) == 0) {
			out->command = old_names[i].command;
			out->old = (enum old_command)i;
			st = ST_OK;
		}
	if (st != ST_OK)
		unknown(log, "command", "", strbuf_span(&word), near_command(strbuf_span(&word)));
	strbuf_release(&word);
	return st;
}

static bool is_numeric(const struct option_row *row)
{
	return row->arg && (is(row->arg, "N") || is(row->arg, "BYTES"));
}

/* Parse an option that begins with "--", or "-o", and its value, which may be the next argument. */
static enum status parse_option(int argc, char **argv, int *at, struct options *out,
                                struct diag_log *log)
{
	const char *word = argv[(*at)++];
	if (is_help(word)) {
		out->help = true;
		return ST_OK;
	}
	if (is_version(word)) {
		out->version = true;
		return ST_OK;
	}
	const char *equals = strchr(word, '=');
	struct span name = { word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word) - 2 };
	if (word[1] != '-')
		name = is(word, "-o") ? SPAN("output") : span_of(word);
	struct nearest near = { .word = name };
	int i = 0;
	for (; i < NR_OPTIONS && !span_eq(name, span_of(rows[i].name)); i++)
		nearest_try(&near, rows[i].name);
	if (i == NR_OPTIONS)
		return unknown(log, "option", arena_printf(&log->arena, "%s ", commands[out->command].name),
		               span_of(word),
		               near.best ? arena_printf(&log->arena, "--%s", near.best) : NULL);
	if (!(rows[i].commands & (1u << out->command)))
		return diag_fail(log, ST_USAGE,
		                 "option '--%s' is not for '%s'; 'gpugate %s --help' lists its options",
		                 rows[i].name, commands[out->command].name, commands[out->command].name);
	const char *value = "";
	if (!rows[i].arg) {
		if (equals)
			return diag_fail(log, ST_USAGE, "option '--%s' takes no value", rows[i].name);
	} else if (equals && word[1] == '-') {
		value = equals + 1;
	} else if (*at < argc) {
		value = argv[(*at)++];
	} else {
		return diag_fail(log, ST_USAGE, "option '--%s' needs a value: %s", rows[i].name,
		                 rows[i].arg);
	}
	if (rows[i].arg && !*value)
		return diag_fail(log, ST_USAGE, "option '--%s' has an empty value; give %s", rows[i].name,
		                 rows[i].arg);
	uint64_t number;
	if (is_numeric(&rows[i]) && !number_parse_u64(span_of(value), &number))
		return diag_fail(log, ST_USAGE, "option '--%s' takes a whole number, not %s", rows[i].name,
		                 diag_quote(log, value));
	if (is_numeric(&rows[i]) && number == 0 && i != OPT_RANK && i != OPT_KEEP)
		return diag_fail(log, ST_USAGE, "option '--%s' takes a number from 1 on", rows[i].name);
	int64_t size;
	if (rows[i].arg && is(rows[i].arg, "SIZE") &&
	    (!bytes_parse(span_of(value), &size) || isdigit((unsigned char)value[strlen(value) - 1])))
		return diag_fail(log, ST_USAGE, "option '--%s' takes a size such as 80GiB, not %s",
		                 rows[i].name, diag_quote(log, value));
	if (rows[i].arg && strchr(rows[i].arg, '|') && !span_is_listed(span_of(value), rows[i].arg))
		return diag_fail(log, ST_USAGE, "option '--%s' takes %s, not %s", rows[i].name, rows[i].arg,
		                 diag_quote(log, value));
	if (i == OPT_CHANGED && (is(value, "git") || strncmp(value, "git:", 4) == 0))
		i = OPT_CHANGED_FROM;
	if (i == OPT_NEW && out->command == CMD_CHECK)
		i = OPT_BOOTSTRAP;
	if (i == OPT_PRINT)
		i = OPT_VERBOSE;
	if (out->value[i] && !strstr(rows[i].meaning, "may be repeated"))
		return diag_fail(log, ST_USAGE, "option '--%s' is given twice", rows[i].name);
	vec_push(&out->all[i], value);
	out->value[i] = value;
	return ST_OK;
}

/* If the only argument is a suite file, treat it like the value of --suite. */
static void take_suite(struct options *o)
{
	const char *dot = o->args.nr == 1 ? strrchr(o->args.v[0], '.') : NULL;
	if (!dot || !(is(dot, ".yaml") || is(dot, ".yml")) || o->value[OPT_SUITE] ||
	    !options_is_for(OPT_SUITE, o->command))
		return;
	o->value[OPT_SUITE] = o->args.v[0];
	o->args.nr = 0;
}

static enum status count_args(const struct options *o, struct diag_log *log)
{
	const struct command_row *c = &commands[o->command];
	if ((o->value[OPT_RUNS] && !o->value[OPT_SUITE] && o->command != CMD_SUITE) ||
	    (o->value[OPT_CASE] && !o->value[OPT_SUITE]))
		return diag_fail(log, ST_USAGE,
		                 "--runs and --case are of the cases of a suite: name the suite file");
	if (o->value[OPT_SUITE]) {
		if (o->args.nr)
			return diag_fail(log, ST_USAGE, "'%s' takes runs or a suite file, not both", c->name);
		return ST_OK;
	}
	if ((int)o->args.nr < c->fewest)
		return diag_fail(log, ST_USAGE, "'%s' needs %s; 'gpugate %s --help' says more", c->name,
		                 c->args, c->name);
	if (c->most >= 0 && (int)o->args.nr > c->most)
		return diag_fail(log, ST_USAGE, "too many arguments for '%s': %s", c->name,
		                 diag_quote(log, o->args.v[c->most]));
	return ST_OK;
}

enum status options_parse(int argc, char **argv, struct options *out, struct diag_log *log)
{
	*out = (struct options){ .command = NR_COMMANDS };
	enum status st = ST_OK;
	bool only_args = false;
	int at = 1;
	while (at < argc) {
		enum status one = ST_OK;
		const char *word = argv[at];
		if (!only_args && is(word, "--")) {
			only_args = true;
			at++;
		} else if (!only_args && word[0] == '-' && word[1]) {
			if (out->command == NR_COMMANDS && !is_help(word) && !is_version(word))
				return diag_fail(log, ST_USAGE,
				                 "a command comes first; 'gpugate --help' lists them");
			one = parse_option(argc, argv, &at, out, log);
		} else if (out->command == NR_COMMANDS && (is(word, "help") || is(word, "version"))) {
			out->help |= is(word, "help");
			out->version |= is(word, "version");
			at++;
		} else if (out->command == NR_COMMANDS) {
			TRY(parse_command(argc, argv, &at, out, log));
		} else {
			vec_push(&out->args, argv[at++]);
		}
		st = st == ST_OK ? one : st; /* parsing goes on after an error, since paths of reports
		                                may follow */
	}
	TRY(st);
	if (out->help || out->version)
		return ST_OK;
	if (out->command == NR_COMMANDS)
		return diag_fail(log, ST_USAGE, "no command; 'gpugate --help' lists them");
	if (out->old) {
		diag_note(log, "'%s' is an old name of '%s'", old_names[out->old].name,
		          old_names[out->old].now);
		if (old_names[out->old].implied < NR_OPTIONS)
			out->value[old_names[out->old].implied] = "";
	}
	take_suite(out);
	return count_args(out, log);
}

void options_words(const struct options *o, enum command cmd, struct arena *a, struct texts *out)
{
	for (int i = 0; i < NR_OPTIONS; i++) {
		const char *name = arena_printf(a, "--%s", rows[i].name);
		if (!o->value[i] || !(rows[i].commands & 1u << cmd) || i == OPT_BASELINE ||
		    i == OPT_WORKLOAD || i == OPT_REPEAT || i == OPT_JOBS)
			continue;
		for (size_t k = 0; k < 1 || k < o->all[i].nr; k++) {
			vec_push(out, name);
			if (rows[i].arg)
				vec_push(out, o->all[i].nr > 1 ? o->all[i].v[k] : o->value[i]);
		}
	}
}

void options_release(struct options *o)
{
	for (int i = 0; i < NR_OPTIONS; i++)
		vec_release(&o->all[i]);
	vec_release(&o->args);
}

bool options_is_for(enum option opt, enum command cmd)
{
	return rows[opt].commands & (1u << cmd);
}

uint64_t options_u64(const struct options *o, enum option opt, uint64_t absent)
{
	uint64_t v = absent;
	if (o->value[opt])
		number_parse_u64(span_of(o->value[opt]), &v);
	return v;
}

int64_t options_size(const struct options *o, enum option opt, int64_t absent)
{
	int64_t v = absent;
	if (o->value[opt])
		bytes_parse(span_of(o->value[opt]), &v);
	return v;
}

static void help_options(enum command command, struct sink *out)
{
	size_t next = 0;
	const char *title = NULL; /* title of the group, if it is still to be printed; else NULL */
	for (int i = 0; i < NR_OPTIONS; i++) {
		if (next < NR_OF(option_groups) && (int)option_groups[next].first == i)
			title = option_groups[next++].title;
		if (!option_shown(rows[i].commands, rows[i].meaning, (int)command))
			continue;
		if (title)
			sink_printf(out, "\n%s:\n", title);
		title = NULL;
		struct strbuf b = STRBUF_INIT;
		strbuf_addf(&b, "--%s%s%s", rows[i].name, rows[i].arg ? " " : "",
		            text_or_empty(rows[i].arg));
		bool wide = b.n > HELP_WIDTH;
		sink_printf(out, "  %-*s%s%s\n", wide ? 0 : HELP_WIDTH, strbuf_str(&b),
		            wide ? "\n                             " : " ", rows[i].meaning);
		strbuf_release(&b);
	}
}

static void help_command(const struct command_row *c, struct sink *out)
{
	sink_printf(out, "usage: gpugate %s%s%s [options]\n\n%s\n", c->name, *c->args ? " " : "",
	            c->args, c->meaning);
	for (size_t i = 0; i < NR_OF(argument_rows); i++)
		if (strstr(c->args, argument_rows[i].word))
			sink_printf(out, "\n%s\n", argument_rows[i].meaning);
	help_options((enum command)(c - commands), out);
}

static void help_commands(struct sink *out)
{
	sink_puts(out, "\ncommands:\n");
	for (int i = 0; i < NR_COMMANDS; i++) {
		struct strbuf b = STRBUF_INIT;
		strbuf_addf(&b, "%s %s", commands[i].name, commands[i].args);
		sink_printf(out, "  %-26s %s\n", strbuf_str(&b), commands[i].meaning);
		strbuf_release(&b);
	}
}

void options_help(const struct options *o, struct sink *out)
{
	if (o->command != NR_COMMANDS) {
		help_command(&commands[o->command], out);
		return;
	}
	sink_puts(
	    out,
	    "usage: gpugate COMMAND [arguments] [options]\n\n"
	    "A regression gate for GPU runs: reads PyTorch profiler traces and CUDA memory\n"
	    "snapshots, compares them with a stored baseline under rules, and answers with an exit\n"
	    "code and reports. First look at a run with 'report', write rules for it with 'init',\n"
	    "make it the baseline with 'approve', and from then on 'check' later runs.\n");
	help_commands(out);
	sink_puts(out, "\n'gpugate COMMAND --help' lists its options, 'gpugate --version' "
	               "the versions.\n\nexit codes:\n");
	static const enum status codes[] = { ST_OK,    ST_FAILED,   ST_USAGE,
		                                 ST_INPUT, ST_BASELINE, ST_OUTPUT };
	for (size_t i = 0; i < NR_OF(codes); i++)
		sink_printf(out, "  %d  %s\n", status_exit_code(codes[i]), status_text(codes[i]));
	sink_puts(out, "\noptions for special cases, beside those that the help of a command lists:\n");
	help_options(CMD_HELP, out);
}

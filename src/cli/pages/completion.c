/* Completions for three shells: a function for each shell writes the tables in its syntax. */
#include "pages/pages.h"

#include <string.h>

#define EACH_COMMAND                              \
	const struct page_command *c = page_commands; \
	c < page_commands + NR_COMMANDS;              \
	c++
#define EACH_OPTION                             \
	const struct page_option *o = page_options; \
	o < page_options + NR_OPTIONS;              \
	o++

static bool has(const struct page_command *c, const struct page_option *o)
{
	return page_takes((int)(c - page_commands), o);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion of gpugate, made from the table of its options\n"
    "_gpugate()\n"
    "{\n"
    "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "\tlocal command=${COMP_WORDS[1]} words='' options='' files=''\n"
    "\tCOMPREPLY=()\n"
    "\tif [[ $word == = ]]; then # --option=value are three words\n"
    "\t\tword=''\n"
    "\telif [[ $before == = ]]; then\n"
    "\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n"
    "\tfi\n"
    "\t((COMP_CWORD > 1)) || command=''\n"
    "\tcase $command in\n";
static const char bash_tail[] = "\t*) [[ $word == -* ]] && words=$options files='' ;;\n"
                                "\tesac\n"
                                "\t[[ $files ]] && return # bash itself completes files\n"
                                "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                                "\tcompopt +o default\n"
                                "}\n"
                                "complete -o default -F _gpugate gpugate\n";

static void bash_command(FILE *out, const struct page_command *c)
{
	enum page_value value = page_arguments(c);
	fprintf(out, "\t'%s')\n\t\toptions='--help", c->name);
	for (EACH_OPTION)
		if (has(c, o))
			fprintf(out, "%s --%s", page_short(o) ? " -o" : "", o->name);
	fprintf(out, "' files='%s' words='", value == VALUE_FILE ? "yes" : "");
	page_words(out, value, c->args);
	fputs("'\n\t\t;;\n", out);
}

void page_bash(FILE *out)
{
	fprintf(out, "%s\t'') words='--help --version version", bash_head);
	for (EACH_COMMAND)
		fprintf(out, " %s", c->name);
	fputs("' ;;\n", out);
	for (EACH_COMMAND)
		bash_command(out, c);
	fputs("\tesac\n\tcase $before in\n", out);
	for (EACH_OPTION) {
		enum page_value value = page_value(o);
		if (value == VALUE_NONE)
			continue;
		fprintf(out, "\t%s--%s) files='%s' words='", page_short(o) ? "-o | " : "", o->name,
		        value == VALUE_FILE ? "yes" : "");
		page_words(out, value, o->arg);
		fputs("' ;;\n", out);
	}
	fputs(bash_tail, out);
}

/* ---- zsh ---- */

static const char zsh_head[] = "#compdef gpugate\n"
                               "# zsh completion of gpugate, made from the table of its options\n"
                               "_gpugate() {\n"
                               "\tlocal command=$words[2]\n"
                               "\tlocal -a commands\n";
static const char zsh_middle[] = "\tif ((CURRENT == 2)); then\n"
                                 "\t\t_describe command commands\n"
                                 "\t\treturn\n"
                                 "\tfi\n"
                                 "\tshift words\n"
                                 "\t((CURRENT--))\n"
                                 "\tcase $command in\n";
static const char zsh_tail[] = "\tesac\n"
                               "}\n"
                               "_gpugate \"$@\"\n";

/* Write a text with quotes and brackets escaped: it may then be within '…', within [ ] or before a
   colon. */
static void zsh_text(FILE *out, const char *s)
{
	static const char *const to[] = { "'\\''", "\\[", "\\]", "\\:" };
	page_put(out, s, "'[]:", to);
}

static void zsh_action(FILE *out, enum page_value value, const char *arg)
{
	if (value == VALUE_FILE)
		fputs("_files", out);
	if (value != VALUE_WORDS && value != VALUE_METRIC)
		return;
	fputc('(', out);
	page_words(out, value, arg);
	fputc(')', out);
}

static void zsh_option(FILE *out, const struct page_option *o)
{
	enum page_value value = page_value(o);
	fputs(" \\\n\t\t\t", out);
	if (page_short(o))
		fprintf(out, "'(-o --%s)'{-o+,--%s=}'[", o->name, o->name);
	else
		fprintf(out, "'%s--%s%s[", strstr(o->meaning, "may be repeated") ? "*" : "", o->name,
		        o->arg ? "=" : "");
	zsh_text(out, o->meaning);
	fputc(']', out);
	if (o->arg) {
		fprintf(out, ":%s:", value == VALUE_WORDS ? o->name : o->arg);
		zsh_action(out, value, o->arg);
	}
	fputc('\'', out);
}

static void zsh_command(FILE *out, const struct page_command *c)
{
	enum page_value value = page_arguments(c);
	fprintf(out, "\t'%s')\n\t\t_arguments '--help[what the command is for, and its options]'",
	        c->name);
	for (EACH_OPTION)
		if (has(c, o))
			zsh_option(out, o);
	if (value != VALUE_NONE) {
		fprintf(out, " \\\n\t\t\t'*:%s:", c->args);
		zsh_action(out, value, c->args);
		fputc('\'', out);
	}
	fputs("\n\t\t;;\n", out);
}

void page_zsh(FILE *out)
{
	fputs(zsh_head, out);
	fputs("\tcommands=(", out);
	for (EACH_COMMAND) {
		fprintf(out, "\n\t\t'%s:", c->name);
		zsh_text(out, c->meaning);
		fputc('\'', out);
	}
	fputs(")\n\tcommands+=(version --help --version)\n", out);
	fputs(zsh_middle, out);
	for (EACH_COMMAND)
		zsh_command(out, c);
	fputs(zsh_tail, out);
}

/* ---- fish ---- */

static const char fish_head[] =
    "# fish completion of gpugate, made from the table of its options\n"
    "function __gpugate_at -d 'the command on the line is one of these'\n"
    "\tset -l words (commandline -opc)\n"
    "\tset -l command $words[2]\n"
    "\tcontains -- \"$command\" $argv\n"
    "end\n"
    "complete -c gpugate -f\n"
    "complete -c gpugate -l help -d 'what the command is for, and its options'\n"
    "complete -c gpugate -n \"__gpugate_at ''\" -l version -d 'versions'\n"
    "complete -c gpugate -n \"__gpugate_at ''\" -a version\n";

static void fish_meaning(FILE *out, const char *s)
{
	static const char *const to[] = { "\\'" };
	fputs(" -d '", out);
	page_put(out, s, "'", to);
	fputs("'\n", out);
}

static void fish_command(FILE *out, const struct page_command *c)
{
	enum page_value value = page_arguments(c);
	fprintf(out, "complete -c gpugate -n \"__gpugate_at ''\" -a %s", c->name);
	fish_meaning(out, c->meaning);
	if (value == VALUE_NONE)
		return;
	fprintf(out, "complete -c gpugate -n \"__gpugate_at '%s'\" %s", c->name,
	        value == VALUE_FILE ? "-F" : "-a '");
	page_words(out, value, c->args);
	fputs(value == VALUE_FILE ? "\n" : "'\n", out);
}

static void fish_option(FILE *out, const struct page_option *o)
{
	enum page_value value = page_value(o);
	fputs("complete -c gpugate -n \"__gpugate_at", out);
	for (EACH_COMMAND)
		if (has(c, o))
			fprintf(out, " '%s'", c->name);
	fprintf(out, "\" -l %s%s%s", o->name, page_short(o) ? " -s o" : "",
	        value == VALUE_NONE   ? ""
	        : value == VALUE_FILE ? " -rF"
	                              : " -x -a '");
	page_words(out, value, o->arg);
	fputs(value == VALUE_NONE || value == VALUE_FILE ? "" : "'", out);
	fish_meaning(out, o->meaning);
}

void page_fish(FILE *out)
{
	fputs(fish_head, out);
	for (EACH_COMMAND)
		fish_command(out, c);
	for (EACH_OPTION)
		fish_option(out, o);
}

/// Manual pages and shell completions: written at build by a program of its own, from the
/// tables of the command line. It links no room, so that a cross build compiles it for the host.
#ifndef GG_PAGES_PAGES_H
#define GG_PAGES_PAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"

struct page_command {
	const char *name, *args, *meaning;
};

struct page_option {
	const char *name, *arg;
	unsigned commands;
	const char *meaning;
};

/// What comes in the place of an argument or of an option's value.
enum page_value { VALUE_NONE, VALUE_FILE, VALUE_WORDS, VALUE_METRIC, VALUE_FREE };

extern const struct page_command page_commands[NR_COMMANDS];
extern const struct page_option page_options[NR_OPTIONS];

/// Kinds of the arguments of a command.
enum page_value page_arguments(const struct page_command *c);

/// Kind of the value of an option.
enum page_value page_value(const struct page_option *o);

/// True where command `c` takes option `o`.
bool page_takes(int c, const struct page_option *o);

/// True where the option has the short form -o.
bool page_short(const struct page_option *o);

/// True where the option may be given several times.
bool page_repeats(const struct page_option *o);

/// Write `s`; for each character of `from` stands the string of `to` at its place.
void page_put(FILE *out, const char *s, const char *from, const char *const *to);

/// Write the words of a|b|c or, of VALUE_METRIC, of all metrics, with a space between.
void page_words(FILE *out, enum page_value value, const char *words);

/// gpugate.1 where `c` is NR_COMMANDS, else the page of one command.
void page_man(FILE *out, int c, const char *version, const char *date);

/// Completion for bash.
void page_bash(FILE *out);

/// Completion for zsh.
void page_zsh(FILE *out);

/// Completion for fish.
void page_fish(FILE *out);

#endif

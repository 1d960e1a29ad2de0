/// Manual pages and shell completions. A separate program writes them at build time from the tables
/// of the command line. It links no code of other folders of src/: a cross build can therefore
/// compile it for the host.
#ifndef GG_PAGES_PAGES_H
#define GG_PAGES_PAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"

/// A command as manual pages and completions show it; texts are static.
struct page_command {
	const char *name, *args, *meaning;
};

/// An option as manual pages and completions show it; texts are static.
struct page_option {
	const char *name, *arg;
	unsigned commands; ///< a bit for each command that takes the option
	const char *meaning;
};

/// What an argument, or the value of an option, can be.
enum page_value { VALUE_NONE, VALUE_FILE, VALUE_WORDS, VALUE_METRIC, VALUE_FREE };

extern const struct page_command page_commands[NR_COMMANDS];
extern const struct page_option page_options[NR_OPTIONS];

/// Kind of the arguments of a command.
enum page_value page_arguments(const struct page_command *c);

/// Kind of the value of an option.
enum page_value page_value(const struct page_option *o);

/// True if the help of command `c` shows option `o` (option_shown()).
bool page_takes(int c, const struct page_option *o);

/// True if the option has a short form such as -o.
bool page_short(const struct page_option *o);

/// Write `s`. Each character that is in `from` is replaced by the string in `to` with the same
/// index.
void page_put(FILE *out, const char *s, const char *from, const char *const *to);

/// Write a list with blanks between the words: for VALUE_METRIC the names of all metrics, for
/// VALUE_WORDS the words of `words`, in which '|' separates them. Writes nothing for other values.
void page_words(FILE *out, enum page_value value, const char *words);

/// Write the manual page of command number `c` or, if `c` is NR_COMMANDS, of gpugate as a whole.
void page_man(FILE *out, int c, const char *version, const char *date);

/// Write the completion for bash.
void page_bash(FILE *out);

/// Write the completion for zsh.
void page_zsh(FILE *out);

/// Write the completion for fish.
void page_fish(FILE *out);

#endif

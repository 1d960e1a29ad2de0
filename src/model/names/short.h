/// Names of kernels and of other items: display names, the shortest forms that distinguish the
/// kernels of a report; the words in which names differ; demangling; and which names a text of a
/// user means.
#ifndef GG_NAMES_SHORT_H
#define GG_NAMES_SHORT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/vec.h"

/// The forms of the name of a kernel.
struct short_name {
	const char *whole; ///< whole name of the kernel, borrowed
	const char *plain; ///< the name as C++ has it: `whole`, or what it is mangled from
	const char *shortest; ///< the shortest form of the name, which other kernels may share
	const char *text; ///< short name, which reports show
	const char *cut; ///< whole name as messages cut it (MESSAGE_CHARS)
	int form; ///< number of the form of the short name; shorter forms have lower numbers
};

/// The names of all kernels of a report.
struct short_names {
	struct arena arena; ///< arena that owns the texts
	VEC(struct short_name) list; ///< names; after short_names_end() sorted by `whole`, each once
};

enum {
	NR_SHORT_FORMS = 4,
	MESSAGE_CHARS = 60, ///< largest number of characters of a name in a message
};

/// The name of a kernel in form `i` of NR_SHORT_FORMS, of which short_names_end() takes the first
/// that no other kernel has; the last names everything but namespaces and parameters. Owned by `a`,
/// or `whole` itself.
const char *short_name_form(struct arena *a, const char *whole, int i);

/// Adds the name of a kernel, which is borrowed; NULL and "" are ignored.
void short_names_add(struct short_names *s, const char *whole);

/// Chooses the short text of each name; no two names get the same text.
void short_names_end(struct short_names *s);

/// The short name that is shown for `whole`; NULL if `whole` was not added.
const char *short_names_find(const struct short_names *s, const char *whole);

/// Releases all memory of the names.
void short_names_release(struct short_names *s);

/// True if one of the words of the name, which are letters and digits, is `word`.
bool name_has_word(const char *name, struct span word);

/// Appends " [512 4]": words of `own` of which each of the other `nr` names of `all` lacks at least
/// one. Returns false, with nothing appended, if that takes more than four words, or if a name has
/// all words of `own`. `own` must be one of `all`, by its address.
bool names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr);

/// The name of the function `mangled` ("_Z…") with its template arguments, without return type and
/// parameters; owned by `a`. NULL if `mangled` is not such a name, or if it has a part that this
/// function does not know.
const char *demangle(struct span mangled, struct arena *a);

/// How a text names an item, the best last. Items that it names less well than another item of the
/// runs are not meant: where an item is called so, a name with `*` is not a pattern.
enum name_fit {
	FIT_NONE,
	FIT_FORM_PATTERN, ///< the text is a pattern that a form of the kernel's name matches
	FIT_PATTERN, ///< the text is a pattern with `*` and `?` that the name matches
	FIT_CUT, ///< reports cut the middle out of the name so
	FIT_CUT_FORM, ///< reports cut the middle out of a form of the kernel's name so
	FIT_FORM, ///< reports show the kernel by this text, the shortest of the forms of its name
	FIT_LONGEST = FIT_FORM + NR_SHORT_FORMS - 1, ///< the same, by the longest of its forms
	FIT_SHOWN, ///< the text is the name on one line, or has its hash
	FIT_WHOLE, ///< the text is the name
};

/// How `asked` names the item `name`. `function`: the item is a kernel or a function, which reports
/// show by a display name (names/short.h).
enum name_fit name_fit(struct span asked, struct span name, bool function);

#endif

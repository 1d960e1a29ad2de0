/// Names of kernels and of other items. The display name of a kernel is the shortest form of its
/// name that distinguishes it from the other kernels of a report. This header also declares
/// functions that demangle names, find words in which names differ, and decide whether a user's
/// text means a name.
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
	const char *plain; ///< demangled name; equal to `whole` if `whole` is not mangled
	const char *shortest; ///< the shortest form of the name, which other kernels may share
	const char *text; ///< short name, which reports show
	const char *cut; ///< whole name, cut to MESSAGE_CHARS characters for messages
	int form; ///< number of the form that `text` has, in the order in which forms are tried
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

/// The name of a kernel in form number `i`; the forms are numbered from the shortest to the
/// longest. short_names_end() takes the first form that no other kernel has. The last form shows
/// everything except namespaces and parameters. Owned by `a`, or `whole` itself.
const char *short_name_form(struct arena *a, const char *whole, int i);

/// Adds the name of a kernel, which is borrowed; NULL and "" are ignored.
void short_names_add(struct short_names *s, const char *whole);

/// Chooses the short text of each name; no two names get the same text.
void short_names_end(struct short_names *s);

/// The short name that is shown for `whole`; NULL if `whole` was not added.
const char *short_names_find(const struct short_names *s, const char *whole);

/// Releases the short texts, but not the names, which are borrowed.
void short_names_release(struct short_names *s);

/// True if `word` is one of the words of the name. Words consist of letters and digits.
bool name_has_word(const char *name, struct span word);

/// Appends words of the name `own` that distinguish it from the other names, such as " [512 4]":
/// each of the other names lacks at least one of these words. False, with nothing appended, if more
/// than four words are needed, or if another name has all words of `own`. `own` must be one of the
/// `nr` pointers in `all`.
bool names_add_apart(struct strbuf *b, const char *own, const char *const *all, size_t nr);

/// The name of the function `mangled` ("_Z…") with its template arguments, without return type and
/// parameters; owned by `a`. NULL if `mangled` is not such a name, or if it has a part that this
/// function does not know.
const char *demangle(struct span mangled, struct arena *a);

/// How well a text fits the name of an item, from worst to best. The text selects only the items
/// that it fits best: if an item has the name "a*", the text "a*" selects only that item, and is
/// not used as a pattern.
enum name_fit {
	FIT_NONE,
	FIT_FORM_PATTERN, ///< the text is a pattern that a form of the kernel's name matches
	FIT_PATTERN, ///< the text is a pattern with `*` and `?` that the name matches
	FIT_CUT, ///< the text is the name with its middle cut out, as reports show long names
	FIT_CUT_FORM, ///< the text is a form of the kernel's name with its middle cut out
	FIT_FORM, ///< the text is the shortest form of the kernel's name
	FIT_LONGEST = FIT_FORM + NR_SHORT_FORMS - 1, ///< the text is the longest form of the kernel's
	                                             ///< name
	FIT_SHOWN, ///< the text is the name as reports show it on one line, or ends with the hash of
	           ///< the name
	FIT_WHOLE, ///< the text is the name
};

/// How well `asked` fits the item `name`. `function`: true for a kernel or another function, which
/// reports show by a form of its name (short_name_form()).
enum name_fit name_fit(struct span asked, struct span name, bool function);

#endif

/// Which names a text in a rule means: the user wrote it, or took it from a report.
#ifndef GG_NAMES_FIT_H
#define GG_NAMES_FIT_H

#include <stdbool.h>

#include "base/span.h"
#include "names/short.h"

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

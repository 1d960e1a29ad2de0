/// The formats that a file of a run may have: one row each.
#ifndef GG_CLI_ARTIFACT_FORMAT_H
#define GG_CLI_ARTIFACT_FORMAT_H

#include "cli/load_internal.h"
#include "read/recognise.h"

enum { ENDINGS_MAX = 3 };

/// A format. A file is recognized by any of `schema`, `form` and `recognise`; if a row has none of
/// them, by its endings; a row without endings takes whatever is left.
struct artifact_format {
	const char *name; ///< also of its fuzz target, tests/fuzz/fuzz_NAME.c
	const char *schema; ///< what this program wrote: how its "schema" begins, with the first quote
	enum json_form form; ///< what JSON looks like, even if the whole file must be read to see it
	bool (*recognise)(struct span first); ///< by the first bytes, without leading blanks
	bool (*recognise_blanks)(struct span first); ///< the same, by leading blanks; enough by itself
	const char *endings[ENDINGS_MAX]; ///< parts of file names: such a file is not a log or marker

	/// Reads the source and adds what it holds by artifact_add(); NULL: the format is refused.
	enum status (*load)(const struct loader *l, struct source *src, struct artifact_file *file);
	bool ahead; ///< inflate gzip by a thread of its own
	bool is_unsafe; ///< refused unless --allow-pickle is given
	bool is_guess; ///< load() may find that it is another JSON
	bool or_result; ///< unless a format of result files fits
	bool is_recording; ///< gpugate init takes such a file for a recorded run
	const char *refusal; ///< what stands behind "FILE: " if it is refused
};

/// Read `src` as the state of GPUs beside a run and add it; `*found` false if it is not one.
GG_MUST_CHECK enum status artifact_load_machine(const struct loader *l, struct source *src,
                                                struct artifact_file *file, bool *found);

/// Read `src` as a result file and add what it holds; `*found` false if no format of these fits.
GG_MUST_CHECK enum status artifact_load_result(const struct loader *l, struct source *src,
                                               struct artifact_file *file, bool *found);

/// All formats, the first that fits counts; ended by a row without a name; static.
extern const struct artifact_format artifact_formats[];

/// The format of a file called `name` that begins with `first` (source_peek()); never NULL.
const struct artifact_format *artifact_format_find(struct span first, const char *name);

/// The format of JSON that looks like `form`, which is not JSON_OTHER.
const struct artifact_format *artifact_format_of(enum json_form form);

#endif

/// The formats that files of a run can have, how the format of a file is recognized, and how the
/// context of a run is read: facts that no artifact contains (model, batch_size, …).
#ifndef GG_CLI_ARTIFACT_FORMAT_H
#define GG_CLI_ARTIFACT_FORMAT_H

#include "base/diag.h"
#include "cli/load_internal.h"
#include "cli/options.h"
#include "model/digest.h"
#include "read/recognize.h"

/// Largest number of file name endings of one format.
enum { ENDINGS_MAX = 3 };

/// A format. A file has it if `schema`, `form`, `recognize` or `recognize_blanks` fits. If these
/// four are unset, the file's ending decides. A row that does not have endings either fits every
/// file that no earlier row fits.
struct artifact_format {
	const char *name; ///< name of the format; one with `load` has the fuzz target
	                  ///< tests/fuzz/fuzz_NAME.c
	const char *schema; ///< beginning of the value of the JSON key "schema", including the
	                    ///< quotation mark
	enum json_form form; ///< shape that the file's JSON must have
	bool (*recognize)(struct span first); ///< true if a file has the format, judged by its first
	                                      ///< bytes after leading blanks

	/// like `recognize`, but leading blanks are not skipped, since they are data in a binary file
	bool (*recognize_blanks)(struct span first);
	/// endings (or other parts) of the names of such artifacts, which distinguish them from logs in
	/// their directory
	const char *endings[ENDINGS_MAX];

	/// Reads the source and adds what it contains by artifact_add(); NULL: the format is refused.
	enum status (*load)(const struct loader *l, struct source *src, struct artifact_file *file);
	bool ahead; ///< true: gzip is decompressed in a thread of its own
	bool is_guess; ///< true: the file may turn out to be other JSON when load() reads it
	bool or_result; ///< true: the file is first tried as a result file
	bool is_recording; ///< true: a file that fits is certainly a recording or a digest
	const char *refusal; ///< message after "FILE: " if the format is refused
};

/// Read `src` as a record of the state of GPUs during a run and add its figures; `*found` is false
/// if `src` is another kind of file.
GG_MUST_CHECK enum status artifact_load_machine(const struct loader *l, struct source *src,
                                                struct artifact_file *file, bool *found);

/// Read `src` as a result file and add its figures; `*found` is false if no format fits.
GG_MUST_CHECK enum status artifact_load_result(const struct loader *l, struct source *src,
                                               struct artifact_file *file, bool *found);

/// The lines of rules that would read the file at `path` as a result file, owned by `a`; NULL if it
/// has no figure. `*out` then has these rules, else it stays as it is.
const char *artifact_propose(const char *path, struct result_formats *out, struct arena *a);

/// Read JSON or a table that no known format fits, by a format made from its own keys or columns,
/// and add its figures. `src` and `again` have the same bytes. `*found` is false if no format could
/// be made.
GG_MUST_CHECK enum status artifact_load_plain(const struct loader *l, struct source *src,
                                              struct source *again, struct artifact_file *file,
                                              bool *found);

/// All formats; the last row has no name. The first format that fits a file is used. Static.
extern const struct artifact_format artifact_formats[];

/// The format of a file `name` that begins with `first` (see source_peek()); never NULL.
const struct artifact_format *artifact_format_find(struct span first, const char *name);

/// The format of the file `path` if its content is a recording or a digest, else NULL.
const struct artifact_format *artifact_recording(const char *path);

/// True if the file `path` is a stored baseline.
bool artifact_is_baseline(const char *path);

/// The format of JSON with the shape `form`, which must not be JSON_OTHER.
const struct artifact_format *artifact_format_of(enum json_form form);

#define CONTEXT_YAML "run.yaml"
#define CONTEXT_JSON "run.json"

/// True if a file called CONTEXT_JSON is a trace, a snapshot or a file of gpugate instead.
bool context_is_artifact(const char *path);

/// Check that every --context is KEY=VALUE with a usable key and value; ST_USAGE if not.
GG_MUST_CHECK enum status context_check(const struct options *cli, struct diag_log *log);

/// Set the environment keys of the digest `d` from the file run.yaml or run.json in the folder of
/// the artifact `path`, and then from --context (already checked), which takes precedence. ST_USAGE
/// if a file is unusable.
GG_MUST_CHECK enum status context_apply(const struct options *cli, const char *path,
                                        struct digest *d, struct diag_log *log);

/// True if the artifact's folder has a file that context_apply() would use.
bool context_may_be_beside(const char *artifact);

#endif

/// Reads files that benchmarks write, as a table of formats describes them.
#ifndef GG_RESULTS_RESULT_FILE_H
#define GG_RESULTS_RESULT_FILE_H

#include "base/strbuf.h"
#include "io/source.h"
#include "metric/result_format.h"
#include "model/digest.h"

/// Largest number of figures in a file; successive values with one name count as one figure.
enum { RESULT_FIGURES_MAX = 10000 };

/// True if `first`, the first bytes of a file, may be those of a result file: text that is not a
/// trace. The rest of the file decides.
bool result_recognize(struct span first);

/// True for a key of traces, snapshots and other recordings that no result file has in its
/// outermost object.
bool result_is_foreign(struct span key);

/// Like result_recognize(), but decides by the keys in `src`, which is read as far as needed: false
/// if result_is_foreign() is true for a key of its outermost object, or of the first element of a
/// list, or if the list is empty.
bool result_sniff(struct source *src);

/// Tables of formats in the order in which they are tried, ended by NULL, and the file to read.
struct result_reader {
	const struct result_formats *const *tables;
	const char *path; ///< path of the file
	const char *file; ///< name of the file, without directories
};

/// Reads all figures of `src` into d->inputs, and sets d->source_hash. `*found` is set if a format
/// fits, and after an error; else no message is written, and the file may be of another kind.
/// ST_INPUT, with a message that names file and figure, if a figure cannot be read, if a condition
/// is not met, or if there is no figure.
GG_MUST_CHECK enum status result_read(struct source *src, const struct result_reader *r,
                                      struct digest *d, bool *found, struct diag_log *log);

/// Formats of a file: one, or several that describe it together.
struct result_known {
	VEC(const struct result_format *) list;
};

/// Lists the formats by which result_read() reads `src`, borrowed from r->tables; the list is empty
/// if none fits. A format without `only` that takes no record is not listed. The caller releases
/// the list in any case. ST_INPUT if the file cannot be read.
GG_MUST_CHECK enum status result_known_list(struct source *src, const struct result_reader *r,
                                            struct result_known *out, struct diag_log *log);

/// For a file that nothing could read: if it has several JSON values, such as JSON lines, `*found`
/// is set, and the result is ST_INPUT. The message says where the values are cut or mixed with
/// other text, or else how to find the format that would read them.
GG_MUST_CHECK enum status result_refuse_lines(struct source *src, bool *found,
                                              struct diag_log *log);

/// Largest number of measured figures in a metrics file, which is a JSON object of numbers.
enum { INPUTS_MAX = 1000 };

/// True if `first`, the first bytes of an input, begins like a metrics file: a JSON object with at
/// least one number, without lists and without keys of recordings. An object that is not complete
/// must have only numbers so far.
bool metrics_recognize(struct span first);

/// Reads all figures of a metrics file into d->inputs, and sets d->source_hash. ST_INPUT, with a
/// message that names byte and key, if a value is neither a number nor a text of a number with a
/// unit, if it has more than 18 significant digits, if it says that the run failed, or if a key is
/// invalid or occurs twice. Values that say that nothing was measured, such as null, are left out
/// with a warning; it is ST_INPUT if nothing else is there. `*other` is set if the error may mean
/// that the file is of another kind.
GG_MUST_CHECK enum status inputs_read(struct source *src, struct digest *d, bool *other,
                                      struct diag_log *log);

/// Largest number of GPUs in a file that machine_read() reads.
enum { MACHINE_GPUS_MAX = 256 };

/// Reads samples of clocks, power and temperature of GPUs into d->machines, facts such as the
/// driver into the environment (machine.*), and sets d->source_hash. `*found` is set if `src` is
/// such a file, and after an error; else no message is written. ST_INPUT if the file is damaged or
/// beyond the limits. The last line of the recorder's file may be cut short.
/// **Source:** `nvidia-smi --query-gpu=… --format=csv` of drivers 470 to 590, also in the middle of
/// a log; `rocm-smi --json` of ROCm 5 and 6; ci/record/gpugate_record.py.
GG_MUST_CHECK enum status machine_read(struct source *src, struct digest *d, bool *found,
                                       struct diag_log *log);

/// Lines for a rules file with which a result file could be read.
struct result_proposal {
	struct strbuf lines; ///< an element of the list `results`; empty if there is no figure
	bool is_open; ///< true if for some figure it is unknown whether higher or lower is better
	bool is_plain; ///< true if the file can be read without rules: it is JSON or a table, has at
	               ///< most 400 figures, and for some figure it is known whether higher or lower
	               ///< is better
};

/// Proposes a format for `src`, whose name without directories is `file`: JSON, a table, or lines
/// of a log. The caller releases out->lines in any case.
GG_MUST_CHECK enum status result_propose(struct source *src, const char *file,
                                         struct result_proposal *out, struct diag_log *log);

#endif

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

/// True for a key that only traces, snapshots and other recordings have.
bool result_is_foreign(struct span key);

/// Like result_recognize(), for all of `src`, which is read as far as needed: false if the keys of
/// its outermost object, or of the first element of a list, are those of a trace or a snapshot.
bool result_sniff(struct source *src);

/// Tables of formats in the order in which they are tried, ended by NULL, and the file to read.
struct result_reader {
	const struct result_formats *const *tables;
	const char *path; ///< path of the file
	const char *file; ///< name of the file, without directories
};

/// Reads all of `src` into the inputs and the source hash of the digest `d`. `*found` is set if a
/// format fits; else no message is written, and the file may be of another kind. ST_INPUT, with
/// file and figure, if a figure cannot be read or a condition is not met.
GG_MUST_CHECK enum status result_read(struct source *src, const struct result_reader *r,
                                      struct digest *d, bool *found, struct diag_log *log);

/// Formats of a file: one, or several that describe it together.
struct result_known {
	VEC(const struct result_format *) list;
};

/// Lists the formats by which result_read() reads `src`, which are of its tables; none if it knows
/// none. The caller releases the list in any case. ST_INPUT if the file cannot be read.
GG_MUST_CHECK enum status result_known_list(struct source *src, const struct result_reader *r,
                                            struct result_known *out, struct diag_log *log);

/// Refuses a file with several JSON values, as lines, that nothing could read: `*found` is set, and
/// the message says where the lines are cut or mixed with others, or which lines would read it.
GG_MUST_CHECK enum status result_refuse_lines(struct source *src, bool *found,
                                              struct diag_log *log);

/// Largest number of keys in a metrics file.
enum { INPUTS_MAX = 1000 };

/// True if `first`, the first bytes of an input, begins like a metrics file: an object that has
/// only numbers so far or, if it is complete, at least one number.
bool metrics_recognize(struct span first);

/// Reads all of `src` into the inputs and the source hash of `d`. ST_INPUT, with byte and key, if a
/// value is not a number that is exact with six decimals, or if a key is invalid or occurs twice.
/// `*other` is set if a value is of another type, since the file may then be of another kind.
GG_MUST_CHECK enum status inputs_read(struct source *src, struct digest *d, bool *other,
                                      struct diag_log *log);

/// Largest number of GPUs in a file.
enum { MACHINE_GPUS_MAX = 256 };

/// Reads `src` into the machines, the environment (machine.*) and the source hash of the digest
/// `d`. `*found` is set if `src` is such a file; else no message is written. ST_INPUT if the file
/// is damaged or beyond the limits. **Source:** `nvidia-smi --query-gpu=… --format=csv` of drivers
/// 470 to 590, also in the middle of a log; `rocm-smi --json` of ROCm 5 and 6;
/// ci/record/gpugate_record.py.
GG_MUST_CHECK enum status machine_read(struct source *src, struct digest *d, bool *found,
                                       struct diag_log *log);

/// Lines of a rules file that would read a file.
struct result_proposal {
	struct strbuf lines; ///< an element of the list `results`; empty if there is no figure
	bool is_open; ///< true if the better direction of a figure is not known
	bool is_plain; ///< true for JSON or a table with a figure whose better direction is known: the
	               ///< file is read so without any rules
};

/// Proposes a format for `src`, whose name without directories is `file`: JSON, a table, or lines
/// of a log. The caller releases the lines in any case.
GG_MUST_CHECK enum status result_propose(struct source *src, const char *file,
                                         struct result_proposal *out, struct diag_log *log);

#endif

/// Reads files that benchmarks write, as a table of formats describes them.
#ifndef GG_RESULTS_RESULT_FILE_H
#define GG_RESULTS_RESULT_FILE_H

#include "io/source.h"
#include "metric/result_format.h"
#include "model/digest.h"

/// Largest number of figures in a file; successive values with one name count as one figure.
enum { RESULT_FIGURES_MAX = 10000 };

/// True if `first`, the first bytes of a file, may be those of a result file: text that is not a
/// trace. The rest of the file decides.
bool result_recognize(struct span first);

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

#endif

/// Digest and baseline as canonical JSON.
#ifndef GG_STORE_DIGEST_JSON_H
#define GG_STORE_DIGEST_JSON_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/digest.h"
#include "model/history.h"
#include "model/rule.h"

#define DIGEST_SCHEMA "gpugate-digest-1"
#define BASELINE_SCHEMA "gpugate-baseline-1"

/// Writes a digest in canonical form: fixed key order and number form, one row per line, trailing
/// newline. Errors are kept by the sink.
void digest_write(const struct digest *d, struct sink *out);

/// Reads and validates a digest. Any error returns `fail`: ST_INPUT, or ST_BASELINE if the digest
/// is used as a baseline.
GG_MUST_CHECK enum status digest_read(struct source *src, enum status fail, struct digest **out,
                                      struct diag_log *log);

/// Like digest_read(), for a digest given as an input: keeps the text of the digest, but in the
/// struct only the members that digest_forget() keeps.
GG_MUST_CHECK enum status digest_read_text(struct source *src, struct digest **out,
                                           struct diag_log *log);

/// Reads the whole digest whose text is kept in `d`, and was found valid; `path`: the file of `d`.
GG_MUST_CHECK enum status digest_read_again(const struct digest *d, const char *path,
                                            struct digest **out, struct diag_log *log);

/// Reads again each rank that the folded digest `d` keeps as the text of a whole digest
/// (digest_read_again()), and replaces it by that digest.
GG_MUST_CHECK enum status fold_complete(struct digest *d, const char *path, struct diag_log *log);

/// A stored baseline: the approved run (the pin), and later runs.
struct baseline {
	struct arena arena;
	const char *workload;
	struct provenance provenance;
	struct run pin; ///< approved run in the reduced form that pin_make() gives it
	/// the reference run, one of `reference`, as a baseline of its own; NULL if none is stored
	struct baseline *reference_run;
	struct history recent; ///< accepted runs in the baseline file itself, oldest first
	struct history sample; ///< every run of the main branch, from the history file
	struct history reference; ///< accepted runs after the pin, merged from `recent` and `sample`,
	                          ///< oldest first; values are borrowed
};

/// The run of main against which changes are explained: the reference run, else the approved run.
static inline const struct run *baseline_explained(const struct baseline *b)
{
	return b->reference_run ? &b->reference_run->pin : &b->pin;
}

/// Writes a baseline in canonical form.
void baseline_write(const struct baseline *b, struct sink *out);

/// Drops values until the stored form of the run has at most BASELINE_RECENT_BYTES. The values are
/// grouped by the query of a rule that they answer, such as one value for each kernel; each time,
/// the largest group loses its smallest value or, of figures of files, the last by name. run->cut
/// counts the dropped values.
void past_run_fit(struct past_run *run);

/// Reads and validates a baseline; any error is ST_BASELINE with place and path. Caller releases
/// with baseline_release() whatever the outcome.
GG_MUST_CHECK enum status baseline_parse(struct source *src, struct baseline *out,
                                         struct diag_log *log);

/// Like baseline_parse(), from the file at `path`.
GG_MUST_CHECK enum status baseline_read(const char *path, struct baseline *out,
                                        struct diag_log *log);

/// Releases all memory of the baseline.
void baseline_release(struct baseline *b);

/// A sentence on two figures that contradict each other, or NULL: times of a step that are not the
/// sum of their parts, kernels that do not add up to the steps, statistics in an impossible order.
/// A run of several GPUs is not checked, since its figures are medians over the GPUs. Owned by `a`.
const char *digest_contradiction(const struct digest *d, struct arena *a);

/// Size limit of a pin of up to PIN_RANKS ranks in bytes; with more ranks the limit grows in
/// proportion. Only data that rules ask for by name may exceed it.
enum { PIN_BYTES = 190000, PIN_RANKS = 64 };

/// Size limit of the pin of a folded run in bytes.
enum { PIN_FOLDED_BYTES = 1900000 };

/// Makes `out` from `run` as a baseline stores it: exactly what checks of `rules` compare, and of
/// the rest as much as fits. Data that explains only a single run is left out; the smallest kernels
/// and operators are summed; many steps are kept as statistics. Names are normalized by `naming`.
/// Texts are borrowed from `run`. Caller releases with run_release().
void pin_make(const struct run *run, const struct rules *rules, const struct naming *naming,
              struct run *out);

#endif

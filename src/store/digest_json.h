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
/// newline. The sink keeps errors until sink_commit().
void digest_write(const struct digest *d, struct sink *out);

/// Reads and validates a digest; errors are ST_INPUT. If `keeps_text`, to save memory, `out` has
/// the JSON text of the digest in place of its lists (digest_forget()).
GG_MUST_CHECK enum status digest_read(struct source *src, bool keeps_text, struct digest **out,
                                      struct diag_log *log);

/// Reads the whole digest from its JSON text, which an earlier reading has kept in d->text. `path`
/// is the file of `d`, for messages.
GG_MUST_CHECK enum status digest_read_again(const struct digest *d, const char *path,
                                            struct digest **out, struct diag_log *log);

/// A folded digest may keep the digests of some ranks as JSON text. Replaces each of these texts by
/// the digest that it describes. `path` is the file of `d`, for messages.
GG_MUST_CHECK enum status fold_complete(struct digest *d, const char *path, struct diag_log *log);

/// A stored baseline: the approved run (the pin), and later runs. baseline_read() fills only what
/// is in the baseline file; setup_baseline_read() also sets `reference_run`, `history` and
/// `reference`.
struct baseline {
	struct arena arena;
	const char *workload;
	struct provenance provenance;
	struct run pin; ///< approved run, reduced by pin_make()
	/// the baseline in the file WORKLOAD.reference, whose pin is the reference run; NULL if there
	/// is no such file, or if its run is the approved one or is not in `reference`
	struct baseline *reference_run;
	struct history recent; ///< accepted runs stored in the baseline file itself, oldest first
	struct history history; ///< runs of the main branch, from the history file
	struct history reference; ///< newest accepted runs after the pin, at most BASELINE_RECENT,
	                          ///< merged from `recent` and `history`, oldest first; values are
	                          ///< borrowed
};

/// The run of main with which details of a change are compared: the reference run if it is stored,
/// else the approved run.
static inline const struct run *baseline_explained(const struct baseline *b)
{
	return b->reference_run ? &b->reference_run->pin : &b->pin;
}

/// Writes a baseline in canonical form.
void baseline_write(const struct baseline *b, struct sink *out);

/// Drops values until the stored form of the run has at most BASELINE_RECENT_BYTES. The values that
/// answer one query of a rule, such as one value for each kernel, form a group. Values are dropped
/// from the largest group: the value nearest to 0 or, in a group of figures of result files, the
/// last by name. run->cut counts the dropped values.
void past_run_fit(struct past_run *run);

/// Reads and validates a baseline; any error is ST_BASELINE, and its message has the byte offset
/// and the path of the value, such as "recent[2]". Caller releases with baseline_release() whatever
/// the outcome.
GG_MUST_CHECK enum status baseline_parse(struct source *src, struct baseline *out,
                                         struct diag_log *log);

/// Like baseline_parse(), from the file at `path`.
GG_MUST_CHECK enum status baseline_read(const char *path, struct baseline *out,
                                        struct diag_log *log);

/// Releases the digests, the histories and all texts of the baseline.
void baseline_release(struct baseline *b);

/// A sentence on two figures that contradict each other: a time of a step that is not the sum of
/// its parts, kernels that do not add up to the steps, a median below the minimum. NULL if there
/// are no such figures. Sums are checked only in digests of a single GPU. Owned by `a`.
const char *digest_contradiction(const struct digest *d, struct arena *a);

/// Size limit of a pin of up to PIN_RANKS ranks in bytes; with more ranks the limit grows in
/// proportion. The pin with the fewest details is stored even if it exceeds the limit.
enum { PIN_BYTES = 190000, PIN_RANKS = 64 };

/// Size limit of the pin of a folded run in bytes.
enum { PIN_FOLDED_BYTES = 1900000 };

/// Makes `out`, the reduced form of `run` that a baseline stores. Figures that checks of `rules`
/// compare are kept exactly, others as far as the size limit allows. Lists that no comparison
/// needs, such as single collectives, are left out. If the result would be too large, the smallest
/// kernels and operators are summed, and statistics replace the samples of steps. `naming`
/// normalizes names. Texts are borrowed from `run`. Caller releases `out` with run_release().
void pin_make(const struct run *run, const struct rules *rules, const struct naming *naming,
              struct run *out);

#endif

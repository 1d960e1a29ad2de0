/// What an input is by its content, and JSON that is no trace: what its keys say it is.
#ifndef GG_READ_RECOGNISE_H
#define GG_READ_RECOGNISE_H

#include "base/span.h"
#include "io/jscan.h"
#include "io/source.h"

/// Evidence bits of one key of an object that was expected to be a trace or an event.
unsigned foreign_key(struct span key);

/// Evidence bit of an element that is no object, or of an outermost scalar.
unsigned foreign_element(enum jscan_type type);

/// What the evidence speaks for: "a CUDA memory snapshot (…)"; static.
const char *foreign_name(unsigned evidence);

/// What an input seems to be from its first expanded bytes.
enum artifact {
	ARTIFACT_TRACE, ///< JSON: a trace, unless reading shows otherwise
	ARTIFACT_SNAPSHOT, ///< JSON that begins as a memory snapshot does
	ARTIFACT_XPROF, ///< JSON that begins as XProf's memory profile does
	ARTIFACT_TIMELINE, ///< lists of numbers, as torch.profiler writes its memory timeline
	ARTIFACT_TIMELINE_PAGE, ///< the same as a picture in HTML
	ARTIFACT_METRICS, ///< a flat object of numbers, or one that its reader will refuse as such
	ARTIFACT_DIGEST,
	ARTIFACT_RUN, ///< the digests of several ranks
	ARTIFACT_BASELINE,
	ARTIFACT_RESULT, ///< a report or metrics file of this program
	ARTIFACT_PICKLE,
	ARTIFACT_NSYS, ///< a database of SQLite: Nsight Systems' export, unless reading shows otherwise
	ARTIFACT_UNKNOWN, ///< neither an object or array of JSON nor a pickle
};

/// Recognise by content; `first` is what source_peek() gave.
enum artifact artifact_recognise(struct span first);

/// ARTIFACT_SNAPSHOT, _XPROF or _TIMELINE where the JSON of `src` is that, in whatever order its
/// keys stand, else ARTIFACT_TRACE: for what was taken for a trace and is none. Reads as far as
/// needed.
enum artifact memory_recognise(struct source *src);

#endif

/// What an input is by its content, and JSON that is not a trace: what its keys say it is.
#ifndef GG_READ_RECOGNISE_H
#define GG_READ_RECOGNISE_H

#include "base/span.h"
#include "io/jscan.h"
#include "io/source.h"

/// Evidence bits of one key of an object that was expected to be a trace or an event.
unsigned foreign_key(struct span key);

/// Evidence bit of an element that is not an object, or of an outermost scalar.
unsigned foreign_element(enum jscan_type type);

/// True for evidence of another tool's trace, which has events, too.
bool foreign_events(unsigned found);

/// What the input probably is: "a CUDA memory snapshot (…)"; static.
const char *foreign_name(unsigned found);

/// What JSON looks like by its keys, in whatever order they stand.
enum json_form {
	JSON_OTHER,
	JSON_SNAPSHOT, ///< a CUDA memory snapshot
	JSON_XPROF, ///< XProf's memory profile
	JSON_FLIGHT, ///< a dump of the Flight Recorder
	JSON_TIMELINE, ///< lists of numbers, as torch.profiler writes its memory timeline
};

/// The form of `src`, which is read as far as needed; JSON_OTHER also if it is not JSON.
enum json_form json_form_of(struct source *src);

#endif

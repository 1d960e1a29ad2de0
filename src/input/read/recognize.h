/// Recognizes the kind of an input by its content. If JSON is not a trace, its keys tell what the
/// file seems to be.
#ifndef GG_READ_RECOGNISE_H
#define GG_READ_RECOGNISE_H

#include "base/diag.h"
#include "base/span.h"
#include "io/jscan.h"
#include "io/source.h"

/// The kinds of file, other than a trace, for which `key` is evidence, as a set of bits; 0 if there
/// are none. The key is from an object that was expected to be a trace or an event.
unsigned foreign_key(struct span key);

/// Like foreign_key(), but from the type of a value that was expected to be an object: an element
/// of an array, or the outermost value.
unsigned foreign_element(enum jscan_type type);

/// True if the evidence `found` is for a tool, such as VizTracer, whose files have trace events
/// too.
bool foreign_events(unsigned found);

/// The most probable kind of input by the evidence `found`: "a CUDA memory snapshot (…)"; static.
const char *foreign_name(unsigned found);

/// Forms of JSON, recognized by keys, in any order, or by the types of values.
enum json_form {
	JSON_OTHER,
	JSON_SNAPSHOT, ///< CUDA memory snapshot
	JSON_XPROF, ///< XProf's memory profile
	JSON_FLIGHT, ///< dump of the Flight Recorder
	JSON_TIMELINE, ///< lists of numbers, as in the memory timeline of torch.profiler
};

/// The form of `src`, which is read only as far as needed; JSON_OTHER also if the input is not
/// JSON.
enum json_form json_form_of(struct source *src);

/// If the recording at `path` has words that occur only for a kind of device whose recordings
/// gpugate does not read, returns the name of this kind, such as "MTIA of Meta" (static). NULL if
/// there are no such words, or if the file cannot be read again.
const char *other_device(const char *path);

#endif

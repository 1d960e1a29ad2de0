/// Tracks which spans (such as operators) of a thread contain the present moment, during a walk in
/// order of time.
#ifndef GG_CODE_OPEN_SPANS_H
#define GG_CODE_OPEN_SPANS_H

#include "code/paths.h"

/// Largest number of spans that are open at the same time; spans nested deeper are ignored.
enum { OPEN_SPANS = 1024 };

/// A span that contains the present moment; it ends at `until_ns`.
struct open_span {
	int64_t start_ns, until_ns;
	int64_t low_ns; ///< earliest end of this span and of all spans around it
	uint32_t name; ///< id of the span's name, to be passed to code_path_child()
	uint32_t tag; ///< free for use by the caller
	uint32_t kept; ///< free for use by the caller, initially 0
	uint32_t path; ///< id of the path of the names from the outermost open span to this one; valid
	               ///< if the index of the span is below `known`
};

/// The open spans, outermost first.
struct open_spans {
	VEC(struct open_span) list;
	size_t known; ///< number of outermost spans whose paths are already computed
};

/// Enters a span; open spans that ended before the new one may be removed. The walk enters spans by
/// start, longer ones first. A span of length 0 contains its start.
void open_spans_enter(struct open_spans *o, int64_t start_ns, int64_t dur_ns, uint32_t name,
                      uint32_t tag);

/// Removes the spans that do not contain `at_ns`. All spans that begin up to `at_ns` must have been
/// entered.
void open_spans_at(struct open_spans *o, int64_t at_ns);

/// Id in `p` of the path made of the names of all open spans; 0 if no span is open.
uint32_t open_spans_path(struct open_spans *o, struct code_paths *p);

#endif

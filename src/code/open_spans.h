/// The spans of a thread that hold a moment, as a walk in order of time meets them.
#ifndef GG_CODE_OPEN_SPANS_H
#define GG_CODE_OPEN_SPANS_H

#include "code/paths.h"

/// Spans that may be open at once; those further in are passed over.
enum { OPEN_SPANS = 1024 };

struct open_span {
	int64_t start_ns, until_ns;
	int64_t low_ns; ///< the earliest end of this one and those around it
	uint32_t name; ///< of a path
	uint32_t tag; ///< the caller's
	uint32_t kept; ///< the caller's, 0 at first
	uint32_t path; ///< of this one and those around it, if below `known`
};

/// Outermost first.
struct open_spans {
	VEC(struct open_span) list;
	size_t known; ///< so many have their path
};

/// A span begins; those that ended by then may be forgotten. The walk enters them by start, longer
/// ones first. A span without length holds its start.
void open_spans_enter(struct open_spans *o, int64_t start_ns, int64_t dur_ns, uint32_t name,
                      uint32_t tag);

/// Forget the spans that do not hold `at_ns`, by which none has begun that was not entered.
void open_spans_at(struct open_spans *o, int64_t at_ns);

/// Path of the spans that are open.
uint32_t open_spans_path(struct open_spans *o, struct code_paths *p);

#endif

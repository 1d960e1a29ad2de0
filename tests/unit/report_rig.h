/// Helpers that return what a writer of reports wrote.
#ifndef GG_TESTS_REPORT_RIG_H
#define GG_TESTS_REPORT_RIG_H

#include "cli/output.h"
#include "sample_report.h"
#include "text_rig.h"

static struct strbuf written;

/// Release the last output; teardown function of a test group.
static inline int end(void **state)
{
	(void)state;
	strbuf_release(&written);
	return 0;
}

/// Close `out` and return its content, which is valid until the next call.
static inline const char *take(struct sink *out)
{
	strbuf_setlen(&written, 0);
	strbuf_add(&written, sink_memory(out));
	sink_abort(out);
	return strbuf_str(&written);
}

/// Write `r` in the format `name`, and return the output.
static inline const char *write_as(const char *name, const struct report *r,
                                   const struct write_options *o)
{
	struct sink *out = sink_open_memory();
	report_format_find(name)->write(r, o, out);
	return take(out);
}

#endif

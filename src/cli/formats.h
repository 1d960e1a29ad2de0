/// The formats that reports are written in.
#ifndef GG_CLI_FORMATS_H
#define GG_CLI_FORMATS_H

#include "cli/options.h"
#include "report/writer.h"

struct report_format {
	const char *name; ///< "text", "markdown", "junit", …
	enum option option; ///< that names its file; NR_OPTIONS: it goes to standard output only
	void (*write)(const struct report *r, const struct write_options *o, struct sink *out);
};

/// The formats, ended by a row without a name; static.
extern const struct report_format report_formats[];

/// Format by name, or NULL.
const struct report_format *report_format_find(const char *name);

#endif

/// The formats of reports.
#ifndef GG_CLI_FORMATS_H
#define GG_CLI_FORMATS_H

#include "cli/options.h"
#include "report/writer.h"

struct report_format {
	const char *name; ///< name such as "text", "markdown" or "junit"
	enum option option; ///< option with the file name; NR_OPTIONS: only for standard output
	const char *file; ///< name of its file in the folder of --reports
	void (*write)(const struct report *r, const struct write_options *o, struct sink *out);
};

/// All formats, with an unnamed row at the end; static.
extern const struct report_format report_formats[];

/// The format called `name`, or NULL.
const struct report_format *report_format_find(const char *name);

#endif

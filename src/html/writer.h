/// The writer of reports as an HTML page.
#ifndef GG_HTML_WRITER_H
#define GG_HTML_WRITER_H

#include "report/writer.h"

/// One self-contained page: no network, readable without its script.
void html_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif

/// The writer of reports as an HTML page.
#ifndef GG_HTML_WRITER_H
#define GG_HTML_WRITER_H

#include "report/writer.h"

/// Write one self-contained page, which needs no network and is readable without its script.
void html_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif

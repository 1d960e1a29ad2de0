#include "report/writers.h"

#include <string.h>

const struct report_format report_formats[] = {
	{ "text", text_write }, { "markdown", markdown_write }, { "junit", junit_write },
	{ "json", json_write }, { "html", html_write },         { "openmetrics", openmetrics_write },
	{ NULL, NULL },
};

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

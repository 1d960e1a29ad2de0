#include "cli/output.h"

#include <string.h>

#include "html/html_page.h"
#include "report/writers.h"

/* clang-format off */
const struct report_format report_formats[] = {
	{ "text", NR_OPTIONS, "", text_write },
	{ "markdown", OPT_MARKDOWN, "report.md", markdown_write },
	{ "junit", OPT_JUNIT, "junit.xml", junit_write },
	{ "json", OPT_JSON, "result.json", json_write },
	{ "plan", OPT_PLAN, "plan.json", plan_write },
	{ "html", OPT_HTML, "report.html", html_write },
	{ "openmetrics", OPT_OPENMETRICS, "metrics.txt", openmetrics_write },
	{ "codequality", OPT_CODEQUALITY, "codequality.json", codequality_write },
	{ NULL, NR_OPTIONS, NULL, NULL },
};
/* clang-format on */

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

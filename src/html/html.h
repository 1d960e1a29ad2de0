/// The charts of the HTML report; each is left out where there is nothing to draw.
#ifndef GG_HTML_HTML_H
#define GG_HTML_HTML_H

#include "document/document.h"
#include "html/html_page.h"
#include "html/svg.h"

/// What the wall time of the steps goes to.
void html_parts(struct html *h);

/// What the change behind finding number `i` is made of.
void html_finding(struct html *h, size_t i);

/// GPU time by where in the code.
void html_flame(struct html *h);

/// Steps of all ranks.
void html_heat(struct html *h);

/// The figure of check number `i` in all runs, without words; figures with their history.
void html_spark(struct html *h, size_t i);
void html_history(struct html *h);

/// Times of steps.
void html_steps(struct html *h);

/// Memory over time and at its peak.
void html_memory(struct html *h);

/// Within it, what each memory of a run holds at its peak; whether that is known. NULL: no.
void html_peaks(struct html *h, const struct run_report *run);
bool html_has_peaks(const struct run_report *run);

/// Charts of one kind at most; the line that says how many of `nr` were left out.
enum { HTML_CHARTS = 32 };
void html_more_charts(struct html *h, size_t nr);

/// A document that holds tables, in its place among the charts; gives its memory back.
void html_tables(struct html *h, struct document *d);

/// A name as the document shows it.
const char *html_display(const struct html *h, const char *whole);

/// "baseline" or "candidate"; "run" where there is no other.
const char *html_side(const struct html *h, bool candidate);

#endif

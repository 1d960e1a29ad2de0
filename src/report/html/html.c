/* Writes the HTML page: the document with its charts. */
#include "html/html.h"

#include "html/html_page.h"
#include "html/svg.h"
#include "report/document.h"

const char *html_side(const struct html *h, bool candidate)
{
	if (h->r->kind == REPORT_RUN)
		return "run";
	return candidate ? "candidate" : "baseline";
}

static void picture(void *ctx, struct picture which, struct strbuf *out)
{
	static const struct {
		const char *kind;
		void (*draw)(struct html *h);
		void (*draw_one)(struct html *h, size_t i);
	} pictures[] = { { "parts", html_parts, NULL },    { "steps", html_steps, NULL },
		             { "memory", html_memory, NULL },  { "history", html_history, NULL },
		             { "flame", html_flame, NULL },    { "heat", html_heat, NULL },
		             { "trend", NULL, html_spark },    { "ranks", NULL, html_spark_ranks },
		             { "finding", NULL, html_finding } };
	struct html *h = ctx;
	for (size_t i = 0; i < NR_OF(pictures); i++) {
		bool fits = strcmp(pictures[i].kind, which.kind) == 0;
		if (fits && pictures[i].draw)
			pictures[i].draw(h);
		else if (fits)
			pictures[i].draw_one(h, which.nr);
	}
	strbuf_add(out, strbuf_span(&h->body));
	strbuf_setlen(&h->body, 0);
}

const char *html_display(const struct html *h, const char *whole)
{
	const struct document *d = h->document;
	const char *text = d && d->display ? d->display(d->names, whole) : NULL;
	return text ? text : whole;
}

void html_tables(struct html *h, struct document *d)
{
	struct doc_page_hooks hooks = { .ctx = h, .picture = picture, .bar = svg_bar_signed };
	struct strbuf nav = STRBUF_INIT; /* table of contents; empty, since tables add no entries */
	doc_html(d, &hooks, &h->body, &h->body, &nav);
	doc_release(d);
}

void html_numbers(struct html *h, struct document *d)
{
	html_details(h, "numbers");
	html_tables(h, d);
	html_puts(h, "</details>\n");
}

void html_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct html h = { .r = r };
	bool named = r->workload && r->workload[0];
	struct page_frame frame = { .tool = "gpugate",
		                        .heading = named                   ? r->workload
		                                   : r->kind == REPORT_RUN ? "one run"
		                                                           : "comparison of two runs",
		                        .word = r->error                  ? "error"
		                                : r->kind == REPORT_CHECK ? verdict_word(r->verdict)
		                                : r->kind == REPORT_DIFF  ? "diff"
		                                                          : "report",
		                        .hooks = { .ctx = &h, .picture = picture, .bar = svg_bar_signed } };
	struct short_names own = { 0 };
	struct document d;
	report_document(r, o->names ? o->names : &own, &d);
	h.document = &d;
	html_write_document(&d, &frame, out);
	doc_release(&d);
	short_names_release(&own);
	strbuf_release(&h.body);
	arena_release(&h.arena);
}

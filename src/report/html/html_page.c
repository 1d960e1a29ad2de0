#include "html/html_page.h"

#include "model/embedded.h"

void html_puts(struct html *h, const char *markup)
{
	strbuf_adds(&h->body, markup);
}

void html_printf(struct html *h, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&h->body, fmt, ap);
	va_end(ap);
}

void html_text(struct html *h, const char *text)
{
	if (text)
		doc_html_escape(&h->body, span_of(text));
}

/* ---- sections of a page ---- */

void html_swatch(struct html *h, const char *class)
{
	html_printf(h,
	            "<span><svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
	            "class=\"%s\" width=\"10\" height=\"10\"/></svg> ",
	            class);
}

void html_picture(struct html *h, const char *attributes, const char *title)
{
	int id = ++h->nr_pictures;
	html_printf(h, "<svg %s role=\"img\" aria-labelledby=\"t%d d%d\"><title id=\"t%d\">",
	            attributes, id, id, id);
	html_text(h, title);
	html_printf(h, "</title><desc id=\"d%d\">", id);
}

void html_details(struct html *h, const char *summary)
{
	html_puts(h, "<details class=\"more\"><summary>");
	html_text(h, summary);
	html_puts(h, "</summary>\n");
}

/* ---- the whole page ---- */

void html_write_document(const struct document *d, const struct page_frame *frame, struct sink *out)
{
	struct strbuf head = STRBUF_INIT, header = STRBUF_INIT, body = STRBUF_INIT, nav = STRBUF_INIT;
	size_t nav_at = doc_html(d, &frame->hooks, &header, &body, &nav);
	strbuf_adds(&head, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	                   "base-uri 'none'; form-action 'none'; style-src '");
	strbuf_adds(&head, embedded_page_css_hash);
	strbuf_adds(&head, "'; script-src '");
	strbuf_adds(&head, embedded_page_js_hash);
	strbuf_adds(&head, "'\">\n<meta name=\"viewport\" content=\"width=device-width, "
	                   "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
	                   "<title>");
	doc_html_escape(&head, span_of(frame->word));
	strbuf_adds(&head, ": ");
	doc_html_escape(&head, span_of(frame->heading));
	strbuf_adds(&head, "</title>\n<style>");
	strbuf_add(&head, (struct span){ embedded_page_css, embedded_page_css_size });
	strbuf_adds(&head, "</style>\n</head>\n<body>\n<header>\n<p class=\"tool\">");
	strbuf_adds(&head, frame->tool);
	strbuf_adds(&head, "</p>\n");
	sink_write(out, strbuf_span(&head));
	sink_write(out, strbuf_span(&header));
	sink_puts(out, "</header>\n<main>\n");
	sink_write(out, (struct span){ body.p, nav_at });
	if (nav.n) {
		sink_puts(out, "<nav aria-label=\"contents\"><ul>");
		sink_write(out, strbuf_span(&nav));
		sink_puts(out, "</ul></nav>\n");
	}
	sink_write(out, (struct span){ body.p + nav_at, body.n - nav_at });
	sink_puts(out, "</main>\n<script>");
	sink_write(out, (struct span){ embedded_page_js, embedded_page_js_size });
	sink_puts(out, "</script>\n</body>\n</html>\n");
	strbuf_release(&head);
	strbuf_release(&header);
	strbuf_release(&body);
	strbuf_release(&nav);
}

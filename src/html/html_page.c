#include "html/html_page.h"

#include "base/text.h"
#include "model/embedded.h"

#define NAME_CHARS 90
#define NAME_CHARS_MAX 4000

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

static void add_escaped(struct strbuf *out, struct span text)
{
	static const char *const entities[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
	};
	for (size_t i = 0; i < text.n;) {
		uint32_t cp = text_next(text, &i);
		if (cp < 128 && entities[cp])
			strbuf_adds(out, entities[cp]);
		else
			text_add_codepoint(out, text_breaks_a_line(cp) ? 0xFFFD : cp);
	}
}

void html_text(struct html *h, const char *text)
{
	if (text)
		add_escaped(&h->body, span_of(text));
}

static void add_short(struct html *h, const char *name, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, span_of(name), max_chars);
	add_escaped(&h->body, strbuf_span(&b));
	strbuf_release(&b);
}

void html_name(struct html *h, const char *name)
{
	if (!name)
		return;
	bool fold = text_chars(span_of(name)) > NAME_CHARS;
	html_puts(h, fold ? "<details class=\"name\"><summary>" : "<code>");
	add_short(h, name, NAME_CHARS);
	if (fold) {
		html_puts(h, "</summary><code>");
		add_short(h, name, NAME_CHARS_MAX);
		html_puts(h, "</code></details>");
	} else {
		html_puts(h, "</code>");
	}
}

/* ---- parts of the page ---- */

void html_header_end(struct html *h)
{
	h->header = h->body;
	h->body = (struct strbuf)STRBUF_INIT;
}

void html_section(struct html *h, const char *id, const char *title)
{
	strbuf_addf(&h->nav, "<li><a href=\"#%s\">%s</a></li>", id, title);
	html_printf(h,
	            "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
	            id, id, id, title);
}

void html_section_end(struct html *h)
{
	html_puts(h, "</section>\n");
}

void html_details(struct html *h, const char *summary)
{
	html_puts(h, "<details class=\"more\"><summary>");
	html_text(h, summary);
	html_puts(h, "</summary>\n");
}

void html_details_end(struct html *h)
{
	html_puts(h, "</details>\n");
}

/* ---- tables ---- */

static const char *const align_classes[] = {
	[ALIGN_LEFT] = "", [ALIGN_RIGHT] = " class=\"r\"", [ALIGN_BAR] = " class=\"bars\""
};

/* The box scrolls where the table is wider than the page; a keyboard reaches it. */
void html_table(struct html *h, const char *caption, const struct html_column *columns, size_t nr)
{
	h->rows = 0;
	html_puts(h, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"");
	html_text(h, caption);
	bool wide = false;
	for (size_t i = 0; i < nr; i++)
		wide = wide || columns[i].align == ALIGN_BAR;
	html_puts(h, wide ? "\"><table class=\"wide\"><caption>" : "\"><table><caption>");
	html_text(h, caption);
	html_puts(h, "</caption>\n<thead><tr>");
	for (size_t i = 0; i < nr; i++) {
		html_printf(h, "<th scope=\"col\"%s>", align_classes[columns[i].align]);
		html_text(h, columns[i].name);
		html_puts(h, "</th>");
	}
	html_puts(h, "</tr></thead>\n<tbody>\n");
}

bool html_row(struct html *h, const char *class)
{
	if (h->rows++ >= HTML_ROWS)
		return false;
	html_printf(h, *class ? "<tr class=\"%s\">" : "<tr>%s", class);
	return true;
}

void html_cell(struct html *h, const char *text)
{
	html_puts(h, "<td>");
	html_text(h, text);
	html_puts(h, "</td>");
}

void html_name_cell(struct html *h, const char *name)
{
	html_puts(h, "<td class=\"n\">");
	html_name(h, name);
	html_puts(h, "</td>");
}

void html_figure_cell(struct html *h, const char *text, bool has, int64_t value)
{
	if (has)
		html_printf(h, "<td class=\"r\" data-v=\"%lld\">", (long long)value);
	else
		html_puts(h, "<td class=\"r\">");
	html_text(h, text);
	html_puts(h, "</td>");
}

void html_bar_cell(struct html *h)
{
	html_puts(h, "<td class=\"bars\">");
}

void html_table_foot(struct html *h)
{
	html_puts(h, "</tbody><tfoot>\n<tr>");
	h->foot = true;
}

void html_table_end(struct html *h, size_t more)
{
	if (h->rows > HTML_ROWS)
		more += h->rows - HTML_ROWS;
	html_puts(h, h->foot ? "</tfoot></table></div>\n" : "</tbody></table></div>\n");
	h->foot = false;
	if (more)
		html_printf(h, "<p class=\"note\">%zu more in the JSON</p>\n", more);
}

/* ---- the document ---- */

void html_write_page(struct html *h, const char *title, struct sink *out)
{
	struct strbuf head = STRBUF_INIT;
	strbuf_adds(&head, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	                   "base-uri 'none'; form-action 'none'; style-src '");
	strbuf_adds(&head, embedded_page_css_hash);
	strbuf_adds(&head, "'; script-src '");
	strbuf_adds(&head, embedded_page_js_hash);
	strbuf_adds(&head, "'\">\n<meta name=\"viewport\" content=\"width=device-width, "
	                   "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
	                   "<title>");
	add_escaped(&head, span_of(title));
	strbuf_adds(&head, "</title>\n<style>");
	strbuf_add(&head, (struct span){ embedded_page_css, embedded_page_css_size });
	strbuf_adds(&head, "</style>\n</head>\n<body>\n<header>\n");
	sink_write(out, strbuf_span(&head));
	sink_write(out, strbuf_span(&h->header));
	sink_puts(out, "</header>\n");
	if (h->nav.n) {
		sink_puts(out, "<nav aria-label=\"contents\"><ul>");
		sink_write(out, strbuf_span(&h->nav));
		sink_puts(out, "</ul></nav>\n");
	}
	sink_puts(out, "<main>\n");
	sink_write(out, strbuf_span(&h->body));
	sink_puts(out, "</main>\n<script>");
	sink_write(out, (struct span){ embedded_page_js, embedded_page_js_size });
	sink_puts(out, "</script>\n</body>\n</html>\n");
	strbuf_release(&head);
	strbuf_release(&h->header);
	strbuf_release(&h->body);
	strbuf_release(&h->nav);
	arena_release(&h->arena);
}

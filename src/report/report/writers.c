/* Writers of reports for people: each renders the document in one format. */
#include "report/writer.h"

#include "document/render.h"
#include "report/document.h"

enum { COMMENT_BYTES = 60000 };

void document_write_text(const struct document *d, const struct write_options *o, struct sink *out)
{
	struct strbuf b = STRBUF_INIT;
	doc_text(d,
	         &(struct doc_text_options){ .width = o->width ? o->width : TEXT_WIDTH,
	                                     .color = o->color,
	                                     .verbose = o->verbose },
	         &b);
	sink_write(out, strbuf_span(&b));
	strbuf_release(&b);
}

void document_write_markdown(const struct document *d, const struct write_options *o,
                             struct sink *out)
{
	struct strbuf b = STRBUF_INIT;
	doc_markdown(d, o->max_bytes ? o->max_bytes : COMMENT_BYTES, &b);
	sink_write(out, strbuf_span(&b));
	strbuf_release(&b);
}

static void write_as(document_writer *write, const struct report *r, const struct write_options *o,
                     struct sink *out)
{
	struct short_names own = { 0 };
	struct document d;
	report_document(r, o->names ? o->names : &own, &d);
	write(&d, o, out);
	doc_release(&d);
	short_names_release(&own);
}

void text_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	write_as(document_write_text, r, o, out);
}

void markdown_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	write_as(document_write_markdown, r, o, out);
}

/* Scans arrays in pieces, each by a scanner of its own. */
#include "base/alloc.h"
#include "io/jscan_internal.h"

/* Upper bound of the length in bytes of an element's comma, bracket and first key. */
enum { BEGINNING = 64 };

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *behind_space(const char *p)
{
	while (is_space(*p))
		p++;
	return p;
}

bool jscan_beginning(struct jscan *js, struct strbuf *out)
{
	if (js->eof || js->end - js->at < BEGINNING)
		return false;
	const char *comma = behind_space(js->at);
	const char *bracket = *comma == ',' ? behind_space(comma + 1) : comma;
	const char *quote = *bracket == '{' ? behind_space(bracket + 1) : bracket;
	const char *end = *quote == '"' ? bytes_string_end(quote + 1) : quote;
	if (end == quote || *end != '"' || end - js->at >= BEGINNING)
		return false;
	strbuf_add(out, (struct span){ comma, (size_t)(end + 1 - comma) });
	return true;
}

size_t jscan_last_beginning(struct span text, struct span beginning, size_t from)
{
	for (size_t n = text.n; n > from;) {
		const char *comma = memrchr(text.p + from, ',', n - from);
		if (!comma)
			break;
		n = (size_t)(comma - text.p);
		if (!span_starts((struct span){ comma, text.n - n }, beginning))
			continue;
		while (n && is_space(text.p[n - 1]))
			n--;
		return n;
	}
	return 0;
}

void jscan_unread(struct jscan *js, struct strbuf *out)
{
	strbuf_add(out, (struct span){ js->at, (size_t)(js->end - js->at) });
	js->at = js->end;
}

void jscan_resume(struct jscan *js, uint64_t byte)
{
	js->base = byte - (uint64_t)(js->at - js->buf);
	js->eof = false;
}

struct jscan *jscan_new_piece(const struct jscan *whole, struct diag_log *log)
{
	struct jscan *js = mem_calloc(1, sizeof *js);
	js->src = whole->src; /* the source is only used to name the file in errors */
	js->log = log;
	js->tolerant = whole->tolerant;
	js->depth = whole->depth;
	js->max_depth = whole->max_depth;
	js->piece = js->eof = true;
	memcpy(js->objects, whole->objects, sizeof js->objects);
	memcpy(js->begun, whole->begun, sizeof js->begun);
	jscan_seams_init(js);
	js->place[js->depth] = js->place[0];
	return js;
}

void jscan_add_faults(struct jscan *js, const struct jscan *piece)
{
	if (!js->faults)
		js->first_fault = piece->first_fault;
	js->faults += piece->faults;
}

void jscan_piece(struct jscan *js, char *p, size_t n, uint64_t byte)
{
	js->buf = js->at = p;
	js->end = p + n;
	js->base = byte;
	js->faults = 0;
}

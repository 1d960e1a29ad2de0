#include "base/diag.h"
#include "base/text.h"

#include <stdarg.h>

#include "base/strbuf.h"

void diag_init(struct diag_log *log)
{
	*log = (struct diag_log){ .arena = ARENA_INIT };
	log->last = &log->first;
}

static void append(struct diag_log *log, enum diag_severity severity, const char *text)
{
	struct diag_entry *e = arena_alloc(&log->arena, 1, sizeof *e);
	e->severity = severity;
	e->text = text;
	*log->last = e;
	log->last = &e->next;
}

void diag_add(struct diag_log *log, enum diag_severity severity, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	append(log, severity, arena_take(&log->arena, &b));
}

void diag_move(struct diag_log *log, struct diag_log *from)
{
	for (const struct diag_entry *e = from->first; e; e = e->next)
		append(log, e->severity, arena_dup(&log->arena, span_of(e->text)));
	diag_release(from);
}

const char *diag_first_error(const struct diag_log *log)
{
	for (const struct diag_entry *e = log->first; e; e = e->next)
		if (e->severity == DIAG_ERROR)
			return e->text;
	return NULL;
}

const char *diag_quote(struct diag_log *log, const char *text)
{
	return text_quote(&log->arena, span_of(text));
}

const char *diag_take_warning(struct diag_log *log)
{
	for (struct diag_entry **e = &log->first; *e; e = &(*e)->next)
		if ((*e)->severity == DIAG_WARNING) {
			const char *text = (*e)->text;
			log->last = (*e)->next ? log->last : e;
			*e = (*e)->next;
			return text;
		}
	return NULL;
}

void diag_release(struct diag_log *log)
{
	arena_release(&log->arena);
	diag_init(log);
}

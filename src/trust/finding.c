#include "trust/finding.h"

#include <stdarg.h>

void trust_add(const struct trust_scope *s, const char *id, unsigned spoils, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	strbuf_adds(&b, s->who ? s->who : s->candidate ? "the candidate" : "the baseline");
	strbuf_addch(&b, ' ');
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	struct trust_finding *f = vec_push_zero(&s->out->trust);
	f->id = id;
	f->rank = s->rank;
	f->candidate = s->candidate;
	f->warning_only = !spoils;
	f->message = arena_take(&s->out->arena, &b);
	for (size_t i = 0; i < NR_METRICS; i++)
		if (spoils & metric_table[i].spoiled_by)
			vec_push(&f->spoils, metric_table[i].name);
}

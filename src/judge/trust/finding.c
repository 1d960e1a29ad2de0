#include "trust/finding.h"

#include <stdarg.h>
#include <string.h>

struct trust_finding *trust_add(const struct trust_scope *s, const char *id, unsigned spoils,
                                const char *fmt, ...)
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
		if (spoils & metric_table[i].rests_on)
			vec_push(&f->spoils, metric_table[i].name);
	return f;
}

/* Move the metrics that the finding `f` makes unreliable to the finding `all`, without
   duplicates. */
static void take_spoils(struct trust_finding *f, struct trust_finding *all)
{
	for (size_t i = 0; i < f->spoils.nr; i++)
		if (!ANY(k, all->spoils.nr, strcmp(all->spoils.v[k], f->spoils.v[i]) == 0))
			vec_push(&all->spoils, f->spoils.v[i]);
	vec_release(&f->spoils);
}

void trust_keep_some(const struct trust_scope *s, size_t from)
{
	enum { NAMED = 16 };
	struct report *out = s->out;
	struct trust_finding others = { 0 };
	size_t nr = from;
	for (size_t i = from; i < out->trust.nr; i++) {
		struct trust_finding *f = &out->trust.v[i];
		size_t same = 0;
		for (size_t k = from; k < nr && same < NAMED; k++)
			same += strcmp(out->trust.v[k].id, f->id) == 0;
		if (same < NAMED)
			out->trust.v[nr++] = *f;
		else
			take_spoils(f, &others);
	}
	size_t cut = out->trust.nr - nr;
	out->trust.nr = nr;
	if (!cut)
		return;
	struct trust_finding *sum =
	    trust_add(s, "further-findings", 0, "has %zu further finding%s of the same kinds", cut,
	              cut == 1 ? "" : "s");
	sum->warning_only = !others.spoils.nr;
	vec_move(&sum->spoils, &others.spoils);
	vec_release(&others.spoils);
}

int64_t trust_apart(const struct digest *d, int64_t at_ns)
{
	const int64_t from = INT64_C(1200000000000000000), to = INT64_C(4000000000000000000);
	const int64_t most = INT64_C(60000000000);
	if (d->start_ns < from || d->start_ns > to || at_ns < from || at_ns > to)
		return 0;
	int64_t before = at_ns - d->start_ns;
	int64_t after = before - (d->window_ns < to ? d->window_ns : to);
	return after > most ? after : before < -most ? before : 0;
}

#include "code/open_spans.h"

static void forget_last(struct open_spans *o)
{
	o->list.nr--;
	o->known = o->known < o->list.nr ? o->known : o->list.nr;
}

/* The earliest of `until_ns` and the ends of the first `i` open spans. */
static int64_t low_at(const struct open_spans *o, size_t i, int64_t until_ns)
{
	return i && o->list.v[i - 1].low_ns < until_ns ? o->list.v[i - 1].low_ns : until_ns;
}

void open_spans_enter(struct open_spans *o, int64_t start_ns, int64_t dur_ns, uint32_t name,
                      uint32_t tag)
{
	int64_t until_ns = start_ns + (dur_ns > 0 ? dur_ns : start_ns < INT64_MAX);
	while (o->list.nr && o->list.v[o->list.nr - 1].until_ns <= start_ns)
		forget_last(o);
	if (o->list.nr == OPEN_SPANS)
		return;
	int64_t low_ns = low_at(o, o->list.nr, until_ns);
	vec_push(&o->list, (struct open_span){ start_ns, until_ns, low_ns, name, tag, 0, 0 });
}

void open_spans_at(struct open_spans *o, int64_t at_ns)
{
	size_t nr = 0;
	while (o->list.nr && o->list.v[o->list.nr - 1].until_ns <= at_ns)
		forget_last(o);
	if (!o->list.nr || o->list.v[o->list.nr - 1].low_ns > at_ns)
		return;
	/* looks at the end of every span, since a span may end later than the span around it */
	for (size_t i = 0; i < o->list.nr; i++) {
		struct open_span s = o->list.v[i];
		if (s.until_ns <= at_ns) {
			o->known = o->known < nr ? o->known : nr;
			continue;
		}
		s.low_ns = low_at(o, nr, s.until_ns);
		o->list.v[nr++] = s;
	}
	o->list.nr = nr;
}

uint32_t open_spans_path(struct open_spans *o, struct code_paths *p)
{
	for (; o->known < o->list.nr; o->known++) {
		struct open_span *s = &o->list.v[o->known];
		s->path = code_path_child(p, o->known ? s[-1].path : 0, s->name);
	}
	return o->list.nr ? o->list.v[o->list.nr - 1].path : 0;
}

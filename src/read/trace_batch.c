/* Events on their way from the thread that reads them to the one that hands them on: of each what
   its kind has. */
#include "read/trace_batch.h"

#include <string.h>

#include "read/trace_parts.h"

enum { HAS_INPUTS = 1, HAS_COLLECTIVE = 2, HAS_PYTHON = 4 };

/* Members that stand side by side: what all have, what GPU and memory events have beside it, the
   collective but its texts, what Python's have. What only XProf's have is in no batch. */
#define AT(member) offsetof(struct event, member)
enum {
	GPU_AT = AT(bytes),
	MEMORY_AT = AT(memory_id),
	MEMORY_END = AT(input_dims),
	NUMBERS_AT = AT(collective.in_nelems),
	PYTHON_AT = AT(python_id),
	EVENT_END = AT(numbered),
};
_Static_assert(sizeof(struct event) == 352, "a new member of an event: batch_add(), batch_next()");

static char *put(char *to, const struct event *e, size_t from, size_t end)
{
	memcpy(to, (const char *)e + from, end - from);
	return to + (end - from);
}

static char *put_text(char *to, struct span s)
{
	memcpy(to, &s.n, sizeof s.n);
	if (s.n)
		memcpy(to + sizeof s.n, s.p, s.n);
	return to + sizeof s.n + s.n;
}

void batch_add(struct batch *b, const struct event *e)
{
	const struct collective_args *c = &e->collective;
	bool op = e->kind == EVENT_OP;
	struct span concrete = op ? e->concrete_inputs : SPAN(""); /* of others they mean nothing */
	bool inputs = e->input_dims.n || e->input_types.n || concrete.n || (op && e->flops);
	char has = (char)((inputs ? HAS_INPUTS : 0) | (c->name.n ? HAS_COLLECTIVE : 0) |
	                  (e->python_id >= 0 || e->python_parent >= 0 ? HAS_PYTHON : 0));
	size_t room = 1 + sizeof *e;
	if (inputs)
		room += e->input_dims.n + e->input_types.n + concrete.n;
	if (c->name.n)
		room += c->name.n + c->dtype.n + c->group.n + c->group_description.n;
	vec_reserve(b, room);
	char *p = b->v + b->nr;
	*p++ = has;
	p = put(p, e, 0, GPU_AT);
	if (event_is_gpu(e->kind))
		p = put(p, e, GPU_AT, MEMORY_AT);
	if (e->kind == EVENT_MEMORY)
		p = put(p, e, GPU_AT, MEMORY_END);
	if (inputs) {
		p = put_text(p, e->input_dims);
		p = put_text(p, e->input_types);
		p = put_text(p, concrete);
		p = put(p, e, AT(flops), AT(collective));
	}
	if (c->name.n) {
		const struct span texts[] = { c->name, c->dtype, c->group, c->group_description };
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			p = put_text(p, texts[i]);
		p = put(p, e, NUMBERS_AT, PYTHON_AT);
	}
	if (has & HAS_PYTHON)
		p = put(p, e, PYTHON_AT, EVENT_END);
	b->nr = (size_t)(p - b->v);
}

static const char *get(const char *from, struct event *e, size_t at, size_t end)
{
	memcpy((char *)e + at, from, end - at);
	return from + (end - at);
}

static const char *get_text(const char *from, struct span *s)
{
	memcpy(&s->n, from, sizeof s->n);
	s->p = from + sizeof s->n;
	return s->p + s->n;
}

/* What batch_next() may leave out. */
static void blank(struct event *e)
{
	e->bytes = e->flops = 0;
	e->grid[0] = e->block[0] = e->occupancy = -1;
	e->input_dims = e->input_types = e->concrete_inputs = (struct span){ 0 };
	if (e->collective.name.n)
		e->collective = EVENT_BLANK.collective;
	e->python_id = e->python_parent = -1;
}

bool batch_next(const struct batch *b, size_t *at, struct event *e)
{
	struct collective_args *c = &e->collective;
	if (*at == b->nr)
		return false;
	const char *p = b->v + *at;
	char has = *p++;
	blank(e);
	p = get(p, e, 0, GPU_AT);
	if (event_is_gpu(e->kind))
		p = get(p, e, GPU_AT, MEMORY_AT);
	if (e->kind == EVENT_MEMORY)
		p = get(p, e, GPU_AT, MEMORY_END);
	if (has & HAS_INPUTS) {
		p = get_text(p, &e->input_dims);
		p = get_text(p, &e->input_types);
		p = get_text(p, &e->concrete_inputs);
		p = get(p, e, AT(flops), AT(collective));
	}
	if (has & HAS_COLLECTIVE) {
		struct span *const texts[] = { &c->name, &c->dtype, &c->group, &c->group_description };
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			p = get_text(p, texts[i]);
		p = get(p, e, NUMBERS_AT, PYTHON_AT);
	}
	if (has & HAS_PYTHON)
		p = get(p, e, PYTHON_AT, EVENT_END);
	*at = (size_t)(p - b->v);
	return true;
}

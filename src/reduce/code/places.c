#include "code/places.h"

#include "base/number.h"
#include "base/strbuf.h"

/* Number of bytes of a frame's text that are searched for file and function. */
enum { SEEN_BYTES = 4096 };

void code_places_init(struct code_places *p, const struct site_rules *rules)
{
	*p = (struct code_places){ .rules = rules };
	name_table_init(&p->frame_names);
	name_table_init(&p->module_names);
	code_paths_init(&p->modules, &p->module_names);
	code_paths_init(&p->paths, NULL);
	vec_push(&p->stacks, (struct code_stack){ .place = NO_ID });
}

void code_places_release(struct code_places *p)
{
	name_table_release(&p->frame_names);
	name_table_release(&p->module_names);
	code_paths_release(&p->modules);
	code_paths_release(&p->paths);
	vec_release(&p->frames);
	vec_release(&p->stacks);
}

/* ---- single frames ---- */

/* Splits the text of a frame, such as "pkg/file.py(88): forward"; false if the text has another
 * form. Source: torch/csrc/profiler/orchestration/python_tracer.cpp. */
static bool split_frame(struct span text, struct code_frame *f)
{
	for (size_t end = text.n; end-- > 0;) {
		if (text.n - end < 3 || memcmp(text.p + end, "): ", 3) != 0)
			continue;
		size_t digits = end;
		while (digits && is_digit(text.p[digits - 1]))
			digits--;
		if (digits == end || !digits || text.p[digits - 1] != '(')
			continue;
		f->file = (struct span){ text.p, digits - 1 };
		f->function = (struct span){ text.p + end + 3, text.n - end - 3 };
		return number_parse((struct span){ text.p + digits, end - digits }, 0, &f->line);
	}
	return false;
}

static bool skips(const struct code_places *p, struct strbuf *b, struct span file,
                  struct span between, struct span function)
{
	strbuf_setlen(b, 0);
	strbuf_addch(b, '/');
	strbuf_add(b, file);
	strbuf_add(b, between);
	strbuf_add(b, function);
	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] == '\\')
			b->p[i] = '/';
	return p->rules && site_text_has(strbuf_span(b), p->rules->skip.v, p->rules->skip.nr);
}

/* The module that a frame names, without the number of its instance: "Linear" for the frame
 * "nn.Module: Linear_12". */
static uint32_t module_of(struct code_places *p, struct span text)
{
	if (!span_skip(&text, SPAN("nn.Module: ")))
		return NO_ID;
	size_t n = text.n;
	while (n && is_digit(text.p[n - 1]))
		n--;
	if (n && n < text.n && text.p[n - 1] == '_')
		text.n = n - 1;
	const struct name *nm = name_intern(&p->module_names, text);
	return nm ? nm->id : NO_ID;
}

static struct code_frame frame_new(struct code_places *p, struct span text)
{
	struct code_frame f = { .line = -1, .module = module_of(p, text) };
	struct strbuf b = STRBUF_INIT;
	if (text.n > SEEN_BYTES)
		text.n = SEEN_BYTES;
	if (split_frame(text, &f) && f.file.n && f.file.p[0] != '<') {
		struct span rest = { text.p + f.file.n, text.n - f.file.n };
		f.own = !skips(p, &b, f.file, rest, SPAN(""));
		f.skipped = skips(p, &b, f.file, SPAN(":"), f.function);
	} else {
		f.file = SPAN("");
	}
	strbuf_release(&b);
	return f;
}

uint32_t code_places_frame(struct code_places *p, struct span text)
{
	const struct name *nm = name_intern(&p->frame_names, text);
	if (!nm)
		return 0; /* if the table is full, all further names share one id */
	if (nm->id == p->frames.nr)
		vec_push(&p->frames, frame_new(p, name_span(nm)));
	return nm->id;
}

struct span code_without_number(struct span name)
{
	size_t n = name.n;
	while (n && is_digit(name.p[n - 1]))
		n--;
	while (n && n < name.n && memchr(" _-:#=", name.p[n - 1], 6))
		n--;
	return n ? (struct span){ name.p, n } : name;
}

uint32_t code_places_module(struct code_places *p, uint32_t path, struct span name)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, SPAN("nn.Module: "));
	strbuf_add(&b, name);
	strbuf_add(&b, SPAN("_0"));
	path = code_path_child(&p->paths, path, code_places_frame(p, strbuf_span(&b)));
	strbuf_release(&b);
	return path;
}

uint32_t code_places_of_text(struct code_places *p, struct span text)
{
	uint32_t path = 0;
	while (text.n) {
		size_t from = text.n;
		while (from && text.p[from - 1] != ';')
			from--;
		struct span frame = { text.p + from, text.n - from };
		path = code_path_child(&p->paths, path, code_places_frame(p, frame));
		text.n = from ? from - 1 : 0;
	}
	return path;
}

/* ---- stacks of frames ---- */

static struct code_stack stack_of(struct code_places *p, struct code_stack outer, uint32_t name)
{
	const struct code_frame *f = &p->frames.v[name];
	struct code_stack s = outer;
	s.own |= f->own;
	if (f->module != NO_ID)
		s.module = code_path_child(&p->modules, outer.module, f->module);
	if (f->file.n && (!f->skipped || !outer.found)) {
		s.place = name;
		s.found = !f->skipped;
	}
	return s;
}

struct code_stack code_places_stack(struct code_places *p, uint32_t path)
{
	/* a path comes after its parent, so the parent's stack is already there */
	while (p->stacks.nr < p->paths.list.nr) {
		const struct code_path *next = &p->paths.list.v[p->stacks.nr];
		vec_push(&p->stacks, stack_of(p, p->stacks.v[next->parent], next->name));
	}
	return p->stacks.v[path];
}

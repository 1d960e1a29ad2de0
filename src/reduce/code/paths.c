#include "code/paths.h"

#include "base/strbuf.h"

void code_paths_init(struct code_paths *p, const struct name_table *names)
{
	*p = (struct code_paths){ .names = names };
	idmap_init(&p->ids);
	vec_push_zero(&p->list);
}

void code_paths_release(struct code_paths *p)
{
	idmap_release(&p->ids);
	vec_release(&p->list);
	vec_release(&p->texts);
}

uint32_t code_path_child(struct code_paths *p, uint32_t parent, uint32_t name)
{
	struct code_path *v = p->list.v;
	uint32_t last = v[parent].last;
	if (last && v[last].name == name)
		return last;
	size_t bytes = p->names ? v[parent].bytes + (parent != 0) + p->names->by_id[name]->n : 0;
	if (bytes > CODE_PATH_BYTES)
		return parent;
	uint32_t id = idmap_add(&p->ids, idmap_pair(parent, name)) + 1;
	if (id == p->list.nr)
		vec_push(&p->list,
		         (struct code_path){ .parent = parent, .name = name, .bytes = (uint32_t)bytes });
	return p->list.v[parent].last = id;
}

static void add_path(const struct code_paths *p, uint32_t path, struct strbuf *b)
{
	uint32_t parent = p->list.v[path].parent;
	if (parent) {
		add_path(p, parent, b);
		strbuf_addch(b, CODE_BETWEEN);
	}
	struct span name = name_span(p->names->by_id[p->list.v[path].name]);
	for (size_t i = 0; i < name.n; i++)
		strbuf_addch(b, name.p[i] == CODE_BETWEEN ? ' ' : name.p[i]);
}

struct span code_path_text(struct code_paths *p, struct arena *a, uint32_t path)
{
	if (!path)
		return SPAN("");
	while (p->texts.nr < p->list.nr)
		vec_push(&p->texts, NULL);
	if (!p->texts.v[path]) {
		struct strbuf b = STRBUF_INIT;
		add_path(p, path, &b);
		p->texts.v[path] = arena_take(a, &b);
	}
	return (struct span){ p->texts.v[path], p->list.v[path].bytes };
}

#include "replay/sites.h"

#include <inttypes.h>

#include "base/strbuf.h"

#define NO_ROW UINT32_MAX
/* Number of bytes of a name that are searched, because C++ names can have megabytes. */
#define SEARCHED_BYTES 2048

/* The results of applying the rules for sites to a function in a file, which may be in many frames.
 */
struct frame_look {
	struct span file; ///< file name as it is shown for a site
	uint32_t row[NR_SITE_TIERS];
	bool skipped, plumbing, named;
	bool python; ///< true for a Python file, false for C or C++
	struct span node; ///< autograd node that the function runs, such as "SubBackward0"; or empty
};

/* ---- file names ---- */

static struct span after_last(struct span s, struct span needle)
{
	for (size_t i = s.n; i >= needle.n && needle.n; i--)
		if (memcmp(s.p + i - needle.n, needle.p, needle.n) == 0)
			return (struct span){ s.p + i, s.n - i };
	return (struct span){ NULL, 0 };
}

/* The path below site-packages, else the last two components of the path. The result does not
 * depend on where a project is installed. */
static struct span short_file(struct span file)
{
	struct span in = after_last(file, SPAN("-packages/"));
	if (in.n)
		return in;
	size_t from = file.n;
	for (int components = 0; from > 0; from--)
		if (file.p[from - 1] == '/' && ++components == 2)
			break;
	return (struct span){ file.p + from, file.n - from };
}

static void add_text(struct strbuf *b, struct span file, struct span function)
{
	if (function.n > SEARCHED_BYTES)
		function.n = SEARCHED_BYTES;
	if (file.n > SEARCHED_BYTES)
		file = (struct span){ file.p + file.n - SEARCHED_BYTES, SEARCHED_BYTES };
	strbuf_setlen(b, 0);
	strbuf_add(b, file);
	strbuf_addch(b, ':');
	strbuf_add(b, function);
}

/* The path of a file, with '/' in place of the '\\' of Windows. Owned by `a` if it had to be
   changed. */
static struct span with_slashes(struct arena *a, struct span file)
{
	if (!memchr(file.p, '\\', file.n))
		return file;
	char *path = arena_dup(a, file);
	for (char *p = path; (p = memchr(p, '\\', (size_t)(path + file.n - p)));)
		*p = '/';
	return (struct span){ path, file.n };
}

static bool is_compiled(struct span file)
{
	static const char *const endings[] = { ".c",  ".cc",  ".cpp", ".cxx", ".h",   ".hpp",
		                                   ".cu", ".cuh", ".inc", ".tcc", ".pyx", ".pxd",
		                                   ".S",  ".s",   ".o",   ".so",  ".rs" };
	return ANY(i, NR_OF(endings), span_ends(file, span_of(endings[i]))) ||
	       span_contains_nocase(file, SPAN(".so."));
}

/* True for the name of a Python file; "<string>", "<frozen runpy>", "??" and "" are not files. */
static bool is_of_python(struct span file)
{
	return file.n && file.p[0] != '<' && !span_eq(file, SPAN("??")) && !is_compiled(file);
}

/* The node of autograd that a C++ function runs, such as "SubBackward0" for
 * "torch::autograd::generated::SubBackward0::apply(…)"; empty if it runs none. Stacks of autograd's
 * threads have no Python frames, and begin in libc. */
static struct span node_of(struct span function)
{
	const struct span apply = SPAN("::apply(");
	struct span rest = function;
	size_t end = 0;
	if (!span_skip(&rest, SPAN("torch::autograd::")))
		return (struct span){ NULL, 0 };
	span_skip(&rest, SPAN("generated::"));
	while (end + apply.n <= rest.n && rest.p[end] != '(' &&
	       memcmp(rest.p + end, apply.p, apply.n) != 0)
		end++;
	bool runs = end + apply.n <= rest.n && rest.p[end] == ':';
	return (struct span){ rest.p, runs ? end : 0 };
}

/* ---- frames and the rules for them ---- */

static struct frame_look frame_look_new(const struct site_rules *r, struct span file,
                                        struct span function)
{
	struct frame_look l = { .file = short_file(file),
		                    .named = function.n && !span_eq(function, SPAN("??")),
		                    .python = is_of_python(file),
		                    .node = node_of(function) };
	struct strbuf text = STRBUF_INIT;
	for (size_t t = 0; t < NR_SITE_TIERS; t++)
		l.row[t] = NO_ROW;
	if (r) {
		add_text(&text, file, function);
		l.skipped = site_text_has(strbuf_span(&text), r->skip.v, r->skip.nr);
		l.plumbing = site_text_has(strbuf_span(&text), r->plumbing.v, r->plumbing.nr);
		add_text(&text, l.file, function);
		/* code at the top level of a module is not an operation, so it gets no category */
		bool module = span_eq(function, SPAN("<module>"));
		for (size_t t = 0; t < NR_SITE_TIERS && !module && !l.plumbing; t++)
			l.row[t] = (uint32_t)category_of(&r->tiers[t], strbuf_span(&text));
	}
	strbuf_release(&text);
	return l;
}

static const struct frame_look *look_of_frame(struct sites *t, const struct snapshot_frame *f)
{
	uint32_t id = idmap_add(&t->pairs, idmap_pair(f->function->id, f->file->id));
	if (id == t->looks.nr)
		vec_push(&t->looks, frame_look_new(t->rules, with_slashes(&t->arena, name_span(f->file)),
		                                   name_span(f->function)));
	return &t->looks.v[id];
}

/* ---- sites of stacks ---- */

/* For each kind of frame that may become the site of a stack: the innermost such frame, as an index
   in the snapshot's frames; UINT32_MAX if the stack has no frame of that kind. */
struct stack_frames {
	uint32_t user, categorized, outside_plumbing, named;
	uint32_t node; /* frame that runs a node of autograd, in a stack without Python */
	uint32_t tier, row;
};

static bool has_python(struct sites *t, const uint32_t *frames, uint32_t nr)
{
	return ANY(i, nr, look_of_frame(t, &t->snapshot->frames.v[frames[i]])->python);
}

/* If a stack has Python frames, only these can become the site, since the innermost C++ frames are
 * always those of the allocator, the dispatcher and the interpreter. */
static struct stack_frames search_stack(struct sites *t, const uint32_t *frames, uint32_t nr)
{
	struct stack_frames f = { UINT32_MAX, UINT32_MAX,    UINT32_MAX, UINT32_MAX,
		                      UINT32_MAX, NR_SITE_TIERS, NO_ROW };
	bool python = has_python(t, frames, nr);
	for (uint32_t i = 0; i < nr; i++) {
		const struct frame_look *l = look_of_frame(t, &t->snapshot->frames.v[frames[i]]);
		bool place = l->python || !python;
		for (uint32_t tier = 0; tier < f.tier; tier++)
			if (l->row[tier] != NO_ROW) {
				f.tier = tier;
				f.row = l->row[tier];
				f.categorized = place ? frames[i] : UINT32_MAX;
			}
		if (!l->named || !place)
			continue;
		if (f.node == UINT32_MAX && !python && l->node.n)
			f.node = frames[i];
		if (f.named == UINT32_MAX)
			f.named = frames[i];
		if (f.outside_plumbing == UINT32_MAX && !l->plumbing)
			f.outside_plumbing = frames[i];
		if (f.user == UINT32_MAX && !l->plumbing && !l->skipped)
			f.user = frames[i];
	}
	return f;
}

/* Index in `categories` of the category with this name, which is added if it is new. Rows in
 * several tiers (enum site_tier) may name the same category. */
static uint32_t category_slot(struct sites *t, const char *name)
{
	for (size_t i = 0; i < t->categories.nr; i++)
		if (strcmp(t->categories.v[i], name) == 0)
			return (uint32_t)i;
	vec_push(&t->categories, name);
	return (uint32_t)t->categories.nr - 1;
}

static enum status intern_site(struct sites *t, const struct site_entry *e, uint32_t *out,
                               struct diag_log *log)
{
	struct strbuf key = STRBUF_INIT;
	strbuf_addf(&key, "%u %u %" PRId64 " %zu ", e->category, (unsigned)e->site.kind, e->site.line,
	            e->site.file.n);
	strbuf_add(&key, e->site.file);
	strbuf_add(&key, e->site.function);
	const struct name *n = name_intern(&t->keys, strbuf_span(&key));
	strbuf_release(&key);
	if (!n)
		return diag_fail(log, ST_INPUT,
		                 "allocations come from more than 2^24 places or 1 GiB of names: record "
		                 "a shorter history");
	if (n->id == t->list.nr)
		vec_push(&t->list, *e);
	*out = n->id;
	return ST_OK;
}

enum status sites_find(struct sites *t, uint32_t stack, uint32_t *out, struct diag_log *log)
{
	const struct snapshot *s = t->snapshot;
	*out = SITE_ID_NO_STACK;
	if (stack >= s->stacks.nr || s->stacks.v[stack].nr == 0)
		return ST_OK;
	if (t->of_stack[stack]) {
		*out = t->of_stack[stack] - 1;
		return ST_OK;
	}
	struct stack_frames f =
	    search_stack(t, s->frame_ids.v + s->stacks.v[stack].first, s->stacks.v[stack].nr);
	struct site_entry e = { .site.kind = SITE_USER };
	uint32_t frame = f.node == UINT32_MAX ? f.user : f.node;
	if (f.user == UINT32_MAX || f.node != UINT32_MAX)
		e.site.kind = SITE_FRAMEWORK;
	if (frame == UINT32_MAX) {
		frame = f.categorized != UINT32_MAX        ? f.categorized
		        : f.outside_plumbing != UINT32_MAX ? f.outside_plumbing
		                                           : f.named;
	}
	if (frame != UINT32_MAX) {
		e.category = f.tier < NR_SITE_TIERS ? t->tier_slots[f.tier].v[f.row] : t->other;
		e.site.category = span_of(t->categories.v[e.category]);
		e.site.file = look_of_frame(t, &s->frames.v[frame])->file;
		e.site.function = name_span(s->frames.v[frame].function);
		e.site.line = s->frames.v[frame].line;
		if (f.node != UINT32_MAX) {
			e.site.file = SPAN("autograd");
			e.site.function = look_of_frame(t, &s->frames.v[frame])->node;
			e.site.line = 0;
		}
		TRY(intern_site(t, &e, out, log));
	}
	t->of_stack[stack] = *out + 1;
	return ST_OK;
}

static void add_fixed(struct sites *t, enum site_kind kind, const char *category)
{
	struct site_entry e = { .site = { .kind = kind, .category = span_of(category) } };
	struct strbuf key = STRBUF_INIT;
	strbuf_addf(&key, "%u", (unsigned)kind);
	name_intern(&t->keys, strbuf_span(&key));
	strbuf_release(&key);
	e.category = category_slot(t, category);
	vec_push(&t->list, e);
}

void sites_init(struct sites *t, const struct snapshot *s, const struct site_rules *rules)
{
	*t = (struct sites){ .snapshot = s, .rules = rules };
	name_table_init(&t->keys);
	idmap_init(&t->pairs);
	t->of_stack = mem_calloc(s->stacks.nr, sizeof *t->of_stack);
	for (size_t k = 0; rules && k < NR_SITE_TIERS; k++)
		for (size_t i = 0; i < rules->tiers[k].rows.nr; i++) {
			uint32_t slot = category_slot(t, rules->tiers[k].rows.v[i].name);
			vec_push(&t->tier_slots[k], slot);
		}
	t->other = category_slot(t, category_name(NULL, -1));
	add_fixed(t, SITE_NO_STACK, "without stack");
	add_fixed(t, SITE_BEFORE, "before recording");
	add_fixed(t, SITE_UNEXPLAINED, "unexplained");
}

void sites_release(struct sites *t)
{
	name_table_release(&t->keys);
	vec_release(&t->list);
	vec_release(&t->categories);
	idmap_release(&t->pairs);
	vec_release(&t->looks);
	arena_release(&t->arena);
	for (size_t k = 0; k < NR_SITE_TIERS; k++)
		vec_release(&t->tier_slots[k]);
	free(t->of_stack);
}

#include "results/path.h"

#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "metric/figure_name.h"

/* ---- one step of a path ---- */

enum path_kind { PATH_NAME, PATH_ALL, PATH_INDEX, PATH_WHERE, PATH_END, PATH_BAD };

struct path_step {
	enum path_kind kind;
	struct span name, text; ///< name of a member, for PATH_NAME and PATH_WHERE; text that this
	                        ///< member must have, for PATH_WHERE
	bool quoted;
	int64_t index;
};

static bool step_in_brackets(const char **p, struct path_step *out)
{
	const char *end = strchr(*p, ']');
	if (!end)
		return false;
	struct span s = { *p + 1, (size_t)(end - *p - 1) };
	const char *equals = memchr(s.p, '=', s.n);
	*p = end + 1;
	if (span_eq(s, SPAN("*"))) {
		out->kind = PATH_ALL;
		return true;
	}
	if (equals) {
		out->kind = PATH_WHERE;
		out->name = (struct span){ s.p, (size_t)(equals - s.p) };
		out->text = (struct span){ equals + 1, (size_t)(end - equals - 1) };
		return out->name.n > 0;
	}
	out->kind = PATH_INDEX;
	return number_parse(s, 0, &out->index);
}

/* Removes the first step, such as a key or an index, from the path `*p`. */
static struct path_step step_next(const char **p)
{
	struct path_step out = { .kind = PATH_END };
	if (!**p)
		return out;
	if (**p == '[') {
		if (!step_in_brackets(p, &out))
			out.kind = PATH_BAD;
		return out;
	}
	*p += **p == '.';
	out.kind = PATH_NAME;
	if (**p == '"') {
		const char *end = strchr(*p + 1, '"');
		if (!end)
			return (struct path_step){ .kind = PATH_BAD };
		out.quoted = true;
		out.name = (struct span){ *p + 1, (size_t)(end - *p - 1) };
		*p = end + 1;
	} else {
		out.name = (struct span){ *p, strcspn(*p, ".[") };
		*p += out.name.n;
		out.kind = out.name.n ? PATH_NAME : PATH_BAD;
	}
	return out;
}

const char *path_fault(const char *path)
{
	if (strlen(path) > 500)
		return "is longer than 500 bytes";
	path += strspn(path, "^");
	for (struct path_step s; (s = step_next(&path)).kind != PATH_END;)
		if (s.kind == PATH_BAD)
			return "is not a path: names between dots, [*], [n], [tag=text], .\"any name\"";
	return NULL;
}

struct span path_name(const char *path)
{
	struct span name = SPAN("");
	path += strspn(path, "^");
	for (struct path_step s; (s = step_next(&path)).kind < PATH_END;)
		if (s.kind == PATH_NAME)
			name = s.name;
	return name;
}

/* ---- visiting the values at a path ---- */

struct path_walk {
	const struct path_ignore *ignore;
	path_fn *fn;
	void *ctx;
};

static size_t count(const struct value *list)
{
	size_t nr = 0;
	for (const struct value *e = list->first; e; e = e->next)
		nr++;
	return nr;
}

static bool fits_where(const struct value *v, const struct path_step *s)
{
	const struct value *m = value_get(v, s->name);
	return m && span_eq(m->text, s->text);
}

static void walk(const struct path_walk *w, const char *path, struct path_hit at);

static void walk_elements(const struct path_walk *w, const struct path_step *s, const char *path,
                          struct path_hit at)
{
	struct value *m = at.v->first;
	int64_t i = 0, want = s->index < 0 ? (int64_t)count(at.v) + s->index : s->index;
	for (; m; m = m->next, i++)
		if (s->kind == PATH_ALL || (s->kind == PATH_INDEX && i == want) ||
		    (s->kind == PATH_WHERE && fits_where(m, s)))
			walk(w, path, (struct path_hit){ m, at.first_key, at.last_key });
}

static void walk_members(const struct path_walk *w, const struct path_step *s, const char *path,
                         struct path_hit at)
{
	bool glob = !s->quoted && memchr(s->name.p, '*', s->name.n);
	const struct value *only = glob ? NULL : value_get(at.v, s->name);
	size_t nr_ignored = w->ignore ? w->ignore->nr : 0;
	for (struct value *m = at.v->first; m; m = m->next)
		if (glob ? span_glob(s->name, m->key) &&
		               !ANY(i, nr_ignored, span_glob(w->ignore->v[i], m->key))
		         : m == only)
			walk(w, path,
			     (struct path_hit){ m, glob && !at.first_key.p ? m->key : at.first_key,
			                        glob ? m->key : at.last_key });
}

/* Visits the values at a path; the recursion is as deep as the path has steps. */
static void walk(const struct path_walk *w, const char *path, struct path_hit at)
{
	struct value *v = at.v;
	if (v->steps) {
		for (struct value *m = v->first; m; m = m->next)
			walk(w, path, (struct path_hit){ m, at.first_key, at.last_key });
		return;
	}
	struct path_step s = step_next(&path);
	if (s.kind == PATH_END)
		w->fn(w->ctx, &at);
	else if (s.kind == PATH_NAME && v->type == JSCAN_OBJECT)
		walk_members(w, &s, path, at);
	else if (s.kind == PATH_WHERE && v->type == JSCAN_OBJECT && fits_where(v, &s))
		walk(w, path, at);
	else if (s.kind != PATH_NAME && v->type == JSCAN_ARRAY)
		walk_elements(w, &s, path, at);
}

static struct value *enclosing(struct value *v)
{
	for (v = v->parent; v && v->type != JSCAN_OBJECT && !v->steps;)
		v = v->parent;
	return v;
}

void path_visit(const char *path, struct value *from, const struct path_ignore *ignore, path_fn *fn,
                void *ctx)
{
	struct path_walk w = { ignore, fn, ctx };
	for (; *path == '^' && from; path++)
		from = enclosing(from);
	if (from)
		walk(&w, path, (struct path_hit){ .v = from });
}

static void keep_last(void *ctx, const struct path_hit *hit)
{
	*(struct value **)ctx = hit->v;
}

struct value *path_find(const char *path, struct value *from)
{
	struct value *found = NULL;
	path_visit(path, from, NULL, keep_last, &found);
	return found;
}

/* ---- filling in of templates ---- */

/* Takes a word in braces off the front of `*p`, which is at '{'; false if the word does not end. */
static bool word_next(const char **p, char *buf, size_t size)
{
	const char *end = strchr(*p, '}');
	size_t n = end ? (size_t)(end - *p - 1) : size;
	if (n >= size)
		return false;
	memcpy(buf, *p + 1, n);
	buf[n] = '\0';
	*p = end + 1;
	return true;
}

enum { WORD_BYTES = 512 };

const char *template_fault(const char *text)
{
	char word[WORD_BYTES];
	for (const char *p = strchr(text, '{'); p; p = strchr(p, '{')) {
		if (!word_next(&p, word, sizeof word))
			return "has a '{' without its '}'";
		const char *fault = path_fault(word);
		if (fault)
			return fault;
	}
	return NULL;
}

/* Appends the names and values of the columns that hold no figure, recognized by the lack of a
 * unit: "N_256.K_64". */
static void add_columns(struct value *record, struct strbuf *out)
{
	const char *between = "";
	for (const struct value *m = record->first; m; m = m->next) {
		if (memchr(m->key.p, '(', m->key.n) || m->key.n == 0)
			continue;
		strbuf_addf(out, "%s%.*s_", between, (int)m->key.n, m->key.p);
		strbuf_add(out, m->text);
		between = ".";
	}
}

static void add_member(void *out, const struct path_hit *hit)
{
	strbuf_addch(out, '.');
	strbuf_add(out, hit->last_key);
	strbuf_add(out, figure_case_plain(hit->v->text)); /* without folders in paths, since they
	                                                     differ between machines */
}

/* Appends a key with its short words in capitals, since these are likely abbreviations. */
static void add_capitals(struct span key, struct strbuf *out)
{
	enum { SHORT = 4 };
	for (size_t i = 0, n; i < key.n; i += n) {
		for (n = 0; i + n < key.n && key.p[i + n] != '_' && key.p[i + n] != '-';)
			n++;
		bool small = n <= SHORT;
		for (size_t k = i; k < i + n; k++)
			strbuf_addch(out, (char)(small && key.p[k] >= 'a' && key.p[k] <= 'z' ? key.p[k] & ~0x20
			                                                                     : key.p[k]));
		if (!n)
			strbuf_addch(out, key.p[i + n++]);
	}
}

/* Index of a value among the members of its parent. */
static size_t place_of(const struct value *v)
{
	size_t place = 0;
	for (const struct value *e = v->parent->first; e != v; e = e->next)
		place++;
	return place;
}

/* Appends the combination of parameters that belongs to a value: one element from each list of
 * parameters after the list that holds the value. The last list varies fastest. If there are not as
 * many combinations as values, appends the place of the value, counted from 1. */
static void add_combination(const struct value *v, struct strbuf *out)
{
	const struct value *lists = v ? v->parent->next : NULL;
	size_t all = 1, place = lists ? place_of(v) : 0;
	for (const struct value *list = lists ? lists->first : NULL; list; list = list->next)
		all *= count(list);
	bool fits = lists && all == count(v->parent);
	bool alone = !v || (v->parent->first == v && !v->next);
	if (!fits && (lists || !alone))
		strbuf_addf(out, ".%zu", place_of(v) + 1);
	for (const struct value *list = fits ? lists->first : NULL; list && all; list = list->next) {
		const struct value *e = list->first;
		all /= count(list);
		for (size_t i = all ? place / all % count(list) : 0; i > 0; i--)
			e = e->next;
		struct span text = e->text; /* asv quotes texts as Python does: 'a' */
		bool quoted = text.n > 1 && text.p[0] == '\'' && text.p[text.n - 1] == '\'';
		strbuf_addch(out, '.');
		strbuf_add(out, quoted ? (struct span){ text.p + 1, text.n - 2 } : text);
	}
}

struct span template_fill(const char *text, const struct template_words *w, struct arena *a)
{
	struct strbuf out = STRBUF_INIT;
	char word[WORD_BYTES];
	while (*text) {
		size_t n = strcspn(text, "{");
		strbuf_add(&out, (struct span){ text, n });
		text += n;
		if (!*text || !word_next(&text, word, sizeof word))
			break;
		struct value *v = NULL;
		if (strcmp(word, "key") == 0 && w->key.p)
			strbuf_add(&out, w->key);
		else if (strcmp(word, "KEY") == 0 && w->key.p)
			add_capitals(w->key, &out);
		else if (strcmp(word, "file") == 0)
			strbuf_adds(&out, w->file);
		else if (strcmp(word, "index") == 0)
			strbuf_addf(&out, "%zu", w->value ? place_of(w->value) : 0);
		else if (strcmp(word, "combination") == 0)
			add_combination(w->value, &out);
		else if (strcmp(word, "columns") == 0)
			add_columns(w->record, &out);
		else if (strlen(word) > 2 && strcmp(word + strlen(word) - 2, ".*") == 0)
			path_visit(word, w->record, NULL, add_member, &out);
		else if ((v = path_find(word, *word == '^' && w->value ? w->value : w->record)) &&
		         v->type != JSCAN_NULL)
			strbuf_add(&out, w->no_folders ? figure_case_plain(v->text) : v->text);
		else
			strbuf_adds(&out, "none");
	}
	size_t n = out.n;
	return (struct span){ arena_take(a, &out), n };
}

#include "model/category.h"

#include "base/strbuf.h"

enum { PAIRS = 1024 };

const char *const class_names[] = { CLASSES(ENUM_WORD) NULL };

/* Hash of two lower-case letters; less than PAIRS. */
static unsigned pair(unsigned a, unsigned b)
{
	return (a * 31 + b) % PAIRS;
}

/* The same hash of the two letters at `p`, whatever their case. */
static unsigned pair_at(const char *p)
{
	return pair((unsigned char)p[0] | 0x20u, (unsigned char)p[1] | 0x20u);
}

static bool is_special(char c)
{
	return c == '*' || c == '?';
}

/* The pairs of letters that a name has, by their hashes. */
struct pairs {
	bool has[PAIRS];
};

static struct pairs pairs_of(struct span name)
{
	struct pairs out = { { false } };
	unsigned last = name.n ? (unsigned char)name.p[0] | 0x20u : 0, next;
	for (size_t i = 1; i < name.n; i++, last = next) {
		next = (unsigned char)name.p[i] | 0x20u;
		out.has[pair(last, next)] = true;
	}
	return out;
}

/* False if `needle` has a pair of letters that a name lacks, so that the name cannot contain
 * `needle`. This quick test pays, since each name is compared with about a hundred substrings. */
static bool may_contain(const struct pairs *pairs, struct span needle)
{
	for (size_t i = 0; i + 1 < needle.n; i++)
		if (!pairs->has[pair_at(needle.p + i)] && !is_special(needle.p[i]) &&
		    !is_special(needle.p[i + 1]))
			return false;
	return true;
}

int category_of(const struct category_table *t, struct span name)
{
	struct pairs pairs = pairs_of(name);
	for (size_t i = 0; i < t->added.nr; i++)
		if (span_holds_nocase(name, t->added.v[i].text))
			return t->added.v[i].row;
	for (size_t i = 0; i < t->rows.nr; i++)
		for (size_t j = 0; j < t->rows.v[i].match.nr; j++) {
			struct span needle = t->rows.v[i].match.v[j];
			if (may_contain(&pairs, needle) && span_holds_nocase(name, needle))
				return (int)i;
		}
	return -1;
}

bool category_add(struct category_table *t, const struct category_addition *a)
{
	int row = category_index(t, span_of(a->category));
	if (row < 0)
		return false;
	for (size_t i = 0; i < a->match.nr; i++)
		vec_push(&t->added, (struct category_text){ a->match.v[i], row });
	return true;
}

enum category_class category_class_at(const struct category_table *t, int index)
{
	return index < 0 ? CLASS_OTHER : t->rows.v[index].cls;
}

enum category_class category_class_of(const struct category_table *t, struct span name)
{
	return category_class_at(t, category_of(t, name));
}

/* Ids of some categories have a British spelling, which stored files hold; reports show the
   American one. */
const char *category_title(const char *name)
{
	static const char *const labels[][2] = { { "normalisation", "normalization" },
		                                     { "quantisation", "quantization" },
		                                     { "dequantisation", "dequantization" } };
	for (size_t i = 0; i < NR_OF(labels); i++)
		if (strcmp(labels[i][0], name) == 0)
			return labels[i][1];
	return name;
}

const char *category_name(const struct category_table *t, int index)
{
	return index < 0 ? "other" : t->rows.v[index].name;
}

int category_index(const struct category_table *t, struct span name)
{
	for (size_t i = 0; i < t->rows.nr; i++)
		if (span_eq(name, span_of(t->rows.v[i].name)))
			return (int)i;
	return -1;
}

enum category_class category_class_named(const struct category_table *t, struct span name)
{
	return category_class_at(t, category_index(t, name));
}

static void add_word(struct strbuf *b, struct span word)
{
	if (b->n)
		strbuf_addch(b, ' ');
	strbuf_add(b, word);
}

const char *category_communication(const struct category_table *t, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct category *c = &t->rows.v[i];
		for (size_t j = 0; c->cls == CLASS_COMMUNICATION && j < c->match.nr; j++)
			add_word(&b, c->match.v[j]);
	}
	for (size_t i = 0; i < t->added.nr; i++)
		if (t->rows.v[t->added.v[i].row].cls == CLASS_COMMUNICATION)
			add_word(&b, t->added.v[i].text);
	return arena_take(a, &b);
}

bool category_matches_any(const char *patterns, struct span name)
{
	struct pairs pairs = pairs_of(name);
	for (const char *p = patterns; *p;) {
		size_t n = strcspn(p, " ");
		struct span needle = { p, n };
		if (n && may_contain(&pairs, needle) && span_holds_nocase(name, needle))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

void category_table_release(struct category_table *t)
{
	for (size_t i = 0; i < t->rows.nr; i++)
		vec_release(&t->rows.v[i].match);
	vec_release(&t->rows);
	vec_release(&t->added);
	arena_release(&t->arena);
}

#include "rules/keys.h"

#include "rules/rules_file.h"

/* Largest number of texts in a file, which limits the work: each kernel name is compared with all
 * texts, and each text with all texts before it. */
enum { MAX_MATCHES = 2000 };

static const struct key row_keys[] = {
	KEY("category", TEXT, REQUIRED, "name of the category", INTO(category, name)),
	KEY("class", WORD, REQUIRED, "what it counts as", INTO(category, cls), .words = class_names),
	KEY("match", TEXTS, REQUIRED,
	    "texts that a name holds, without case, with * and ?; the first row that has one wins",
	    INTO(category, match)),
};
const struct key_map category_keys = KEY_TABLE("a category", row_keys);
static const struct key file_key =
    KEY("categories", MAPS, REQUIRED, "the whole file", .map = &category_keys);

/* Check that the name of a category is unique, and not "other", which means that no row matches. */
static enum status check_name(struct document *d, const struct category_table *t,
                              const struct node *n)
{
	if (span_eq_nocase(n->text, SPAN("other")))
		return document_fail(d, n, "'other' is what no category matches: choose another name");
	for (size_t i = 0; i < t->rows.nr; i++)
		if (span_eq(n->text, span_of(t->rows.v[i].name)))
			return document_fail(d, n, "two categories are called %s", document_quote(d, n->text));
	return ST_OK;
}

/* Refuse a text that contains a text of an earlier row: any name that contains the later text
   belongs to the earlier row. */
static enum status check_match(struct document *d, const struct category_table *t,
                               const struct node *n)
{
	int row = category_of(t, n->text);
	if (row < 0 || (size_t)row + 1 == t->rows.nr)
		return ST_OK;
	const struct category *first = &t->rows.v[row];
	size_t k = 0;
	while (!span_holds_nocase(n->text, first->match.v[k]))
		k++;
	return document_fail(d, n, "%s never matches: '%s' of '%s' comes first",
	                     document_quote(d, n->text), first->match.v[k].p, first->name);
}

enum status category_rows_read(struct document *d, const struct node *list,
                               struct category_table *out)
{
	size_t matches = 0;
	for (const struct node *n = list->first; n; n = n->next) {
		const struct node *name = node_get(n, "category");
		TRY(check_name(d, out, name));
		keys_fill(&category_keys, n, &out->arena, vec_push_zero(&out->rows));
		for (const struct node *m = node_get(n, "match")->first; m; m = m->next) {
			if (++matches > MAX_MATCHES)
				return document_fail(d, m, "more than %d texts", MAX_MATCHES);
			/* built-in tables are not checked in each run: a test checks them */
			if (!d->built_in)
				TRY(check_match(d, out, m));
		}
	}
	return ST_OK;
}

/* Check that the texts of communication categories have no blanks. Digests store these texts in one
 * line, separated by blanks. */
static enum status check_communication(struct document *d, const struct category_table *t)
{
	const struct node *n = d->root->first;
	for (size_t i = 0; i < t->rows.nr; i++, n = n->next) {
		if (t->rows.v[i].cls != CLASS_COMMUNICATION)
			continue;
		for (const struct node *m = node_get(n, "match")->first; m; m = m->next)
			if (memchr(m->text.p, ' ', m->text.n))
				return document_fail(d, m, "%s: texts of communication must not hold blanks",
				                     document_quote(d, m->text));
	}
	return ST_OK;
}

static enum status read_root(struct document *d, void *ctx)
{
	struct category_table *out = ctx;
	out->source = arena_dup(&out->arena, span_of(d->name));
	TRY(keys_check_value(d, &file_key, d->root));
	TRY(category_rows_read(d, d->root, out));
	return check_communication(d, out);
}

enum status categories_read(const char *path, const struct span *text, struct category_table *out,
                            struct diag_log *log)
{
	*out = (struct category_table){ .source = NULL };
	return document_open(path, text, &table_categories, read_root, out, log);
}

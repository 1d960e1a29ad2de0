/* Queries: one function gives any figure of a run, reduced over steps, devices and ranks. */
#include <string.h>

#include "base/number.h"
#include "model/fold.h"
#include "model/memory_view.h"
#include "model/phases.h"
#include "model/select.h"

enum { MAX_TITLE = 64 };

struct collector {
	const struct run_view *view;
	const struct query *query;
	bool by_label; ///< true: each label gets an answer of its own; false: the values of all
	               ///< devices, or of all memories, are reduced to one
	struct answers *out;
};

const char *query_name(const struct query *q)
{
	enum label_kind kind = q->metric->label;
	bool numbered = kind == LABEL_DEVICE || kind == LABEL_MEMORY;
	for (const struct select_key *key = select_table; key->name && !numbered; key++)
		if (strcmp(key->name, label_names[kind]) == 0)
			return select_glob_in(q, key);
	return NULL;
}

static bool is_title(struct span asked, struct span category)
{
	char name[MAX_TITLE];
	if (category.n >= sizeof name)
		return false;
	memcpy(name, category.p, category.n);
	name[category.n] = '\0';
	return span_eq(asked, span_of(category_title(name)));
}

enum name_fit item_fit(const struct metric *m, struct span asked, struct span label)
{
	/* compilers name operators after their kernels, and reports shorten both names alike */
	bool function = m->label == LABEL_KERNEL || m->label == LABEL_FUNCTION || m->label == LABEL_OP;
	enum name_fit fit = name_fit(asked, label, function);
	if (fit == FIT_CUT_FORM && m->label == LABEL_OP)
		fit = name_fit(asked, label, false);
	bool title = fit < FIT_SHOWN && m->label == LABEL_CATEGORY && is_title(asked, label);
	return title ? FIT_SHOWN : fit;
}

size_t query_keep_named(const struct query *q, void *items, size_t nr, size_t size, struct arena *a)
{
	const char *name = query_name(q);
	struct span asked = span_of(name ? name : "");
	if (!name)
		return nr;
	char *at = items;
	unsigned char *fits = arena_alloc(a, nr + 1, 1), best = FIT_NONE;
	struct span before = { 0 };
	for (size_t i = 0; i < nr && best < FIT_WHOLE; i++) {
		struct span label = *(const struct span *)(const void *)(at + i * size);
		best = span_eq(label, asked) ? FIT_WHOLE : best;
	}
	for (size_t i = 0; i < nr; before = *(const struct span *)(const void *)(at + i++ * size)) {
		struct span label = *(const struct span *)(const void *)(at + i * size);
		if (i && span_eq(label, before))
			fits[i] = fits[i - 1];
		else if (best == FIT_WHOLE)
			fits[i] = span_eq(label, asked) ? FIT_WHOLE : FIT_NONE;
		else
			fits[i] = (unsigned char)item_fit(q->metric, asked, label);
		best = fits[i] > best ? fits[i] : best;
	}
	size_t kept = 0;
	for (size_t i = 0; i < nr; i++)
		if (best && fits[i] == best)
			memmove(at + kept++ * size, at + i * size, size);
	return kept;
}

static bool matches(const char *glob, struct span text)
{
	return !glob || span_glob(span_of(glob), text);
}

bool rank_scope_has(struct rank_scope s, int64_t rank)
{
	char text[NUMBER_TEXT];
	return (!s.one || rank == s.rank) &&
	       (!s.glob || matches(s.glob, span_of(number_format(rank, 0, text))));
}

bool class_is_asked(const char *name, enum category_class cls)
{
	return !name ||
	       (strcmp(name, class_names[CLASS_COMMUNICATION]) == 0) == (cls == CLASS_COMMUNICATION);
}

bool figure_is_selected(const struct run_view *v, const struct query *q, const struct figure *f)
{
	struct span category;
	switch (f->metric->label) {
	case LABEL_KERNEL:
		category = span_of(category_name(v->naming->categories, f->kernel->category));
		return class_is_asked(q->cls, f->kernel->cls) &&
		       (matches(q->category, category) || is_title(span_of(q->category), category));
	case LABEL_CATEGORY:
		return class_is_asked(q->cls, category_class_named(v->naming->categories, f->label));
	case LABEL_OP:
		return f->metric->parts == PARTS_CODE || !q->cls ||
		       class_is_asked(q->cls, category_class_of(v->naming->categories, f->label));
	case LABEL_DEVICE:
		return matches(q->device, f->label);
	case LABEL_MEMORY:
		return memory_is_selected(q->memory, f->label);
	case LABEL_NONE:
		return matches(q->phase, f->label);
	default:
		return true;
	}
}

static void collect(void *ctx, const struct figure *f)
{
	struct collector *c = ctx;
	if (figure_is_selected(c->view, c->query, f))
		vec_push(&c->out->list,
		         (struct answer){ .label = c->by_label ? f->label : SPAN(""),
		                          .rank = f->rank,
		                          .value = f->summary
		                                       ? f->summary[c->query->stat]
		                                       : stat_of(c->query->stat, f->samples, f->nr) });
}

ORDERING(answer_cmp, struct answer, BY_SPAN(label) RISING(rank))

/* Reduces each group of adjacent answers with the same label (and, if `by_rank`, the same rank) to
 * one answer. `asked` is the number of ranks that the query selects; `lacks` becomes the number of
 * these ranks that have no value (0 if `by_rank`). */
static void reduce_groups(struct answers *list, enum reduce reduce, bool by_rank, int64_t asked,
                          struct arena *a)
{
	int64_t *values = arena_alloc(a, list->list.nr, sizeof *values);
	struct answer *v = list->list.v;
	size_t nr = 0;
	for (size_t i = 0, end; i < list->list.nr; i = end) {
		for (end = i; end < list->list.nr && span_eq(v[end].label, v[i].label) &&
		              (!by_rank || v[end].rank == v[i].rank);
		     end++)
			values[end] = v[end].value;
		int64_t ranks = 0;
		for (size_t k = i; k < end; k++)
			ranks += k == i || v[k].rank != v[k - 1].rank;
		v[nr] = v[i];
		v[nr].lacks = by_rank ? 0 : asked - ranks;
		v[nr++].value = reduce_of(reduce, values + i, end - i);
	}
	list->list.nr = nr;
}

void run_query(const struct run_view *v, const struct query *q, struct arena *a,
               struct answers *out)
{
	enum label_kind kind = q->metric->label;
	*out = (struct answers){ 0 };
	if (kind == LABEL_PAIR)
		return;
	if (run_fold(v->run)) {
		fold_query(v, q, a, out);
		vec_sort(&out->list, answer_cmp);
		out->list.nr = query_keep_named(q, out->list.v, out->list.nr, sizeof *out->list.v, a);
		return;
	}
	struct collector c = { v, q, true, out };
	if (kind == LABEL_DEVICE)
		c.by_label = q->reduce == REDUCE_EACH || q->device;
	if (kind == LABEL_MEMORY)
		c.by_label = q->reduce == REDUCE_EACH || q->memory;
	int64_t asked = 0;
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		if (rank_scope_has((struct rank_scope){ .glob = q->rank }, v->ranks[i].digest->rank)) {
			rank_asked_figures(v, i, q, collect, &c);
			asked++;
		}
	vec_sort(&out->list, answer_cmp);
	out->list.nr = query_keep_named(q, out->list.v, out->list.nr, sizeof *out->list.v, a);
	if (!c.by_label)
		reduce_groups(out, q->reduce, true, asked, a);
	if (q->reduce != REDUCE_EACH)
		reduce_groups(out, q->reduce, false, asked, a);
	for (size_t i = 0; i < out->list.nr; i++)
		if (q->reduce != REDUCE_EACH || v->run->ranks.nr == 1)
			out->list.v[i].rank = -1;
}

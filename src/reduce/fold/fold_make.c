#include "fold/make.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "model/memory_view.h"
#include "model/phases.h"
#include "model/rows.h"

/* ---- collecting the figures of ranks ---- */

/* A value of the rank with index `at`, and the figure that it belongs to. */
struct entry {
	struct fold_figure key; ///< metric, statistic and labels of the figure; without values
	size_t at;
	int64_t value;
};

/* Classes of kernels to which a rule can restrict figures by place in the code. */
static const char *const fold_classes[] = { "compute", "communication", NULL };

/// Figures that are collected from the ranks.
struct collector {
	const struct run_view *view;
	size_t at;
	/// class of the kernels that count in figures by place in the code; NULL: kernels of all
	/// classes
	const char *cls;
	VEC(struct entry) all;
	VEC(int64_t) items; ///< values of one metric for the devices or memories of the current rank
};

ORDERING(entry_cmp, struct entry, THEN(fold_figure_cmp(&x->key, &y->key)) RISING(at))

static void add(struct collector *c, struct fold_figure key, int64_t value)
{
	vec_push(&c->all, (struct entry){ key, c->at, value });
}

static void take_figure(void *ctx, const struct figure *f)
{
	struct collector *c = ctx;
	/* each rank may name its devices and memories differently: their values are collected, and
	   take_items() adds them without a label */
	if (fold_is_item(f->metric)) {
		if (f->metric->label != LABEL_MEMORY || memory_is_selected(NULL, f->label))
			vec_push(&c->items, f->samples[0]);
		return;
	}
	struct fold_figure key = {
		.metric = f->metric->id, .within = REDUCE_EACH, .label = f->label, .category = SPAN("")
	};
	if (c->cls)
		key.category = span_of(c->cls);
	if (f->kernel) {
		key.cls = f->kernel->cls;
		key.category = span_of(category_name(c->view->naming->categories, f->kernel->category));
	}
	for (int stat = 0; stat < (f->metric->per_step ? NR_STATISTICS : 1); stat++) {
		key.stat = (enum statistic)stat;
		add(c, key, f->summary ? f->summary[stat] : stat_of(key.stat, f->samples, f->nr));
	}
}

/* Adds the values of a rank's devices or memories. A single value is added as it is. Several values
 * are reduced to one, once for each way of reducing them. */
static void take_items(struct collector *c, const struct metric *m)
{
	struct fold_figure key = { .metric = m->id, .label = SPAN(""), .category = SPAN("") };
	size_t nr = c->items.nr;
	for (int k = nr == 1 ? REDUCE_EACH : REDUCE_MAX; nr && k <= REDUCE_EACH; k++) {
		key.within = (enum reduce)k;
		if (nr == 1)
			add(c, key, c->items.v[0]);
		else if (k != REDUCE_EACH)
			add(c, key, reduce_of(key.within, c->items.v, nr));
	}
	c->items.nr = 0;
}

/* True for metrics whose figures a fold has. A fold has no figures of threads, whose names differ
 * from rank to rank, and none of result files, since ranks with such figures are not folded.
 * Figures that compare ranks are included only if all ranks of the run are known (`complete`). */
static bool is_folded(const struct metric *m, bool complete)
{
	bool across = m->need == NEED_RANKS || m->need == NEED_MATCHED;
	return m->label != LABEL_PAIR && m->label != LABEL_THREAD && (complete || !across) &&
	       m->need != NEED_INPUT;
}

/* Collects a metric by place in the code separately for each class of kernels. */
static void collect_classes(struct collector *c, const struct metric *m)
{
	for (int k = 0; fold_classes[k]; k++) {
		c->cls = fold_classes[k];
		rank_code_figures(c->view, c->at, m, NULL, c->cls, take_figure, c);
	}
	c->cls = NULL;
}

static void collect(struct collector *c, bool complete)
{
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		if (!is_folded(m, complete))
			continue;
		rank_figures(c->view, c->at, m, take_figure, c);
		take_items(c, m);
		if (m->parts == PARTS_CODE)
			collect_classes(c, m);
		if (m->per_step)
			rank_phase_figures(c->view, c->at, m, take_figure, c);
	}
}

static void make_figures(struct fold *f, struct entry *v, size_t nr)
{
	sort_plain(v, nr, sizeof *v, entry_cmp);
	for (size_t i = 0, end; i < nr; i = end) {
		struct fold_figure *g = vec_push_zero(&f->figures);
		*g = v[i].key;
		g->label = arena_span(&f->arena, g->label);
		g->category = arena_span(&f->arena, g->category);
		if (fold_is_by_rank(g))
			g->value = fold_column(f);
		for (end = i; end < nr && fold_figure_cmp(&v[end].key, &v[i].key) == 0; end++)
			if (g->value)
				g->value[v[end].at] = v[end].value;
			else
				tally_add(&g->tally, v[end].value, f->rank[v[end].at]);
	}
}

/* ---- numbers of each rank ---- */

static struct fold_pattern pattern_of(const struct digest *d)
{
	/* a digest with only summaries has no step numbers */
	return (struct fold_pattern){ d->step_numbers, d->summaries.nr ? 0 : d->nr_steps };
}

static struct fold_deed deed_of(const struct digest *d, const struct fold_peer *peer)
{
	const struct progress *p = &d->progress;
	struct fold_deed out = {
		.op = p->op, .activity = p->activity, .waits_in = p->waits_in, .fewer_in = peer->fewer.group
	};
	int64_t throttled = 0, others = 0;
	for (size_t i = 0; i < d->machines.nr; i++) {
		const struct machine_stat *m = &d->machines.v[i];
		if (m->throttled_pct > throttled) {
			throttled = m->throttled_pct;
			out.throttled = span_of(m->id);
			out.reasons = span_of(m->reasons ? m->reasons : "");
		}
		if (m->other_processes > others) {
			others = m->other_processes;
			out.shared = span_of(m->id);
		}
	}
	return out;
}

static void put_numbers(struct fold *f, size_t at, const struct digest *d,
                        const struct fold_peer *peer)
{
	struct fold_pattern pattern = pattern_of(d);
	struct fold_deed deed = deed_of(d, peer);
	struct digest own = *d;
	own.cross = peer->cross;
	for (size_t i = 0; i < FOLD_TRUST; i++)
		if (fold_members[i])
			f->number[i][at] = *(const int64_t *)(const void *)((char *)&own + fold_members[i]);
	f->number[FOLD_STEPS][at] = (int64_t)d->nr_steps;
	f->number[FOLD_PATTERN][at] = (int64_t)lower_bound(f->patterns.v, f->patterns.nr,
	                                                   sizeof pattern, &pattern, fold_pattern_cmp);
	f->number[FOLD_DEED][at] =
	    (int64_t)lower_bound(f->deeds.v, f->deeds.nr, sizeof deed, &deed, fold_deed_cmp);
	f->number[FOLD_GPU][at] = d->kernels.nr > 0;
	f->number[FOLD_SHARE][at] = d->summaries.nr ? MICRO : digest_last_share(d);
	f->number[FOLD_ALONE][at] = peer->alone_ns;
	f->number[FOLD_LINK][at] = peer->link;
	f->number[FOLD_FEWER_KIND][at] = peer->fewer.kind;
	f->number[FOLD_FEWER_COUNT][at] = peer->fewer.count;
	f->number[FOLD_FEWER_USUAL][at] = peer->fewer.usual;
	for (size_t i = 0; i < trust_counts_row.nr; i++) {
		const struct field *field = &trust_counts_row.fields[i];
		const void *from = (const char *)&d->trust + field->offset;
		f->number[fold_of_trust(i)][at] =
		    field->type == FIELD_BOOL ? *(const bool *)from : *(const int64_t *)from;
	}
}

static void make_numbers(struct fold *f, struct digest *const *ranks, const struct fold_peer *peers)
{
	for (size_t i = 0; i < NR_FOLD_NUMBERS; i++)
		f->number[i] = mem_calloc(f->nr, sizeof *f->number[i]);
	for (size_t i = 0; i < f->nr; i++) {
		vec_push(&f->patterns, pattern_of(ranks[i]));
		vec_push(&f->deeds, deed_of(ranks[i], &peers[i]));
	}
	vec_unite(&f->patterns, fold_pattern_cmp, NULL);
	vec_unite(&f->deeds, fold_deed_cmp, NULL);
	for (size_t i = 0; i < f->nr; i++)
		put_numbers(f, i, ranks[i], &peers[i]);
}

/* ---- making a folded digest ---- */

struct digest *fold_make(struct fold *f, struct digest *const *ranks, size_t nr,
                         const struct fold_peer *peers, bool complete, const struct naming *naming)
{
	struct digest *out = digest_new();
	struct run run = { 0 };
	struct run_view view;
	out->fold = f;
	f->nr = nr;
	f->by_rank = true;
	f->keeps_all = complete;
	f->rank = mem_calloc(nr, sizeof *f->rank);
	for (size_t i = 0; i < nr; i++) {
		f->rank[i] = ranks[i]->rank;
		vec_push(&run.ranks, ranks[i]);
	}
	run_view_init(&view, &run, naming);
	for (size_t i = 0; i < nr; i++)
		view.ranks[i].cross = &peers[i].cross;
	struct collector c = { .view = &view };
	for (; c.at < nr; c.at++)
		collect(&c, complete);
	make_figures(f, c.all.v, c.all.nr);
	make_numbers(f, ranks, peers);
	vec_release(&c.all);
	vec_release(&c.items);
	run_view_release(&view);
	vec_release(&run.ranks);
	for (size_t i = 0; i < nr; i++) {
		fold_join_rows(out, ranks[i]);
		digest_own(out, ranks[i]);
		/* the list is not needed any more: its collectives are already matched, or have been copied
		 * to a series (struct fold_series), which is matched later */
		ranks[i]->collectives_cut += (int64_t)ranks[i]->collectives.nr;
		ranks[i]->collectives.nr = 0;
		vec_push(&f->kept.ranks, ranks[i]);
	}
	fold_keep(f);
	return out;
}

#include "gate/checks.h"

#include <inttypes.h>

#include "base/text.h"
#include "gate/attribution.h"
#include "gate/attribution_memory.h"
#include "gate/compare.h"
#include "gate/drift.h"
#include "gate/message.h"
#include "gate/trust.h"
#include "gate/words.h"

struct maker {
	struct bench *bench;
	const struct rule *rule;
	struct report *out;
	bool has_step;
	int64_t step_ns;
};

static const char *group_of(const struct metric *m)
{
	if (m->need == NEED_MEMORY)
		return "memory";
	return m->label == LABEL_KERNEL || m->label == LABEL_CATEGORY || m->label == LABEL_PAIR
	           ? "kernels"
	           : "step";
}

/* ---- one check ---- */

enum { ID_CHARS = 60 };

/* The name of what an entry is about, whole, or short for an id. What had to be
   altered to be shown carries its hash, so that other bytes are another id. */
static const char *item_of(struct arena *a, const struct entry *e, bool in_id)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, e->label, in_id ? ID_CHARS : (size_t)-1);
	if (in_id && text_chars(e->label) <= ID_CHARS && !span_eq(strbuf_span(&b), e->label))
		strbuf_addf(&b, "~%08" PRIx32, text_hash32(e->label));
	if (e->rank >= 0)
		strbuf_addf(&b, "%srank %" PRId64, b.n ? ", " : "", e->rank);
	return word_take(a, &b);
}

static void fill_figures(struct check *k, const struct entry *e, struct arena *a)
{
	enum unit unit = k->metric->unit;
	k->has_baseline = e->has[SIDE_BASELINE];
	k->has_candidate = e->has[SIDE_CANDIDATE];
	k->baseline = e->value[SIDE_BASELINE];
	k->candidate = e->value[SIDE_CANDIDATE];
	k->has_change = k->has_baseline && k->has_candidate;
	k->has_pct = k->has_change && k->baseline > 0;
	if (k->has_change)
		k->change = number_sub(k->candidate, k->baseline);
	if (k->has_pct)
		k->change_pct = number_pct((__int128)k->candidate - k->baseline, k->baseline);
	k->baseline_text = k->has_baseline ? word_figure(a, unit, k->baseline) : WORD_ABSENT;
	k->candidate_text = k->has_candidate ? word_figure(a, unit, k->candidate) : WORD_ABSENT;
	k->change_text = k->has_change ? word_change(a, unit, k->change) : WORD_ABSENT;
	k->pct_text = k->has_pct && unit != UNIT_PCT ? word_pct(a, k->change_pct) : "";
}

static struct check new_check(const struct maker *m, const struct entry *e)
{
	struct arena *a = &m->out->arena;
	const struct rule *rule = m->rule;
	const char *item = item_of(a, e, true);
	struct check k = {
		.id = item[0] ? arena_printf(a, "%s[%s]", rule->id, item) : arena_dup(a, span_of(rule->id)),
		.rule = arena_dup(a, span_of(rule->id)),
		.group = group_of(rule->metric),
		.metric = rule->metric,
		.worse = rule->worse,
		.item = item_of(a, e, false),
		.select = word_line(a, span_of(rule->select_text)),
	};
	fill_figures(&k, e, a);
	return k;
}

static const struct breakdown *breakdown_of(const struct maker *m, const struct check *k,
                                            const struct entry *e)
{
	if (!k->has_change || e->rank >= 0 ||
	    (k->verdict != VERDICT_FAIL && k->verdict != VERDICT_WARN))
		return NULL;
	struct attribution_query q = { k->metric, e->label, k->change,
		                           metric_is_step(k->metric) ? stat_name(m->rule->stat)
		                                                     : reduce_name(m->rule->reduce) };
	return attribution_of(&m->bench->pairs, m->bench->naming.categories, &q, &m->out->arena);
}

/* The sentence names the site that the most of a change of memory is at. */
static void add_memory_breakdown(const struct maker *m, struct check *k, const struct entry *e)
{
	const char *where = NULL;
	if (!k->has_change || (k->verdict != VERDICT_FAIL && k->verdict != VERDICT_WARN))
		return;
	if (k->metric->need == NEED_MEMORY)
		k->breakdown = memory_attribution_of(m->bench, &m->rule->query, e, &m->out->arena, &where);
	if (where)
		k->message = arena_printf(&m->out->arena, "%s, %s", k->message, where);
}

static void add_check(const struct maker *m, const struct entry *e)
{
	const struct rule *rule = m->rule;
	const struct finding *spoiler = trust_spoiler(m->out, rule->metric, e->rank);
	struct comparison c = {
		.rule = rule,
		.has_baseline = e->has[SIDE_BASELINE],
		.has_candidate = e->has[SIDE_CANDIDATE],
		.baseline = e->value[SIDE_BASELINE],
		.candidate = e->value[SIDE_CANDIDATE],
		.has_step = m->has_step,
		.step_ns = m->step_ns,
		.spoiled = spoiler != NULL,
	};
	struct decision d = compare(&c);
	struct arena *a = &m->out->arena;
	struct check k = new_check(m, e);
	const struct limits *map = rule->fail.list.nr ? &rule->fail : &rule->warn;
	k.verdict = d.verdict;
	k.limit = d.limit ? message_limit(a, d.map, d.limit) : message_limits(a, d.map ? d.map : map);
	k.message = message_of(a, &c, &d, &k, spoiler ? spoiler->message : NULL);
	k.breakdown = breakdown_of(m, &k, e);
	add_memory_breakdown(m, &k, e);
	if (d.reason == REASON_NEW || d.reason == REASON_GONE) {
		bool is_new = d.reason == REASON_NEW;
		static const char *const levels[] = { "note", "warn", "fail" };
		k.change_text = is_new ? "new" : "gone";
		k.limit = arena_printf(a, "on_%s: %s", k.change_text,
		                       levels[is_new ? rule->on_new : rule->on_gone]);
	}
	if (d.verdict == VERDICT_SKIPPED && c.has_baseline != c.has_candidate)
		vec_push(&m->out->warnings, arena_printf(a, "'%s' is skipped: %s", k.rule, k.message));
	vec_push(&m->out->checks, k);
}

/* ---- the items of for_each ---- */

static int by_label(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

struct ranked {
	struct span label;
	int64_t value;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return span_cmp(x->label, y->label);
}

struct items {
	VEC(struct span) list; ///< sorted
};

static void add_top_of(struct items *items, const struct entries *ranking, int64_t nr, int side)
{
	VEC(struct ranked) top = VEC_INIT;
	for (size_t i = 0; i < ranking->list.nr; i++)
		if (ranking->list.v[i].has[side])
			vec_push(&top,
			         (struct ranked){ ranking->list.v[i].label, ranking->list.v[i].value[side] });
	vec_sort(&top, by_value);
	for (size_t i = 0; i < top.nr && (int64_t)i < nr; i++)
		vec_push(&items->list, top.v[i].label);
	vec_release(&top);
}

static bool has_item(const struct items *items, struct span label)
{
	return items->list.nr && bsearch(&label, items->list.v, items->list.nr, sizeof label, by_label);
}

/* `min_share` is a share of all kernels, whatever `select` narrows to. */
static void totals_of(struct bench *b, struct query q, __int128 total[NR_SIDES])
{
	struct entries all;
	q.kernel = q.category = q.cls = NULL;
	bench_query(b, &q, &all);
	for (size_t i = 0; i < all.list.nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			total[s] += all.list.v[i].value[s];
	vec_release(&all.list);
}

static bool has_share(const struct entry *e, int64_t min_share, const __int128 total[NR_SIDES])
{
	for (int s = 0; s < NR_SIDES; s++)
		if (e->has[s] && (__int128)e->value[s] * 100000000 >= min_share * total[s])
			return true;
	return false;
}

/* The union of both sides' top N by time, of which one side's share is enough. */
static void items_of(const struct maker *m, struct items *items)
{
	const struct rule *rule = m->rule;
	struct query q = rule->query;
	struct entries ranking;
	struct items top = { 0 };
	__int128 total[NR_SIDES] = { 0, 0 };
	if (rule->metric->label == LABEL_KERNEL)
		q.metric = &metric_table[METRIC_KERNEL_TIME];
	if (q.reduce == REDUCE_EACH)
		q.reduce = REDUCE_MAX;
	bench_query(m->bench, &q, &ranking);
	if (rule->min_share)
		totals_of(m->bench, q, total);
	for (int s = 0; s < NR_SIDES; s++)
		add_top_of(&top, &ranking, rule->top, s);
	vec_sort(&top.list, by_label);
	for (size_t i = 0; i < ranking.list.nr; i++) {
		const struct entry *e = &ranking.list.v[i];
		if (has_item(&top, e->label) && has_share(e, rule->min_share, total))
			vec_push(&items->list, e->label);
	}
	vec_release(&top.list);
	vec_release(&ranking.list);
}

/* ---- the entries of a rule ---- */

/* Items with the most of the metric first, on whichever side that is. */
static int by_size(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int64_t vx = x->value[0] > x->value[1] ? x->value[0] : x->value[1];
	int64_t vy = y->value[0] > y->value[1] ? y->value[0] : y->value[1];
	if (vx != vy)
		return vx > vy ? -1 : 1;
	int c = span_cmp(x->label, y->label);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static void keep_items(const struct maker *m, struct entries *entries)
{
	struct items items = { 0 };
	items_of(m, &items);
	size_t nr = 0;
	for (size_t i = 0; i < entries->list.nr; i++)
		if (has_item(&items, entries->list.v[i].label))
			entries->list.v[nr++] = entries->list.v[i];
	entries->list.nr = nr;
	vec_sort(&entries->list, by_size);
	vec_release(&items.list);
}

/* A figure of both sides together stands as the candidate's. */
static void pair_entry(const struct maker *m, struct entries *entries)
{
	const struct metric *metric = m->rule->metric;
	struct entry e = { .rank = -1 };
	if (bench_has(m->bench, SIDE_BASELINE, metric) && bench_has(m->bench, SIDE_CANDIDATE, metric))
		e.has[SIDE_CANDIDATE] =
		    metric->id == METRIC_KERNEL_DRIFT_PCT
		        ? drift_pct(&m->bench->pairs, m->rule->top, &e.value[SIDE_CANDIDATE])
		        : drift_overlap_pct(&m->bench->pairs, m->rule->top, &e.value[SIDE_CANDIDATE]);
	vec_push(&entries->list, e);
}

/* The baseline's step.cuda_time, where `and` is a share of it. */
static void find_step(struct maker *m)
{
	const struct metric *metric = &metric_table[METRIC_STEP_CUDA_TIME];
	struct query q = { .metric = metric, .stat = m->rule->stat, .reduce = metric->reduce };
	struct entries e;
	bench_query(m->bench, &q, &e);
	for (size_t i = 0; i < e.list.nr && !m->has_step; i++) {
		m->has_step = e.list.v[i].has[SIDE_BASELINE];
		m->step_ns = e.list.v[i].value[SIDE_BASELINE];
	}
	vec_release(&e.list);
}

static void add_below_share(const struct maker *m)
{
	struct arena *a = &m->out->arena;
	char share[NUMBER_TEXT];
	struct check k = new_check(m, &(struct entry){ .rank = -1 });
	k.verdict = VERDICT_SKIPPED;
	k.limit = message_limits(a, &m->rule->fail);
	k.message = arena_printf(a, "%s: no %s has a share of %s %% on either side",
	                         m->rule->metric->name, label_name(m->rule->metric->label),
	                         number_format(m->rule->min_share, 6, share));
	vec_push(&m->out->checks, k);
}

/* There would be something without the globs: one of them is at fault. A class
   that a run has no kernel of is none. */
static bool selectable(struct bench *b, const struct rule *rule)
{
	struct query q = { .metric = rule->query.metric,
		               .stat = rule->stat,
		               .reduce = rule->reduce,
		               .cls = rule->query.cls };
	struct entries all;
	bench_query(b, &q, &all);
	bool any = all.list.nr > 0;
	vec_release(&all.list);
	return any;
}

enum status checks_add(struct bench *b, const struct rules *rules, const struct rule *rule,
                       struct report *out, struct diag_log *log)
{
	struct maker m = { .bench = b, .rule = rule, .out = out };
	struct entries entries = { 0 };
	bool recorded =
	    bench_has(b, SIDE_BASELINE, rule->metric) || bench_has(b, SIDE_CANDIDATE, rule->metric);
	if (rule->metric->label == LABEL_PAIR)
		pair_entry(&m, &entries);
	else
		bench_query(b, &rule->query, &entries);
	if (entries.list.nr == 0 && recorded && rule->select_text[0] && selectable(b, rule))
		return diag_fail(log, ST_USAGE,
		                 "%s:%u:%u: rule '%s' selects nothing: no %s of either side fits %s",
		                 rules->source, rule->line, rule->column, rule->id, rule->metric->name,
		                 text_quote(&out->arena, span_of(rule->select_text)));
	if (rule->fail.and_of_step || rule->warn.and_of_step)
		find_step(&m);
	bool any = entries.list.nr > 0;
	if (any && rule->for_each)
		keep_items(&m, &entries);
	for (size_t i = 0; i < entries.list.nr; i++)
		add_check(&m, &entries.list.v[i]);
	if (any && entries.list.nr == 0)
		add_below_share(&m);
	else if (!any)
		add_check(&m, &(struct entry){ .rank = -1 });
	vec_release(&entries.list);
	return ST_OK;
}

/* ---- order and names ---- */

static int severity(enum verdict v)
{
	switch (v) {
	case VERDICT_FAIL:
		return 0;
	case VERDICT_INCONCLUSIVE:
		return 1;
	case VERDICT_MISSING:
		return 2;
	case VERDICT_WARN:
		return 3;
	default:
		return 4;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct check *x = *(const struct check *const *)a, *y = *(const struct check *const *)b;
	int c = strcmp(x->id, y->id);
	return c ? c : (x > y) - (x < y);
}

/* Made-up names can share an id in spite of the hash: the later ones are numbered. */
static void make_ids_unique(struct report *out)
{
	VEC(struct check *) ids = VEC_INIT;
	for (size_t i = 0; i < out->checks.nr; i++)
		vec_push(&ids, &out->checks.v[i]);
	vec_sort(&ids, by_id);
	for (size_t i = 0, nr; i < ids.nr; i += nr)
		for (nr = 1; i + nr < ids.nr && strcmp(ids.v[i + nr]->id, ids.v[i]->id) == 0; nr++)
			ids.v[i + nr]->id = arena_printf(&out->arena, "%s#%zu", ids.v[i + nr]->id, nr + 1);
	vec_release(&ids);
}

void checks_arrange(struct report *out)
{
	VEC(struct check) sorted = VEC_INIT;
	make_ids_unique(out);
	for (int s = 0; s <= severity(VERDICT_PASS); s++)
		for (size_t i = 0; i < out->checks.nr; i++)
			if (severity(out->checks.v[i].verdict) == s)
				vec_push(&sorted, out->checks.v[i]);
	if (sorted.nr)
		memcpy(out->checks.v, sorted.v, sorted.nr * sizeof *sorted.v);
	vec_release(&sorted);
}

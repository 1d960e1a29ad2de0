#include "store/digest_json.h"

#include <string.h>

#include "base/number.h"
#include "fold/fold_run.h"
#include "io/sink.h"
#include "merge/digest_small.h"
#include "model/phases.h"
#include "model/rows.h"
#include "model/rule.h"
#include "model/step_figures.h"
#include "store/digest_schema.h"

/* Degrees of detail of a stored run, from the most to the least detailed. The first one that fits
 * the size limit is used, and the last one even if it does not fit. */
static const struct detail {
	bool whole; ///< true: samples of every step, however many, and figures of kernels over the
	            ///< whole trace; false: statistics in place of samples if there are many steps, and
	            ///< figures of kernels only over the measured steps
	bool extras; ///< true: all functions, threads, places in the code, phases and figures of result
	             ///< files; false: only the kinds of these that rules ask for
	size_t top; ///< number of kernels, and of operators, kept besides those that rules ask for
	size_t sites; ///< number of allocation sites that are kept in each list
	size_t levels; ///< number of points that are kept of each memory's level over time
} details[] = {
	{ true, true, SIZE_MAX, SIZE_MAX, SIZE_MAX },
	{ true, true, SIZE_MAX, SIZE_MAX, 32 },
	{ true, false, 128, 64, 32 },
	{ true, false, 32, 16, 16 },
	{ false, false, 64, 16, 16 },
	{ false, false, 16, 4, 0 },
	{ false, false, 0, 0, 0 },
};

/* A kernel or operator, with its time summed over the ranks. */
struct summed_name {
	struct span name;
	int64_t ns;
};

struct pinner {
	const struct run *run;
	const struct rules *rules;
	const struct naming *naming;
	struct run_view view;
	bool functions, threads, code; ///< each true if a rule asks for rows of this kind; `code`: for
	                               ///< places in the code
	bool phases[NR_PHASES];
	struct names kernels, ops; ///< names of kernels and operators that rules ask for
	struct ranking {
		VEC(struct summed_name) list; ///< names and their times, the longest time first
	} kernels_by_time, ops_by_time;
};

/* ---- names in the run, by their times, and names that rules ask for ---- */

ORDERING(by_name, struct summed_name, BY_SPAN(name))

ORDERING(by_time, struct summed_name, FALLING(ns) BY_SPAN(name))

static void rank(struct ranking *r)
{
	size_t nr = 0;
	vec_sort(&r->list, by_name);
	for (size_t i = 0; i < r->list.nr; i++) {
		struct summed_name *last = nr ? &r->list.v[nr - 1] : NULL;
		if (last && span_eq(last->name, r->list.v[i].name))
			last->ns = number_add(last->ns, r->list.v[i].ns);
		else
			r->list.v[nr++] = r->list.v[i];
	}
	r->list.nr = nr;
	vec_sort(&r->list, by_time);
}

static void look_at_rules(struct pinner *p)
{
	struct arena scratch = ARENA_INIT;
	for (size_t i = 0; i < p->rules->rules.nr; i++) {
		const struct rule *rule = &p->rules->rules.v[i];
		enum label_kind kind = rule->metric->label;
		p->functions = p->functions || kind == LABEL_FUNCTION;
		p->threads = p->threads || kind == LABEL_THREAD;
		p->code = p->code || rule->metric->parts == PARTS_CODE;
		for (int k = 0; rule->query.phase && k < NR_PHASES; k++)
			p->phases[k] =
			    p->phases[k] || span_glob(span_of(rule->query.phase), span_of(phase_names[k]));
		if (kind == LABEL_KERNEL || kind == LABEL_PAIR)
			rule_items_add(&p->view, rule, rule->top, &scratch, &p->kernels);
		else if (kind == LABEL_OP && rule->metric->parts != PARTS_CODE)
			rule_items_add(&p->view, rule, rule->top, &scratch, &p->ops);
	}
	arena_release(&scratch);
}

static void pinner_init(struct pinner *p)
{
	run_view_init(&p->view, p->run, p->naming);
	look_at_rules(p);
	for (size_t i = 0; i < p->run->ranks.nr; i++) {
		const struct rank_view *v = &p->view.ranks[i];
		for (size_t k = 0; k < v->nr_kernels; k++)
			vec_push(&p->kernels_by_time.list,
			         (struct summed_name){ v->kernels[k].match, v->kernels[k].stat.step_total_ns });
		for (size_t k = 0; k < v->digest->ops.nr; k++)
			vec_push(&p->ops_by_time.list, (struct summed_name){ v->digest->ops.v[k].name,
			                                                     v->digest->ops.v[k].total_ns });
	}
	rank(&p->kernels_by_time);
	rank(&p->ops_by_time);
}

/* Fills `out` with the `top` names with the most time, and those that rules ask for. */
static void choose(const struct ranking *r, const struct names *asked, size_t top,
                   struct names *out)
{
	*out = (struct names){ 0 };
	for (size_t i = 0; i < r->list.nr && i < top; i++)
		vec_push(&out->list, r->list.v[i].name);
	for (size_t i = 0; i < asked->list.nr; i++)
		vec_push(&out->list, asked->list.v[i]);
	names_finish(out);
}

/* ---- pins of kernels and operators ---- */

/* The category of the kernels whose normalized name is `match`. If they have different categories,
 * that of the kernel with the most time. */
static const char *category_of_match(const struct pinner *p, const struct rank_view *v,
                                     struct span match)
{
	const struct category_table *t = p->naming->categories;
	const struct kernel_row *row = rank_view_kernel(v, match);
	return category_name(t, row ? category_of(t, row->name) : -1);
}

/* Keeps the kernels in `keep`, and sums the others of each category. Communication kernels are
   kept, because the digest's own figures depend on their names; copies are kept too. */
static void pin_kernels(struct pinner *p, size_t r, const struct names *keep, bool whole,
                        struct digest *d)
{
	const struct digest *from = p->run->ranks.v[r];
	for (size_t i = 0; i < from->kernels.nr; i++) {
		bool communicates = kernel_communicates(from, &from->kernels.v[i]);
		struct kernel_stat k = from->kernels.v[i];
		if (k.kind == EVENT_KERNEL && k.names == 0 && !communicates) {
			struct span match = view_match(&p->view, k.name);
			if (!names_has(keep, match))
				kernel_stat_make_small(&k, category_of_match(p, &p->view.ranks[r], match));
		}
		if (!whole)
			k.count = k.total_ns = k.max_ns = k.bytes = 0;
		vec_push(&d->kernels, k);
	}
	vec_sort(&d->kernels, kernel_stat_cmp);
	rows_unite(&kernel_stat_row, &d->kernels);
}

static void pin_ops(const struct digest *from, const struct names *keep, struct digest *d)
{
	struct op_stat sum = { 0 };
	for (size_t i = 0; i < from->ops.nr; i++) {
		const struct op_stat *s = &from->ops.v[i];
		if (s->names == 0 && names_has(keep, s->name)) {
			vec_push(&d->ops, *s);
			continue;
		}
		row_add_small(&op_stat_row, &sum, s);
	}
	if (sum.names)
		vec_push(&d->ops, sum);
}

/* ---- pins of steps ---- */

static void pin_steps(const struct digest *from, struct digest *d)
{
	size_t usable = (size_t)from->usable_steps;
	if (from->summaries.nr)
		return;
	for (int m = 0; m < NR_STEP_METRICS && usable; m++) {
		struct step_summary s = { .metric = (enum metric_id)m };
		bool known = true;
		for (int stat = 0; stat < NR_STATISTICS; stat++)
			known = known && digest_step_stat(from, s.metric, (enum statistic)stat, &s.value[stat]);
		s.slow = m == METRIC_STEP_PERIOD ? digest_slow_share(from) : -1;
		if (known)
			vec_push(&d->summaries, s);
	}
	digest_set_steps(d, usable);
}

/* ---- pins of phases ---- */

/* Keeps all phases if `all` is set. Else keeps all kinds of steps, such as "decode", but only those
 * parts of steps, such as "backward", that rules ask for, since each part has about as many figures
 * as a step. */
static void pin_phases(const struct pinner *p, const struct digest *from, bool all, bool summarize,
                       struct digest *d)
{
	bool keep[NR_PHASES] = { false };
	for (int k = PHASE_FORWARD; k < NR_PHASES; k++)
		keep[k] = all || p->phases[k] || k >= NR_INNER_PHASES;
	for (int k = PHASE_FORWARD; k < NR_PHASES && (summarize || from->summaries.nr); k++)
		for (int m = 0; keep[k] && m < NR_STEP_METRICS; m++) {
			struct phase_summary s;
			if (phase_summary_of(from, (enum phase)k, &metric_table[m], &s))
				vec_push(&d->phase_summaries, s);
		}
	for (int k = PHASE_FORWARD; k < NR_INNER_PHASES; k++)
		if (summarize || !keep[k])
			memset(d->phases[k], 0, sizeof d->phases[k]);
	d->step_phases = NULL;
	for (size_t i = 0; !summarize && from->step_phases && i < from->nr_steps; i++)
		for (int k = NR_INNER_PHASES; k < NR_PHASES; k++) {
			int64_t code = step_phase_code((enum phase)k);
			if (!keep[k] || from->step_phases[i] != code)
				continue;
			if (!d->step_phases)
				d->step_phases = arena_alloc(&d->arena, from->nr_steps, sizeof code);
			d->step_phases[i] = code;
		}
}

/* ---- pins of allocation sites ---- */

/* Keeps the first `most` rows of one list of one memory. In lists whose rows may be added, the
   remaining rows are kept as one sum; in other lists they are dropped. Lists by category or
   segment are kept whole. */
static void pin_sites(const struct memory_item *v, size_t nr, size_t most, struct digest *d)
{
	bool adds_up = v->list == MEMORY_LIST_PEAK || v->list == MEMORY_LIST_END;
	struct memory_item rest = { .memory = v->memory,
		                        .list = v->list,
		                        .category = SPAN("all else"),
		                        .kind = SITE_REST,
		                        .file = SPAN(""),
		                        .function = SPAN("") };
	bool any = false;
	for (size_t i = 0; i < nr; i++) {
		if (v->list == MEMORY_LIST_CATEGORY || v->list == MEMORY_LIST_SEGMENT ||
		    (i < most && v[i].kind != SITE_REST)) {
			vec_push(&d->memory_items, v[i]);
			continue;
		}
		any = adds_up;
		row_add(&memory_item_row, ROWS_SMALL, &rest, &v[i]);
	}
	if (any)
		vec_push(&d->memory_items, rest);
}

static void pin_items(const struct digest *from, size_t most, struct digest *d)
{
	const struct memory_item *v = from->memory_items.v;
	for (size_t i = 0, end; i < from->memory_items.nr; i = end) {
		for (end = i + 1; end < from->memory_items.nr && v[end].list == v[i].list &&
		                  strcmp(v[end].memory, v[i].memory) == 0;)
			end++;
		if (v[i].list <= MEMORY_LIST_GROWTH || v[i].list == MEMORY_LIST_SEGMENT)
			pin_sites(v + i, end - i, most, d);
	}
}

/* ---- pins of levels of memory ---- */

/* Keeps at most `most` points of each memory: the highest in each of `most` equal slices of its
   history, so that the peak is among them. */
static void pin_levels(const struct digest *from, size_t most, struct digest *d)
{
	const struct memory_level *v = from->memory_levels.v;
	for (size_t i = 0, end; i < from->memory_levels.nr && most; i = end) {
		for (end = i + 1; end < from->memory_levels.nr && strcmp(v[end].memory, v[i].memory) == 0;)
			end++;
		size_t nr = end - i, slices = nr < most ? nr : most;
		for (size_t slice = 0, k = 0; slice < slices; slice++) {
			size_t until = nr * (slice + 1) / slices, best = k;
			for (; k < until; k++)
				best = v[i + k].allocated > v[i + best].allocated ? k : best;
			vec_push(&d->memory_levels, v[i + best]);
		}
	}
}

/* ---- pins of a rank and of a run ---- */

#define COPY(d, from, member)                             \
	do {                                                  \
		for (size_t i_ = 0; i_ < (from)->member.nr; i_++) \
			vec_push(&(d)->member, (from)->member.v[i_]); \
	} while (0)

/* Copies all members of a digest that are not lists, and the lists that are kept whole. */
static struct digest *copy(const struct pinner *p, const struct digest *from)
{
	struct digest *d = digest_new();
	struct digest fresh = *d;
	*d = *from;
	d->arena = fresh.arena;
	d->joined = NULL;
	d->fold = from->fold ? fold_pin(&p->view, p->rules) : NULL;
	d->progress = fresh.progress;
	for (size_t i = 0; i < nr_digest_lists; i++)
		memset((char *)d + digest_lists[i].offset, 0, sizeof d->kernels);
	COPY(d, from, env);
	COPY(d, from, summaries);
	COPY(d, from, devices);
	COPY(d, from, calls);
	COPY(d, from, comms);
	COPY(d, from, memories);
	COPY(d, from, trace_memories);
	COPY(d, from, memory_evidence);
	COPY(d, from, counters);
	COPY(d, from, machines);
	COPY(d, from, flops);
	for (size_t i = 0; i < d->flops.nr; i++)
		d->flops.v[i].gpu_ns = 0;
	return d;
}

/* Makes the pin (stored form of the run) with one degree of detail. */
static void pin_at(struct pinner *p, const struct detail *detail, struct run *out)
{
	struct names kernels, ops;
	const struct rule *rules = p->rules->rules.v;
	bool summarize =
	    !detail->whole && ANY(i, p->run->ranks.nr, p->run->ranks.v[i]->nr_steps > NR_STATISTICS);
	*out = (struct run){ .label = p->run->label };
	choose(&p->kernels_by_time, &p->kernels, detail->top, &kernels);
	choose(&p->ops_by_time, &p->ops, detail->top, &ops);
	for (size_t i = 0; i < p->run->ranks.nr; i++) {
		const struct digest *from = p->run->ranks.v[i];
		struct digest *d = copy(p, from);
		vec_push(&out->ranks, d);
		d->cross = *p->view.ranks[i].cross;
		pin_kernels(p, i, &kernels, detail->whole, d);
		pin_ops(from, &ops, d);
		pin_items(from, detail->sites, d);
		pin_levels(from, detail->levels, d);
		for (size_t k = 0; k < from->inputs.nr; k++)
			if (detail->extras || ANY(r, p->rules->rules.nr,
			                          rules[r].metric->id == METRIC_INPUT &&
			                              input_is_of(rules[r].metric, &from->inputs.v[k])))
				vec_push(&d->inputs, from->inputs.v[k]);
		if (detail->extras || p->functions)
			COPY(d, from, functions);
		if (detail->extras || p->threads)
			COPY(d, from, threads);
		if (detail->extras || p->code) {
			/* rows about places in the code are kept either all or not at all, since figures
			   made from only a part of these rows would differ */
			COPY(d, from, code);
			COPY(d, from, ranges);
		}
		pin_phases(p, from, detail->extras, summarize, d);
		if (summarize)
			pin_steps(from, d);
	}
	vec_release(&kernels.list);
	vec_release(&ops.list);
}

void pin_make(const struct run *run, const struct rules *rules, const struct naming *naming,
              struct run *out)
{
	enum { NR_DETAILS = NR_OF(details) };
	struct pinner p = { .run = run, .rules = rules, .naming = naming };
	size_t ranks = run->ranks.nr > PIN_RANKS ? run->ranks.nr : PIN_RANKS;
	size_t budget = run_fold(run) ? PIN_FOLDED_BYTES : PIN_BYTES / PIN_RANKS * ranks;
	pinner_init(&p);
	for (size_t i = 0; i < NR_DETAILS; i++) {
		pin_at(&p, &details[i], out);
		if (i + 1 == NR_DETAILS ||
		    row_size(&ranks_schema, (const void *const *)out->ranks.v, out->ranks.nr) <= budget)
			break;
		run_release(out);
	}
	vec_release(&p.kernels.list);
	vec_release(&p.ops.list);
	vec_release(&p.kernels_by_time.list);
	vec_release(&p.ops_by_time.list);
	run_view_release(&p.view);
}

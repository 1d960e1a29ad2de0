#include "model/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/rows.h"

/* ---- order of the elements of lists ---- */

ORDERING_SHARED(fold_figure_cmp, struct fold_figure,
                RISING(metric) RISING(stat) RISING(within) BY_SPAN(label) RISING(cls)
                    BY_SPAN(category))

ORDERING_SHARED(fold_series_cmp, struct fold_series, RISING(kind) RISING(group_size) BY_SPAN(group))

ORDERING_SHARED(fold_match_cmp, struct fold_match, RISING(step) RISING(place))

int fold_pattern_cmp(const void *a, const void *b)
{
	const struct fold_pattern *x = a, *y = b;
	for (size_t i = 0; i < x->nr && i < y->nr; i++)
		ORDER_BY(x->v[i], y->v[i]);
	return COMPARE(x->nr, y->nr);
}

ORDERING_SHARED(fold_deed_cmp, struct fold_deed,
                BY_SPAN(op) BY_SPAN(activity) BY_SPAN(waits_in) BY_SPAN(fewer_in) BY_SPAN(throttled)
                    BY_SPAN(reasons) BY_SPAN(shared))

/* ---- folds and the figures in them ---- */

void fold_free(struct fold *f)
{
	if (!f)
		return;
	if (f->thin)
		run_release(f->thin);
	free(f->thin);
	for (size_t i = 0; i < f->figures.nr; i++) {
		free(f->figures.v[i].value);
		tally_release(&f->figures.v[i].tally);
	}
	for (size_t i = 0; i < f->series.nr; i++) {
		struct fold_series *s = &f->series.v[i];
		for (size_t k = 0; k < s->matches.nr; k++)
			tally_release(&s->matches.v[k].dur);
		vec_release(&s->matches);
		vec_release(&s->members);
	}
	for (size_t i = 0; i < NR_FOLD_NUMBERS; i++)
		free(f->number[i]);
	vec_release(&f->figures);
	vec_release(&f->series);
	vec_release(&f->patterns);
	vec_release(&f->deeds);
	vec_release(&f->kept.ranks);
	vec_release(&f->asked.values);
	free(f->rank);
	arena_release(&f->arena);
	free(f);
}

const struct fold *run_fold(const struct run *run)
{
	return run->ranks.nr == 1 ? run->ranks.v[0]->fold : NULL;
}

const struct run *run_ranks(const struct run *run)
{
	return run_fold(run) ? fold_thin(run->ranks.v[0]) : run;
}

size_t run_nr_ranks(const struct run *run)
{
	const struct fold *f = run_fold(run);
	return f ? f->nr : run->ranks.nr;
}

/* Index of the first figure of a metric, or the number of figures if there is none. */
static size_t first_of(const struct fold *f, enum metric_id id)
{
	size_t lo = 0, hi = f->figures.nr;
	SEARCH(lo, hi, i, f->figures.v[i].metric < id);
	return lo < f->figures.nr && f->figures.v[lo].metric == id ? lo : f->figures.nr;
}

/* True if some rank recorded the data that the metric needs. Communication needs a communication
 * kernel, or a step.comm_time above 0 on at least one rank: ranks without communication have this
 * figure, too, but it is 0. */
static bool has_need(const struct fold *f, enum need need)
{
	bool of_comm = need == NEED_COMM;
	if (need != NEED_GPU && !of_comm)
		return true;
	for (size_t i = 0; i < f->figures.nr; i++) {
		const struct fold_figure *g = &f->figures.v[i];
		if (g->metric == METRIC_KERNEL_TIME && (!of_comm || g->cls == CLASS_COMMUNICATION))
			return true;
		if (g->metric == METRIC_STEP_COMM_TIME && of_comm && g->tally.max != 0)
			return true;
	}
	return false;
}

bool fold_has(const struct fold *f, const struct metric *m)
{
	return first_of(f, m->id) < f->figures.nr && has_need(f, m->need);
}

void fold_rank_figures(const struct fold *f, size_t at, const struct metric *m, figure_fn *fn,
                       void *ctx)
{
	for (size_t i = first_of(f, m->id); i < f->figures.nr && f->figures.v[i].metric == m->id; i++) {
		const struct fold_figure *g = &f->figures.v[i];
		if (!g->value || g->value[at] == FOLD_ABSENT ||
		    (g->within != REDUCE_EACH && g->within != m->reduce))
			continue;
		fn(ctx, &(struct figure){ .metric = m,
		                          .rank = f->rank[at],
		                          .label = g->label,
		                          .samples = &g->value[at],
		                          .nr = 1 });
	}
}

static void take_value(void *ctx, const struct figure *f)
{
	*(int64_t *)ctx = f->samples[0];
}

bool fold_step_median(const struct fold *f, size_t at, enum metric_id id, int64_t *out)
{
	int64_t value = FOLD_ABSENT;
	fold_rank_figures(f, at, &metric_table[id], take_value, &value);
	if (value != FOLD_ABSENT)
		*out = value;
	return value != FOLD_ABSENT;
}

bool fold_is_by_rank(const struct fold_figure *f)
{
	const struct metric *m = &metric_table[f->metric];
	return (m->label == LABEL_NONE || fold_is_item(m)) && f->label.n == 0 && f->stat == STAT_MEDIAN;
}

int64_t digest_last_share(const struct digest *d)
{
	if (d->in_fold)
		return d->in_fold->number[FOLD_SHARE][d->fold_index];
	if (d->nr_steps < 2)
		return MICRO;
	int64_t usual = stat_of(STAT_MEDIAN, d->step_activities, d->nr_steps - 1);
	__int128 last = d->step_activities[d->nr_steps - 1];
	return usual > 0 ? number_div_round(last * MICRO, usual) : MICRO;
}

/* ---- the ranks of a fold as a run ---- */

#define IN_DIGEST(member) offsetof(struct digest, member)
const size_t fold_members[FOLD_TRUST] = {
	[FOLD_SOURCE] = IN_DIGEST(source_hash),
	[FOLD_USABLE] = IN_DIGEST(usable_steps),
	[FOLD_CUT] = IN_DIGEST(collectives_cut),
	[FOLD_STEP] = IN_DIGEST(progress.step),
	[FOLD_LAUNCHES] = IN_DIGEST(progress.launches),
	[FOLD_COLLECTIVES] = IN_DIGEST(progress.collectives),
	[FOLD_PENDING] = IN_DIGEST(progress.pending),
	[FOLD_COVERED] = IN_DIGEST(cross.steps),
	[FOLD_STEP_NS] = IN_DIGEST(cross.step_ns),
	[FOLD_MATCHED] = IN_DIGEST(cross.matched),
	[FOLD_WAIT] = IN_DIGEST(cross.wait_ns),
	[FOLD_TRANSFER] = IN_DIGEST(cross.transfer_ns),
	[FOLD_LATE] = IN_DIGEST(cross.late_ns),
	[FOLD_LAST] = IN_DIGEST(cross.last_count),
};

static void take_trust(const struct fold *f, size_t at, struct trust_counts *t)
{
	for (size_t i = 0; i < trust_counts_row.nr; i++) {
		const struct field *field = &trust_counts_row.fields[i];
		void *to = (char *)t + field->offset;
		if (field->type == FIELD_BOOL)
			*(bool *)to = f->number[fold_of_trust(i)][at] != 0;
		else
			*(int64_t *)to = f->number[fold_of_trust(i)][at];
	}
}

static void take_numbers(const struct fold *f, size_t at, struct digest *d)
{
	const struct fold_pattern *steps = &f->patterns.v[f->number[FOLD_PATTERN][at]];
	const struct fold_deed *deed = &f->deeds.v[f->number[FOLD_DEED][at]];
	for (size_t i = 0; i < FOLD_TRUST; i++)
		if (fold_members[i])
			*(int64_t *)(void *)((char *)d + fold_members[i]) = f->number[i][at];
	d->nr_steps = steps->nr;
	d->step_numbers = steps->v;
	d->progress.op = deed->op;
	d->progress.activity = deed->activity;
	d->progress.waits_in = deed->waits_in;
	d->cross.known = true;
	take_trust(f, at, &d->trust);
	d->in_fold = f;
	d->fold_index = at;
}

static int64_t figure_or(const struct fold *f, size_t at, enum metric_id id, int64_t otherwise)
{
	int64_t value;
	return fold_step_median(f, at, id, &value) ? value : otherwise;
}

static void add_machine(struct digest *rank, struct span id, int64_t throttled_pct,
                        struct span reasons, int64_t other_processes)
{
	vec_push(&rank->machines, (struct machine_stat){
	                              .id = arena_dup(&rank->arena, id),
	                              .span_ns = -1,
	                              .sm_clock_hz = -1,
	                              .memory_clock_hz = -1,
	                              .power_mw = -1,
	                              .temperature_c = -1,
	                              .energy_uj = -1,
	                              .energy_ns = -1,
	                              .throttled_pct = throttled_pct,
	                              .other_processes = other_processes,
	                              .reasons = reasons.n ? arena_dup(&rank->arena, reasons) : NULL });
}

/* Adds two GPUs to the digest of a rank: the one that was throttled most, and the one that was
 * shared with the largest number of processes. If both are the same GPU, it is added once. */
static void take_machines(const struct fold *f, size_t at, struct digest *rank)
{
	const struct fold_deed *deed = &f->deeds.v[f->number[FOLD_DEED][at]];
	int64_t throttled = figure_or(f, at, METRIC_MACHINE_THROTTLED_PCT, -1);
	int64_t others = figure_or(f, at, METRIC_MACHINE_OTHER_PROCESSES, -1);
	bool same = throttled > 0 && span_eq(deed->throttled, deed->shared);
	if (throttled > 0)
		add_machine(rank, deed->throttled, throttled, deed->reasons, same ? others : -1);
	if (others > 0 && !same)
		add_machine(rank, deed->shared, -1, SPAN(""), others);
}

/* Adds the machine figures of a fold that comes from a baseline. Such a fold has only the largest
 * value of each figure, and the rank with this value. Which GPU of the rank had the value is
 * unknown. */
static void take_worst_machine(const struct fold *f, struct run *thin)
{
	for (size_t i = 0; i < f->figures.nr; i++) {
		const struct fold_figure *g = &f->figures.v[i];
		size_t at = run_find(thin, g->tally.max_rank);
		bool throttled = g->metric == METRIC_MACHINE_THROTTLED_PCT;
		if ((throttled || g->metric == METRIC_MACHINE_OTHER_PROCESSES) && at < thin->ranks.nr &&
		    (g->within == REDUCE_EACH || g->within == REDUCE_MAX) && g->tally.max > 0)
			add_machine(thin->ranks.v[at], SPAN(""), throttled ? g->tally.max : -1, SPAN(""),
			            throttled ? -1 : g->tally.max);
	}
}

const struct run *fold_thin(const struct digest *d)
{
	struct fold *f = d->fold;
	if (f->thin)
		return f->thin;
	f->thin = mem_calloc(1, sizeof *f->thin);
	vec_reserve(&f->thin->ranks, f->nr);
	for (size_t i = 0; i < f->nr; i++) {
		struct digest *rank = digest_new();
		rank->rank = f->rank[i];
		rank->world_size = d->world_size;
		rank->trace = d->trace;
		rank->marker = d->marker;
		rank->communication = d->communication;
		rank->attribution = d->attribution;
		rank->window = d->window;
		rank->total_steps = d->total_steps;
		rank->period_count = d->period_count;
		if (f->by_rank) {
			take_numbers(f, i, rank);
			rank->cross.compute_skew =
			    figure_or(f, i, METRIC_RANK_COMPUTE_SKEW_PCT, MEMORY_UNKNOWN);
			rank->cross.missing_steps = figure_or(f, i, METRIC_RANK_MISSING_STEPS, 0);
			take_machines(f, i, rank);
		}
		vec_push(&f->thin->ranks, rank);
	}
	if (!f->by_rank)
		take_worst_machine(f, f->thin);
	return f->thin;
}

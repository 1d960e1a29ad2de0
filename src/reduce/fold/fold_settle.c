/* Finishes a folded digest once all ranks are in it. */
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/number.h"
#include "fold/make.h"
#include "model/ranks.h"
#include "model/rows.h"

/* ---- figures that compare all ranks ---- */

static const struct fold_figure *by_rank(const struct fold *f, enum metric_id id)
{
	return FIND(i, f->figures.v, f->figures.nr,
	            f->figures.v[i].metric == id && f->figures.v[i].value);
}

int64_t *fold_column(const struct fold *f)
{
	int64_t *out = mem_calloc(f->nr, sizeof *out);
	for (size_t i = 0; i < f->nr; i++)
		out[i] = FOLD_ABSENT;
	return out;
}

static void add_column(struct fold *f, enum metric_id id, int64_t *column)
{
	if (ALL(i, f->nr, column[i] == FOLD_ABSENT)) {
		free(column);
		return;
	}
	struct fold_figure *g = vec_push_zero(&f->figures);
	*g = (struct fold_figure){ .metric = id,
		                       .within = REDUCE_EACH,
		                       .label = SPAN(""),
		                       .category = SPAN(""),
		                       .value = column };
}

/* Adds rank.compute_skew_pct. For unfolded runs, model/figures_ranks.c adds it. */
static void add_skew(struct fold *f)
{
	const struct fold_figure *g = by_rank(f, METRIC_STEP_COMPUTE_TIME);
	int64_t *out = fold_column(f);
	for (size_t i = 0; g && i < f->nr; i++)
		if (f->number[FOLD_GPU][i])
			out[i] = g->value[i];
	ranks_skew(out, f->nr);
	add_column(f, METRIC_RANK_COMPUTE_SKEW_PCT, out);
}

static void add_missing(const struct digest *d)
{
	struct fold *f = d->fold;
	struct idmap steps, seen;
	bool marked = !d->window && d->total_steps > 0;
	idmap_init(&steps);
	idmap_init(&seen);
	for (size_t i = 0; i < f->nr && marked; i++) {
		int64_t pattern = f->number[FOLD_PATTERN][i], usable = f->number[FOLD_USABLE][i];
		size_t known = seen.keys.nr;
		if (idmap_add(&seen, idmap_pair((uint32_t)pattern, (uint32_t)usable)) < known)
			continue;
		const struct fold_pattern *p = &f->patterns.v[pattern];
		for (size_t k = 0; k < p->nr && (int64_t)k < usable; k++)
			idmap_add(&steps, p->v[k]);
	}
	int64_t *out = fold_column(f);
	for (size_t i = 0; i < f->nr; i++) {
		int64_t more = (int64_t)steps.keys.nr - f->number[FOLD_USABLE][i];
		out[i] = marked && more > 0 ? more : 0;
	}
	idmap_release(&seen);
	idmap_release(&steps);
	add_column(f, METRIC_RANK_MISSING_STEPS, out);
}

/* Adds figures from matched collectives: waiting, transfer and lateness. For unfolded runs,
   model/figures_ranks.c computes them. */
static void add_matched(struct fold *f)
{
	int64_t *wait = fold_column(f), *transfer = fold_column(f), *late = fold_column(f);
	for (size_t i = 0; i < f->nr; i++) {
		int64_t steps = f->number[FOLD_COVERED][i], step_ns = f->number[FOLD_STEP_NS][i];
		if (f->number[FOLD_MATCHED][i] <= 0 || steps <= 0)
			continue;
		wait[i] = number_div_round(f->number[FOLD_WAIT][i], steps);
		transfer[i] = number_div_round(f->number[FOLD_TRANSFER][i], steps);
		if (step_ns > 0)
			late[i] = number_pct(f->number[FOLD_LATE][i], step_ns);
	}
	add_column(f, METRIC_COMM_WAIT_TIME, wait);
	add_column(f, METRIC_COMM_TRANSFER_TIME, transfer);
	add_column(f, METRIC_RANK_STRAGGLER_PCT, late);
}

/* ---- conversion of sums over ranks to values of a mean rank ---- */

static void scale_row(const struct schema *s, char *row, int64_t num, int64_t den)
{
	for (size_t i = 0; i < s->nr; i++) {
		int64_t *at = (int64_t *)(void *)(row + s->fields[i].offset);
		if (s->fields[i].join[ROWS_OF_CYCLES] == JOIN_SUM && s->fields[i].order == KEY_NOT)
			*at = number_div_round((__int128)*at * num, den);
	}
}

/* Divides members that are sums over ranks, but not over steps, by the number of ranks. */
static void scale_rank(struct digest *d, int64_t nr)
{
	scale_row(&trust_counts_row, (char *)&d->trust, 1, nr);
	d->events = number_div_round(d->events, nr);
}

/* Multiplies the sums in all rows by num / den: they were sums over `den` steps, and become sums
 * over `num` steps. */
static void scale(struct digest *d, int64_t num, int64_t den)
{
	for (const struct digest_list *l = digest_lists; l < digest_lists + nr_digest_lists; l++) {
		VEC(char) rows;
		memcpy(&rows, (char *)d + l->offset, sizeof rows);
		for (size_t k = 0; l->summed && k < rows.nr; k++)
			scale_row(l->row, rows.v + k * l->row->size, num, den);
	}
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		k->occupancy_ns = number_div_round((__int128)k->occupancy_ns * num, den);
		k->occupancy_rest = 0;
	}
}

int64_t fold_figure_median(const struct fold_figure *g, size_t nr)
{
	if (!g->value)
		return tally_reduce(&g->tally, REDUCE_MEDIAN);
	VEC(int64_t) all = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		if (g->value[i] != FOLD_ABSENT)
			vec_push(&all, g->value[i]);
	int64_t median = all.nr ? number_median(all.v, all.nr) : 0;
	vec_release(&all);
	return median;
}

/* Makes summaries of step figures: for each statistic the median over the ranks. A median that is
 * estimated from a distribution may break the order minimum ≤ median ≤ p90 ≤ … ≤ maximum:
 * statistics that are out of order are then set equal to a neighboring one. */
static void summarize(struct digest *d)
{
	static const enum statistic rising[] = { STAT_MIN, STAT_MEDIAN, STAT_P90,
		                                     STAT_P95, STAT_P99,    STAT_MAX };
	for (size_t i = 0; i < d->fold->figures.nr; i++) {
		const struct fold_figure *g = &d->fold->figures.v[i];
		if (!metric_table[g->metric].per_step || g->label.n)
			continue;
		if (!d->summaries.nr || d->summaries.v[d->summaries.nr - 1].metric != g->metric)
			vec_push(&d->summaries, (struct step_summary){ .metric = g->metric, .slow = -1 });
		d->summaries.v[d->summaries.nr - 1].value[g->stat] = fold_figure_median(g, d->fold->nr);
	}
	for (size_t i = 0; i < d->summaries.nr; i++) {
		int64_t *v = d->summaries.v[i].value;
		number_lower(&v[STAT_MIN], v[STAT_MEDIAN]);
		for (size_t k = 1; k < sizeof rising / sizeof *rising; k++)
			number_raise(&v[rising[k]], v[rising[k - 1]]);
		number_raise(&v[STAT_MEAN], v[STAT_MIN]);
		number_lower(&v[STAT_MEAN], v[STAT_MAX]);
	}
}

void fold_settle(struct digest *d)
{
	struct fold *f = d->fold;
	if (f->is_mean)
		return;
	__int128 sum = 0;
	VEC(int64_t) usable = VEC_INIT;
	for (size_t i = 0; i < f->nr; i++) {
		vec_push(&usable, f->number[FOLD_USABLE][i]);
		sum += f->number[FOLD_USABLE][i];
	}
	int64_t steps = number_median(usable.v, usable.nr);
	vec_release(&usable);
	fold_settle_series(f);
	if (!fold_has(f, &metric_table[METRIC_RANK_MISSING_STEPS])) {
		add_skew(f);
		add_missing(d);
		add_matched(f);
		vec_sort(&f->figures, fold_figure_cmp);
	}
	if (steps > 0) {
		scale(d, steps, (int64_t)sum);
		digest_set_steps(d, (size_t)steps);
		d->usable_steps = steps;
		summarize(d);
	}
	scale_rank(d, (int64_t)f->nr);
	f->is_mean = true;
	d->rank = 0;
}

#include "base/number.h"
#include "diagnose/internal.h"
#include "diagnose/peers.h"

/* Columns of the table of ranks. A terminal shows no column for missing steps, since a trust
 * finding names them. */
static const struct {
	enum metric_id id;
	const char *narrow; /* short heading for the text report; NULL: not shown there */
} columns[] = {
	{ METRIC_STEP_TIME, "step.time" },          { METRIC_STEP_COMPUTE_TIME, "compute" },
	{ METRIC_STEP_COMM_TIME, "comm" },          { METRIC_STEP_EXPOSED_COMM_TIME, "exposed" },
	{ METRIC_COMM_WAIT_TIME, "waiting" },       { METRIC_RANK_STRAGGLER_PCT, "straggler" },
	{ METRIC_RANK_COMPUTE_SKEW_PCT, "skew" },   { METRIC_GPU_UTILIZATION_PCT, "GPU use" },
	{ METRIC_MEMORY_PEAK_ALLOCATED, "memory" }, { METRIC_RANK_MISSING_STEPS, NULL },
};
enum { NR_COLUMNS = NR_OF(columns) };

static void add_rank_row(const struct run_view *v, size_t r, bool candidate, struct report *out)
{
	struct arena *a = &out->arena;
	const struct digest *d = v->ranks[r].digest;
	struct rank_row *row = vec_push_zero(&out->ranks);
	row->rank = d->rank;
	row->candidate = candidate;
	vec_push(&row->cells, cell_of(a, UNIT_COUNT, d->window ? 0 : d->usable_steps));
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		int64_t value;
		bool known = figure_of_rank(v, r, columns[i].id, &value);
		vec_push(&row->cells,
		         cell_of(a, metric_table[columns[i].id].unit, known ? value : MEMORY_UNKNOWN));
	}
}

/* ---- GPU utilization of all ranks ---- */

struct rank_figure {
	int64_t value, rank;
};

ORDERING(rank_figure_cmp, struct rank_figure, RISING(value) RISING(rank))

static void note_utilization(const struct run_view *v, bool candidate, struct report *out)
{
	struct arena *a = &out->arena;
	VEC(struct rank_figure) list = VEC_INIT;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		int64_t value;
		if (figure_of_rank(v, r, METRIC_GPU_UTILIZATION_PCT, &value))
			vec_push(&list, (struct rank_figure){ value, v->ranks[r].digest->rank });
	}
	vec_sort(&list, rank_figure_cmp);
	if (list.nr > 1) {
		const struct rank_figure *lo = &list.v[0], *hi = &list.v[list.nr - 1];
		int64_t *values = arena_alloc(a, list.nr, sizeof *values);
		for (size_t i = 0; i < list.nr; i++)
			values[i] = list.v[i].value;
		struct side *side = candidate ? &out->candidate : &out->baseline;
		vec_push(&side->notes,
		         span_of(arena_printf(
		             a, "GPU utilization of the ranks %s (rank %lld) to %s (rank %lld), median %s",
		             unit_text(a, UNIT_PCT, lo->value), (long long)lo->rank,
		             unit_text(a, UNIT_PCT, hi->value), (long long)hi->rank,
		             unit_text(a, UNIT_PCT, number_median(values, list.nr)))));
	}
	vec_release(&list);
}

void diagnose_rank_table(const struct run_view *v, bool candidate, struct report *out)
{
	if (v->run->ranks.nr < 2)
		return;
	if (out->rank_columns.nr == 0) {
		vec_push(&out->rank_columns, (struct rank_column){ "steps", "steps", true });
		for (size_t i = 0; i < NR_COLUMNS; i++)
			vec_push(&out->rank_columns, (struct rank_column){ metric_table[columns[i].id].head,
			                                                   columns[i].narrow, false });
	}
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->ranks[r].digest;
		/* in a folded run (one digest for many ranks), only ranks that an insight names are
		   shown */
		if (!d->in_fold || report_names_rank(out, candidate, d->rank))
			add_rank_row(v, r, candidate, out);
	}
	note_utilization(v, candidate, out);
}

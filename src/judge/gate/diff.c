#include <inttypes.h>

#include "base/text.h"
#include "diff/bench.h"
#include "diff/breakdown_of.h"
#include "diff/drift.h"
#include "gate/environment.h"
#include "gate/judge.h"
#include "gate/sides.h"
#include "metric/unit.h"
#include "model/code.h"
#include "trust/trust.h"

static struct figure_row figure_row(struct arena *a, const struct metric *m, const struct entry *e)
{
	struct figure_row row = {
		.metric = m,
		.item = text_line(a, e->label),
		.has_baseline = e->has[SIDE_BASELINE],
		.has_candidate = e->has[SIDE_CANDIDATE],
		.baseline = e->value[SIDE_BASELINE],
		.candidate = e->value[SIDE_CANDIDATE],
	};
	bool both = row.has_baseline && row.has_candidate;
	if (e->rank >= 0)
		row.item = arena_printf(a, "%s%srank %" PRId64, row.item, row.item[0] ? ", " : "", e->rank);
	row.has_pct = both && row.baseline > 0;
	if (both)
		row.change = number_sub(row.candidate, row.baseline);
	if (row.has_pct)
		row.change_pct = number_pct((__int128)row.candidate - row.baseline, row.baseline);
	const char *texts[2];
	unit_pair(a, m->unit, row.has_baseline ? row.baseline : 0,
	          row.has_candidate ? row.candidate : 0, texts);
	row.baseline_text = row.has_baseline ? texts[0] : UNIT_ABSENT;
	row.candidate_text = row.has_candidate ? texts[1] : UNIT_ABSENT;
	row.change_text = both ? unit_change(a, m->unit, row.change) : UNIT_ABSENT;
	row.pct_text = row.has_pct && m->unit != UNIT_PCT ? unit_relative(a, row.change_pct) : "";
	return row;
}

/* Add a figure of a result file to the report, as a metric of its own. */
static void add_input(const struct bench *b, struct report *out, const struct entry *e)
{
	struct entry one = *e;
	struct metric *own = input_metric_copy(
	    view_metric(&b->view[0], &metric_table[METRIC_INPUT], e->label), &out->arena);
	one.label = SPAN("");
	own->label = LABEL_NONE;
	vec_push(&out->figures, figure_row(&out->arena, own, &one));
}

static void add_pair_figure(struct bench *b, const struct metric *m, struct report *out)
{
	struct entry e = { .rank = -1 };
	e.has[SIDE_CANDIDATE] = drift_figure(&b->pairs, m, DRIFT_ROWS_TOP, &e.value[SIDE_CANDIDATE]);
	if (e.has[SIDE_CANDIDATE])
		vec_push(&out->figures, figure_row(&out->arena, m, &e));
}

/* Make the query ask for each device and each memory separately, unless a run is folded and has
   only one value for all devices or memories of a rank. */
static void ask_each(struct bench *b, struct query *q)
{
	q->device = q->metric->label == LABEL_DEVICE ? "*" : NULL;
	q->memory = q->metric->label == LABEL_MEMORY ? "*" : NULL;
	if (bench_lacks(b, SIDE_BASELINE, q) || bench_lacks(b, SIDE_CANDIDATE, q))
		q->device = q->memory = NULL;
}

/* Add all figures of metric `m`. Metrics that may have thousands of figures, such as one for each
   kernel, operator or thread, are left out. */
static void add_figures(struct bench *b, const struct metric *m, struct report *out)
{
	struct query q = { .metric = m, .stat = STAT_MEDIAN, .reduce = m->reduce };
	struct entries e;
	switch (m->label) {
	case LABEL_KERNEL:
	case LABEL_OP:
	case LABEL_MODULE:
	case LABEL_RANGE:
	case LABEL_PLACE:
	case LABEL_THREAD:
		return;
	case LABEL_PAIR:
		add_pair_figure(b, m, out);
		return;
	default:
		break;
	}
	ask_each(b, &q);
	bench_query(b, &q, &e);
	for (size_t i = 0; i < e.list.nr; i++)
		if (m->label == LABEL_INPUT)
			add_input(b, out, &e.list.v[i]);
		else
			vec_push(&out->figures, figure_row(&out->arena, m, &e.list.v[i]));
	vec_release(&e.list);
}

/* ---- changes by place in the code ---- */

/* largest number of rows of one code metric in the report */
enum { CODE_ROWS = 60 };

ORDERING(code_row_cmp, struct figure_row,
         THEN(COMPARE(number_distance(y->change, 0), number_distance(x->change, 0))) BY_TEXT(item))

struct code_rows {
	VEC(struct figure_row) list;
};

/* For a metric of GPU time by operator, module or place, add the figures that changed most. If a
   side lacks a figure, it counts as 0 there. */
static void add_code_metric(struct bench *b, enum metric_id id, struct report *out)
{
	const struct metric *m = &metric_table[id];
	struct query q = { .metric = m, .stat = STAT_MEDIAN, .reduce = m->reduce };
	struct code_rows rows = { 0 };
	struct entries e;
	bench_query(b, &q, &e);
	for (size_t i = 0; i < e.list.nr; i++) {
		struct entry one = e.list.v[i];
		for (int s = 0; s < NR_SIDES; s++)
			one.has[s] = true; /* the value of a figure that a side lacks is 0 */
		struct figure_row row = figure_row(&out->arena, m, &one);
		if (id == METRIC_PLACE_GPU_TIME && strcmp(row.item, CODE_NO_PLACE) != 0)
			row.at = source_line_of(&out->arena, one.label, -1);
		vec_push(&rows.list, row);
	}
	vec_sort(&rows.list, code_row_cmp);
	for (size_t i = 0; i < rows.list.nr && i < CODE_ROWS; i++)
		vec_push(&out->code, rows.list.v[i]);
	vec_release(&rows.list);
	vec_release(&e.list);
}

/* Text on the figure that explains most of the wall time's change, such as ": data loading 69.81 ms
   → 1.311 ms"; "" if no figure explains more than half of it. */
static const char *largest_cause(struct report *out, const struct figure_row *wall)
{
	static const enum metric_id ids[] = { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_DATALOADER_TIME,
		                                  METRIC_STEP_EXPOSED_COMM_TIME };
	const struct figure_row *most = NULL;
	for (size_t i = 0; i < NR_OF(ids); i++) {
		const struct figure_row *f = report_figure(out, ids[i]);
		bool same = f && (f->change > 0) == (wall->change > 0);
		if (same && number_distance(f->change, 0) > number_distance(wall->change, 0) / 2 &&
		    (!most || number_distance(f->change, 0) > number_distance(most->change, 0)))
			most = f;
	}
	out->wall_cause = most ? most->metric : NULL;
	return most ? arena_printf(&out->arena, ": %s %s → %s", metric_label(most->metric),
	                           most->baseline_text, most->candidate_text)
	            : "";
}

/* If the GPU waits for data, say so in the row "idle GPU" of the breakdown of wall time. Loading
   has no row of its own there, since the host may load while the GPU works. */
static void explain_idle(struct report *out, struct breakdown *wall)
{
	const struct figure_row *f = report_figure(out, METRIC_STEP_DATALOADER_TIME);
	for (size_t i = 0; f && out->wall_cause == f->metric && i < wall->parts.nr; i++) {
		struct part *p = &wall->parts.v[i];
		if (strcmp(p->label, "idle GPU") == 0 && (p->change > 0) == (f->change > 0) &&
		    number_distance(p->change, 0) > number_distance(wall->change, 0) / 2)
			p->detail = arena_printf(&out->arena, "data loading %s → %s", f->baseline_text,
			                         f->candidate_text);
	}
}

/* Set the headline of the report: it names the key figure with the largest relative change. Figures
   of result files count only if the runs have no other key figure in common. */
static void add_headline(struct report *out)
{
	static const enum metric_id ids[] = { METRIC_STEP_PERIOD, METRIC_STEP_COMPUTE_TIME,
		                                  METRIC_MEMORY_PEAK_ALLOCATED };
	const struct figure_row *most = NULL;
	__int128 largest = -1;
	for (size_t i = 0; i < NR_OF(ids); i++) {
		const struct figure_row *f = report_figure(out, ids[i]);
		int64_t size = f ? number_distance(f->change_pct, 0) : -1;
		if (size <= largest)
			continue;
		most = f;
		/* the change of the step's period counts twice here, since the period contains what the
		   other figures measure */
		largest = i == 0 ? 2 * (__int128)size : size;
	}
	most = most ? most : report_figure(out, METRIC_INPUT);
	out->headline = "the runs have no key figure in common";
	if (!most)
		return;
	const char *what = metric_label(most->metric);
	const char *text = most->pct_text[0] ? most->pct_text : most->change_text;
	out->headline =
	    !most->change
	        ? arena_printf(&out->arena, "%s as before", what)
	        : arena_printf(&out->arena, "%s %s %s%s", what, text + strspn(text, "+-"),
	                       unit_change_word(most->metric->unit, most->change > 0),
	                       most->metric->id == METRIC_STEP_PERIOD ? largest_cause(out, most) : "");
}

static void add_breakdown_of(struct bench *b, enum metric_id id, struct report *out)
{
	const struct figure_row *f = report_figure(out, id);
	if (!f)
		return;
	struct breakdown_query q = { .metric = f->metric, .label = SPAN(""), .change = f->change };
	struct breakdown *parts = breakdown_of(b, &b->pairs, &q, &out->arena);
	if (parts && id == METRIC_STEP_PERIOD)
		explain_idle(out, parts);
	if (parts)
		vec_push(&out->breakdowns, parts);
}

/* Add breakdowns of what has changed in each memory (of a device or of the host). */
static void add_memory(struct bench *b, struct report *out)
{
	static const enum metric_id ids[] = { METRIC_MEMORY_PEAK_ALLOCATED, METRIC_MEMORY_PEAK_RESERVED,
		                                  METRIC_MEMORY_END_ALLOCATED,
		                                  METRIC_MEMORY_GROWTH_PER_STEP };
	for (size_t i = 0; i < NR_OF(ids); i++) {
		const struct metric *m = &metric_table[ids[i]];
		struct query q = { .metric = m, .reduce = m->reduce };
		struct entries e;
		ask_each(b, &q);
		bench_query(b, &q, &e);
		for (size_t k = 0; k < e.list.nr; k++) {
			const char *where;
			struct breakdown *parts = breakdown_of_memory(
			    b, &q, &e.list.v[k], e.list.v[k].explained, &out->arena, &where);
			if (parts)
				vec_push(&out->breakdowns, parts);
			if (ids[i] == METRIC_MEMORY_PEAK_ALLOCATED)
				memory_scaling(b, &q, &e.list.v[k], out);
		}
		vec_release(&e.list);
	}
}

enum status compare_runs(const struct run *a, const struct run *b,
                         const struct category_table *categories, struct report *out,
                         struct diag_log *log)
{
	struct bench bench;
	report_init(out);
	out->kind = REPORT_DIFF;
	out->workload = out->rules = out->baseline_path = out->accept = out->headline = "";
	sides_fill(a, b, 1, out);
	enum status st = environment_settings(NULL, a, b, 1, NULL, log);
	if (st != ST_OK) {
		out->status = st;
		out->error = arena_dup(&out->arena, span_of(diag_first_error(log)));
		return st;
	}
	environment_rows(a, b, out);
	trust_findings(a, b, 1, NULL, out);
	trust_find_machines(a, b, 1, THROTTLED_UNLESS_ALIKE, out);
	bench_init(&bench, &(struct bench_runs){ .baseline = a, .candidates = b, .nr_candidates = 1 },
	           (struct naming){ .categories = categories });
	for (size_t i = 0; i < NR_METRICS; i++)
		add_figures(&bench, &metric_table[i], out);
	add_code_metric(&bench, METRIC_OP_SELF_GPU_TIME, out);
	add_code_metric(&bench, METRIC_MODULE_GPU_TIME, out);
	add_code_metric(&bench, METRIC_PLACE_GPU_TIME, out);
	drift_rows(&bench.pairs, categories, out);
	add_headline(out);
	add_breakdown_of(&bench, METRIC_STEP_PERIOD, out);
	add_breakdown_of(&bench, METRIC_STEP_CUDA_TIME, out);
	add_memory(&bench, out);
	flame_of(&bench, &out->arena, &out->flame);
	bench_release(&bench);
	return ST_OK;
}

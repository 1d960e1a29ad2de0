#include "diagnose/internal.h"

struct worst {
	bool known;
	int64_t value;
};

static void keep_worst(void *ctx, const struct figure *f)
{
	struct worst *w = ctx;
	int64_t value = f->nr ? stat_of(STAT_MEDIAN, f->samples, f->nr) : f->summary[STAT_MEDIAN];
	bool worse = f->metric->worse == WORSE_DOWN ? value < w->value : value > w->value;
	if (!w->known || worse)
		w->value = value;
	w->known = true;
}

bool figure_of_rank(const struct run_view *v, size_t r, enum metric_id id, int64_t *out)
{
	struct worst w = { 0 };
	rank_figures(v, r, &metric_table[id], keep_worst, &w);
	*out = w.value;
	return w.known;
}

bool figure_of_run(const struct run_view *v, const struct query *q, int64_t *out)
{
	struct arena scratch = ARENA_INIT;
	struct answers answers;
	int64_t sum = 0;
	bool one = q->metric->label == LABEL_DEVICE || q->metric->label == LABEL_MEMORY;
	run_query(v, q, &scratch, &answers);
	size_t nr = answers.list.nr;
	for (size_t i = 0; i < nr; i++)
		sum = number_add(sum, answers.list.v[i].value);
	/* Figures of devices or memories are not added up, but reduced by the same function as figures
	   of ranks. */
	if (one && nr > 1) {
		int64_t *values = arena_alloc(&scratch, nr, sizeof *values);
		for (size_t i = 0; i < nr; i++)
			values[i] = answers.list.v[i].value;
		sum = reduce_of(q->reduce, values, nr);
	}
	vec_release(&answers.list);
	arena_release(&scratch);
	if (nr)
		*out = sum;
	return nr > 0;
}

bool figure_of_metric(const struct run_view *v, enum metric_id id, int64_t *out)
{
	struct query q = diagnosis_query(&metric_table[id]);
	return figure_of_run(v, &q, out);
}

bool figure_of_step(const struct run_view *v, int64_t *out)
{
	*out = 0;
	return figure_of_metric(v, METRIC_STEP_PERIOD, out) ||
	       figure_of_metric(v, METRIC_STEP_TIME, out);
}

bool figure_of_diagnosis(const struct run_view *v, const struct diagnosis_figure *f, int64_t *out,
                         enum unit *unit)
{
	int64_t value, other;
	bool asks_step = f->form == FORM_PLAIN && f->query.metric->id == METRIC_STEP_PERIOD;
	if (!(asks_step ? figure_of_step(v, &value) : figure_of_run(v, &f->query, &value)))
		return false;
	*unit = f->form == FORM_OF ? UNIT_PCT : f->query.metric->unit;
	if (f->form == FORM_PLAIN) {
		*out = value;
		return true;
	}
	bool of_step = f->other.metric->id == METRIC_STEP_PERIOD;
	bool known = of_step ? figure_of_step(v, &other) : figure_of_run(v, &f->other, &other);
	if (!known || other <= 0)
		return false;
	*out = f->form == FORM_OF ? number_pct(value, other) : number_div_round(value, other);
	return true;
}

/* Writes every figure of a run: gpugate-metrics-1, and "figures" of gpugate-report-1. */

#include "model/memory_view.h"
#include "model/phases.h"
#include "report/findings.h"
#include "report/writer.h"

static void rank_header(struct emit *e, const struct digest *d)
{
	emit_open_line(e, 2, NULL, '{');
	emit_number(e, "rank", d->rank, 0);
	emit_str(e, "trace", d->trace);
	emit_str(e, "snapshot", d->snapshot);
	if (d->metrics_file)
		emit_str(e, "metrics_file", d->metrics_file);
	emit_str(e, "gpu", digest_env(d, "gpu.name"));
	if (d->devices.nr == 1)
		emit_id(e, "device", span_of(d->devices.v[0].id));
	else
		emit_str(e, "device", NULL);
	emit_number_if(e, "world_size", d->world_size >= 0, d->world_size, 0);
	emit_str(e, "attribution", attribution_names[d->attribution]);
	emit_row(e, &trust_counts_row, &d->trust);
	emit_number(e, "steps", d->window ? 0 : d->total_steps, 0);
	emit_bool(e, "window", d->window);
	emit_str(e, "steps_by", digest_steps_by(d));
	if (d->period_regularity) {
		emit_open(e, "period", '{');
		emit_number(e, "count", d->period_count, 0);
		emit_number(e, "launches", d->period_launches, 0);
		emit_number(e, "regularity_pct", d->period_regularity, 6);
		emit_close(e, '}');
	} else {
		emit_str(e, "period", NULL);
	}
	emit_number(e, "events", d->events, 0);
	emit_close(e, '}');
}

struct figure_ctx {
	struct emit *e;
	const struct digest *digest;
};

static void label(struct emit *e, const struct figure *f)
{
	enum label_kind kind = f->metric->label;
	if (kind == LABEL_DEVICE || kind == LABEL_MEMORY)
		emit_id(e, "device", f->label);
	else if (*label_names[kind])
		emit_text(e, label_names[kind], f->label);
	else if (kind == LABEL_NONE && f->label.n)
		emit_text(e, "phase", f->label);
}

static void samples(struct emit *e, const struct figure *f, const struct digest *d, int digits)
{
	if (d->window)
		emit_str(e, "per", "window");
	emit_open(e, "samples", '[');
	/* all samples are written, including the sample of a last step that was cut short */
	for (size_t i = 0; i < f->nr_all; i++) {
		emit_open(e, NULL, '{');
		emit_number_if(e, "step", !d->window, f->steps[i], 0);
		emit_number(e, "value", f->samples[i], digits);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

/* Write the operator that ran at a memory's peak, and its inputs, as far as the recording names
   them. */
static void peak_op(struct emit *e, const struct figure *f, const struct digest *d)
{
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		if (!m->peak_op || !span_eq(f->label, span_of(m->id)))
			continue;
		emit_str(e, "op", m->peak_op);
		if (m->peak_dims)
			emit_str(e, "input_dims", m->peak_dims);
		if (m->peak_types)
			emit_str(e, "input_types", m->peak_types);
	}
}

static void figure(void *ctx, const struct figure *f)
{
	struct figure_ctx *c = ctx;
	struct emit *e = c->e;
	const struct metric *m = f->metric;
	int digits = unit_digits(m->unit);
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "metric", m->name);
	emit_str(e, "unit", unit_name(f->metric->unit));
	emit_number(e, "rank", f->rank, 0);
	label(e, f);
	if (f->metric->per_step)
		samples(e, f, c->digest, digits);
	else
		emit_number(e, "value", f->samples[0], digits);
	if (f->source)
		emit_str(e, "source", f->source);
	if (f->metric->id == METRIC_MEMORY_PEAK_ALLOCATED)
		peak_op(e, f, c->digest);
	emit_close(e, '}');
}

ORDERING_POINTERS(by_total, struct kernel_stat, FALLING(total_ns) THEN(kernel_stat_cmp(x, y)))

static void kernels(struct emit *e, const struct run_view *v, const struct digest *d)
{
	struct arena a = ARENA_INIT;
	VEC(const struct kernel_stat *) list = VEC_INIT;
	for (size_t i = 0; i < d->kernels.nr; i++)
		vec_push(&list, &d->kernels.v[i]);
	vec_sort(&list, by_total);
	for (size_t i = 0; i < list.nr; i++) {
		const struct kernel_stat *k = list.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_number(e, "rank", d->rank, 0);
		emit_str(e, "kind", event_gpu_names[k->kind]);
		emit_text(e, "name", k->name);
		if (k->names > 0) { /* the row is a sum of small kernels */
			emit_number(e, "names", k->names, 0);
			emit_text(e, "category", k->name);
		} else {
			emit_text(e, "match", v->naming->exact ? k->name : kernel_match_name(&a, k->name));
			emit_str(
			    e, "category",
			    category_name(v->naming->categories, category_of(v->naming->categories, k->name)));
		}
		emit_row(e, &kernel_stat_row, k);
		emit_close(e, '}');
	}
	vec_release(&list);
	arena_release(&a);
}

static void function(void *ctx, const struct figure *f)
{
	struct emit *e = ((struct figure_ctx *)ctx)->e;
	const struct function_stat *s = f->function;
	if (f->samples[0] < FUNCTION_WORTH_NAMING)
		return;
	emit_open_line(e, 2, NULL, '{');
	emit_number(e, "rank", f->rank, 0);
	emit_str(e, "class", function_class_names[s->cls]);
	emit_text(e, "name", f->label);
	emit_number(e, "exclusive_pct", f->samples[0], 6);
	emit_row(e, &function_stat_row, s);
	emit_close(e, '}');
}

/* Write the rows of the list that is at `offset` in each rank's digest. The list is read as a
 * VEC(char), since every VEC is a pointer and two sizes. */
static void rows(struct emit *e, const char *key, const struct run *run, size_t offset,
                 const struct schema *s)
{
	emit_open_line(e, 1, key, '[');
	for (size_t i = 0; i < run->ranks.nr; i++) {
		VEC(char) list;
		memcpy(&list, (const char *)run->ranks.v[i] + offset, sizeof list);
		for (size_t k = 0; k < list.nr; k++) {
			emit_open_line(e, 2, NULL, '{');
			emit_number(e, "rank", run->ranks.v[i]->rank, 0);
			emit_row(e, s, list.v + k * s->size);
			emit_close(e, '}');
		}
	}
	emit_close(e, ']');
}

static void snapshots(struct emit *e, const struct run *run)
{
	bool any = ANY(i, run->ranks.nr,
	               run->ranks.v[i]->memory_items.nr || run->ranks.v[i]->memory_levels.nr);
	if (!any)
		return;
	rows(e, "memory_items", run, offsetof(struct digest, memory_items), &memory_item_row);
	rows(e, "memory_levels", run, offsetof(struct digest, memory_levels), &memory_level_row);
}

static void communication(struct emit *e, const struct run_view *v)
{
	const struct run *run = v->run;
	/* these rows are totals over the measured steps (or the window); metrics are per step */
	rows(e, "collectives", run, offsetof(struct digest, comms), &comm_stat_row);
	emit_open_line(e, 1, "functions", '[');
	for (size_t i = 0; i < run->ranks.nr; i++) {
		struct figure_ctx ctx = { e, run->ranks.v[i] };
		rank_figures(v, i, &metric_table[METRIC_FUNCTION_EXCLUSIVE_PCT], function, &ctx);
	}
	emit_close(e, ']');
}

/* Write the phases apart from the metrics: phases may be nested, so their sum would count some time
   twice. */
static void phases(struct emit *e, const struct run_view *v)
{
	emit_open_line(e, 1, "phases", '[');
	for (int m = 0; m < NR_METRICS; m++)
		for (size_t i = 0; i < v->run->ranks.nr; i++) {
			struct figure_ctx ctx = { e, v->run->ranks.v[i] };
			if (phase_sum_of(&metric_table[m]))
				rank_phase_figures(v, i, &metric_table[m], figure, &ctx);
		}
	emit_close(e, ']');
}

void figures_write_json(const struct run_view *v, struct emit *e)
{
	const struct run *run = v->run;
	emit_open_line(e, 1, "ranks", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		rank_header(e, run->ranks.v[i]);
	emit_close(e, ']');
	emit_open_line(e, 1, "metrics", '[');
	for (int m = 0; m < NR_METRICS; m++)
		for (size_t i = 0; i < run->ranks.nr; i++) {
			struct figure_ctx ctx = { e, run->ranks.v[i] };
			if (metric_table[m].label != LABEL_PAIR)
				rank_figures(v, i, &metric_table[m], figure, &ctx);
		}
	emit_close(e, ']');
	phases(e, v);
	emit_open_line(e, 1, "kernels", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		kernels(e, v, run->ranks.v[i]);
	emit_close(e, ']');
	communication(e, v);
	snapshots(e, run);
}

void metrics_write_json(const struct run_view *v, const struct report *r, struct sink *out)
{
	struct emit e = { out, false };
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", "gpugate-metrics-1");
	figures_write_json(v, &e);
	if (r) {
		trust_write_json(r, false, &e);
		ranks_write_json(r, "rank_table", false, &e);
	}
	emit_close(&e, '}');
	sink_puts(out, "\n");
}

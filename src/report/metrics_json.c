/* `gpugate metrics RUN --json`: gpugate-metrics-1. */

#include "model/memory_view.h"
#include "model/phases.h"
#include "report/emit.h"
#include "report/findings.h"
#include "report/writer.h"

static void rank_header(struct emit *e, const struct digest *d)
{
	static const char *const attribution[] = { [ATTRIBUTION_NONE] = "none",
		                                       [ATTRIBUTION_LAUNCH] = "launch",
		                                       [ATTRIBUTION_TIMESTAMP] = "timestamp" };
	const struct trust_counts *t = &d->trust;
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
		emit_null(e, "device");
	emit_number_if(e, "world_size", d->world_size >= 0, d->world_size, 0);
	emit_str(e, "attribution", attribution[d->attribution]);
	emit_number(e, "gpu_events", t->gpu_events, 0);
	emit_number(e, "with_launch", t->with_launch, 0);
	emit_number(e, "carried_over", t->carried_over, 0);
	emit_number(e, "dropped", t->dropped, 0);
	emit_number(e, "unattributed", t->unattributed, 0);
	emit_number(e, "unattributed_time", t->unattributed_ns, 0);
	emit_number(e, "negative_durations", t->negative_durations, 0);
	emit_number(e, "malformed", t->malformed, 0);
	emit_number(e, "json_faults", t->json_faults, 0);
	emit_bool(e, "truncated", t->truncated);
	emit_bool(e, "partial", t->partial);
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
		emit_null(e, "period");
	}
	emit_number(e, "events", d->events, 0);
	emit_close(e, '}');
}

struct figure_ctx {
	struct emit *e;
	const struct digest *digest;
	struct arena *scratch;
};

static void label(struct emit *e, const struct figure *f)
{
	enum label_kind kind = f->metric->label;
	if (kind == LABEL_DEVICE || kind == LABEL_MEMORY)
		emit_id(e, "device", f->label);
	else if (*label_name(kind))
		emit_text(e, label_name(kind), f->label);
	else if (kind == LABEL_NONE && f->label.n)
		emit_text(e, "phase", f->label);
}

/* Of a stored run, which keeps no samples. */
static void statistics(struct emit *e, const struct figure *f, int digits)
{
	emit_open(e, "statistics", '{');
	for (int i = 0; i < NR_STATISTICS; i++)
		emit_number(e, stat_name(i), f->summary[i], digits);
	emit_close(e, '}');
}

static void samples(struct emit *e, const struct figure *f, const struct digest *d, int digits)
{
	if (d->window)
		emit_str(e, "per", "window");
	if (f->summary) {
		statistics(e, f, digits);
		return;
	}
	emit_open(e, "samples", '[');
	for (size_t i = 0; i < f->nr_all; i++) { /* a last one cut short too */
		emit_open(e, NULL, '{');
		emit_number_if(e, "step", !d->window, f->steps[i], 0);
		emit_number(e, "value", f->samples[i], digits);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

/* Of a memory's peak, where a trace tells it. */
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
	int digits = unit_digits(f->metric->unit);
	const struct metric *m = f->metric;
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "metric",
	         m->label == LABEL_INPUT ? metric_of_input(f->label, c->scratch)->name : m->name);
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

static int by_total(const void *a, const void *b)
{
	const struct kernel_stat *x = *(const struct kernel_stat *const *)a;
	const struct kernel_stat *y = *(const struct kernel_stat *const *)b;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return kernel_stat_cmp(x, y);
}

static void kernels(struct emit *e, const struct run_view *v, const struct digest *d)
{
	static const char *const kinds[] = {
		[EVENT_KERNEL] = "kernel", [EVENT_MEMCPY] = "memcpy", [EVENT_MEMSET] = "memset"
	};
	struct arena a = ARENA_INIT;
	VEC(const struct kernel_stat *) list = VEC_INIT;
	for (size_t i = 0; i < d->kernels.nr; i++)
		vec_push(&list, &d->kernels.v[i]);
	vec_sort(&list, by_total);
	for (size_t i = 0; i < list.nr; i++) {
		const struct kernel_stat *k = list.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_number(e, "rank", d->rank, 0);
		emit_str(e, "kind", kinds[k->kind]);
		emit_text(e, "name", k->name);
		if (k->names > 0) { /* of a digest: the sum of so many small ones of a category */
			emit_number(e, "names", k->names, 0);
			emit_text(e, "category", k->name);
		} else {
			emit_text(e, "match", v->naming->exact ? k->name : kernel_match_name(&a, k->name));
			emit_str(
			    e, "category",
			    category_name(v->naming->categories, category_of(v->naming->categories, k->name)));
		}
		emit_number(e, "count", k->count, 0);
		emit_number(e, "total", k->total_ns, 0);
		emit_number(e, "max", k->max_ns, 0);
		emit_close(e, '}');
	}
	vec_release(&list);
	arena_release(&a);
}

/* Sums over the measured steps, or the window; per step and as bandwidth they are metrics. */
static void collectives(struct emit *e, const struct digest *d)
{
	for (size_t i = 0; i < d->comms.nr; i++) {
		const struct comm_stat *c = &d->comms.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_number(e, "rank", d->rank, 0);
		emit_str(e, "kind", collective_names[c->kind]);
		emit_text(e, "group", c->group);
		emit_number_if(e, "group_size", c->group_size >= 0, c->group_size, 0);
		emit_text(e, "dtype", c->dtype);
		emit_number(e, "count", c->count, 0);
		emit_number(e, "total", c->total_ns, 0);
		emit_number(e, "max", c->max_ns, 0);
		emit_number(e, "bytes", c->bytes, 0);
		emit_number(e, "sized_count", c->sized_count, 0);
		emit_number(e, "sized_total", c->sized_ns, 0);
		emit_close(e, '}');
	}
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
	emit_number(e, "count", s->count, 0);
	emit_number(e, "total", s->total_ns, 0);
	emit_number(e, "median", s->median_ns, 0);
	emit_number_if(e, "throughput", s->rate >= 0, s->rate, 0);
	emit_number_if(e, "throughput_spread", s->rate_mad >= 0, s->rate_mad, 0);
	emit_close(e, '}');
}

static void memory_items(struct emit *e, const struct digest *d)
{
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *m = &d->memory_items.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_number(e, "rank", d->rank, 0);
		emit_id(e, "device", span_of(m->memory));
		emit_str(e, "list", memory_list_names[m->list]);
		emit_text(e, "category", m->category);
		emit_str(e, "kind", site_kind_names[m->kind]);
		emit_text(e, "file", m->file);
		emit_text(e, "function", m->function);
		emit_number(e, "line", m->line, 0);
		emit_number(e, "bytes", m->bytes, 0);
		emit_number_if(e, "blocks", m->blocks != MEMORY_UNKNOWN, m->blocks, 0);
		emit_number_if(e, "largest", m->largest != MEMORY_UNKNOWN, m->largest, 0);
		emit_number_if(e, "other", m->other != MEMORY_UNKNOWN, m->other, 0);
		emit_close(e, '}');
	}
}

static void memory_levels(struct emit *e, const struct digest *d)
{
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		const struct memory_level *m = &d->memory_levels.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_number(e, "rank", d->rank, 0);
		emit_id(e, "device", span_of(m->memory));
		emit_number(e, "entries", m->entries, 0);
		emit_number_if(e, "time_us", m->time_us >= 0, m->time_us, 0);
		emit_number(e, "allocated", m->allocated, 0);
		emit_number_if(e, "reserved", m->reserved != MEMORY_UNKNOWN, m->reserved, 0);
		emit_close(e, '}');
	}
}

/* Only where a rank has a snapshot. */
static void snapshots(struct emit *e, const struct run *run)
{
	bool any = false;
	for (size_t i = 0; i < run->ranks.nr; i++)
		any = any || run->ranks.v[i]->memory_items.nr || run->ranks.v[i]->memory_levels.nr;
	if (!any)
		return;
	emit_open_line(e, 1, "memory_items", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		memory_items(e, run->ranks.v[i]);
	emit_close(e, ']');
	emit_open_line(e, 1, "memory_levels", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		memory_levels(e, run->ranks.v[i]);
	emit_close(e, ']');
}

/* What is of communication, functions and several ranks. */
static void communication(struct emit *e, const struct run_view *v)
{
	const struct run *run = v->run;
	emit_open_line(e, 1, "collectives", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		collectives(e, run->ranks.v[i]);
	emit_close(e, ']');
	emit_open_line(e, 1, "functions", '[');
	for (size_t i = 0; i < run->ranks.nr; i++) {
		struct figure_ctx ctx = { e, run->ranks.v[i], NULL };
		rank_figures(v, i, &metric_table[METRIC_FUNCTION_EXCLUSIVE_PCT], function, &ctx);
	}
	emit_close(e, ']');
}

/* Not among the metrics: who adds up one of these would count its parts again. */
static void phases(struct emit *e, const struct run_view *v)
{
	emit_open_line(e, 1, "phases", '[');
	for (int m = 0; m < NR_METRICS; m++)
		for (size_t i = 0; i < v->run->ranks.nr; i++) {
			struct figure_ctx ctx = { e, v->run->ranks.v[i], NULL };
			if (phase_sum_of(&metric_table[m]))
				rank_phase_figures(v, i, &metric_table[m], figure, &ctx);
		}
	emit_close(e, ']');
}

void metrics_write_json(const struct run_view *v, const struct report *r, struct sink *out)
{
	struct emit e = { out, false };
	struct arena scratch = ARENA_INIT;
	const struct run *run = v->run;
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", "gpugate-metrics-1");
	emit_open_line(&e, 1, "ranks", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		rank_header(&e, run->ranks.v[i]);
	emit_close(&e, ']');
	emit_open_line(&e, 1, "metrics", '[');
	for (int m = 0; m < NR_METRICS; m++)
		for (size_t i = 0; i < run->ranks.nr; i++) {
			struct figure_ctx ctx = { &e, run->ranks.v[i], &scratch };
			if (metric_table[m].label != LABEL_PAIR)
				rank_figures(v, i, &metric_table[m], figure, &ctx);
		}
	emit_close(&e, ']');
	phases(&e, v);
	emit_open_line(&e, 1, "kernels", '[');
	for (size_t i = 0; i < run->ranks.nr; i++)
		kernels(&e, v, run->ranks.v[i]);
	emit_close(&e, ']');
	communication(&e, v);
	snapshots(&e, run);
	if (r) {
		trust_write_json(r, false, &e);
		ranks_write_json(r, "rank_table", false, &e);
	}
	emit_close(&e, '}');
	sink_puts(out, "\n");
	arena_release(&scratch);
}

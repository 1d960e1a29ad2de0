/* `gpugate metrics` for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/memory_text.h"
#include "report/table.h"
#include "report/writer.h"

#define NAME_CHARS 100
#define LINE_CHARS 1000
#define TOP 20

struct line {
	const struct metric *metric;
	struct strbuf label;
	int64_t rank, value, low, high; ///< low, high: step metrics only
};

struct lines {
	VEC(struct line) list;
};

static void collect(void *ctx, const struct figure *f)
{
	struct lines *lines = ctx;
	struct line l = { .metric = f->metric, .rank = f->rank };
	table_add_text(&l.label, f->label, NAME_CHARS);
	l.value = stat_of(STAT_MEDIAN, f->samples, f->nr);
	l.low = stat_of(STAT_MIN, f->samples, f->nr);
	l.high = stat_of(STAT_MAX, f->samples, f->nr);
	vec_push(&lines->list, l);
}

static int by_value(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	int c = span_cmp(strbuf_span(&x->label), strbuf_span(&y->label));
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static void release(struct lines *lines)
{
	for (size_t i = 0; i < lines->list.nr; i++)
		strbuf_release(&lines->list.v[i].label);
	vec_release(&lines->list);
}

/* A cell of `width` characters, right-aligned: "µ" is one character of two bytes. */
static void cell(struct sink *out, enum unit unit, int64_t value, int width)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, unit, value, false);
	int chars = (int)text_chars(strbuf_span(&b));
	sink_printf(out, "  %*s%s", chars < width ? width - chars : 0, "", strbuf_str(&b));
	strbuf_release(&b);
}

static void rank_cell(const struct run_view *v, int64_t rank, struct sink *out)
{
	if (v->run->ranks.nr > 1)
		sink_printf(out, "  rank %-5" PRId64, rank);
}

static void query(const struct run_view *v, const struct metric *m, struct lines *lines)
{
	*lines = (struct lines){ 0 };
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		rank_figures(v, i, m, collect, lines);
}

static void step_table(const struct run_view *v, struct sink *out)
{
	bool window = v->run->ranks.nr && v->run->ranks.v[0]->window, any = false;
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		any = any || v->run->ranks.v[i]->trace || !v->run->ranks.v[i]->snapshot;
	if (!any)
		return;
	sink_printf(out, "  %-26s  %12s  %12s  %12s\n",
	            window ? "per window (no steps marked)" : "per step", "median", "min", "max");
	for (int m = 0; m < (int)NR_STEP_METRICS; m++) {
		struct lines lines;
		query(v, &metric_table[m], &lines);
		for (size_t i = 0; i < lines.list.nr; i++) {
			const struct line *l = &lines.list.v[i];
			sink_printf(out, "  %-26s", l->metric->name);
			cell(out, l->metric->unit, l->value, 12);
			cell(out, l->metric->unit, l->low, 12);
			cell(out, l->metric->unit, l->high, 12);
			rank_cell(v, l->rank, out);
			sink_puts(out, "\n");
		}
		release(&lines);
	}
	sink_puts(out, "\n");
}

static void run_table(const struct run_view *v, struct sink *out)
{
	for (int m = NR_STEP_METRICS; m < NR_METRICS; m++) {
		const struct metric *metric = &metric_table[m];
		struct lines lines;
		if (metric->label != LABEL_NONE && metric->label != LABEL_DEVICE &&
		    metric->label != LABEL_MEMORY && metric->label != LABEL_DIRECTION)
			continue;
		query(v, metric, &lines);
		for (size_t i = 0; i < lines.list.nr; i++) {
			const struct line *l = &lines.list.v[i];
			sink_printf(out, "  %-34s", metric->name);
			cell(out, metric->unit, l->value, 14);
			if (l->label.n)
				sink_printf(out, "  %s %s", label_name(metric->label), strbuf_str(&l->label));
			rank_cell(v, l->rank, out);
			sink_puts(out, "\n");
		}
		release(&lines);
	}
}

static void top_table(const struct run_view *v, enum metric_id id, const char *title,
                      struct sink *out)
{
	struct lines lines;
	query(v, &metric_table[id], &lines);
	vec_sort(&lines.list, by_value);
	if (lines.list.nr)
		sink_printf(out, "\n%s\n", title);
	for (size_t i = 0; i < lines.list.nr && i < TOP; i++) {
		cell(out, metric_table[id].unit, lines.list.v[i].value, 12);
		rank_cell(v, lines.list.v[i].rank, out);
		sink_printf(out, "  %s\n", strbuf_str(&lines.list.v[i].label));
	}
	if (lines.list.nr > TOP)
		sink_printf(out, "  %zu more\n", lines.list.nr - TOP);
	release(&lines);
}

static void header(const struct run_view *v, struct sink *out)
{
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		const struct digest *d = v->run->ranks.v[i];
		const char *gpu = digest_env(d, "gpu.name");
		struct strbuf b = STRBUF_INIT;
		strbuf_addf(&b, "rank %" PRId64 ": ", d->rank);
		table_add_text(&b,
		               span_of(d->trace      ? d->trace
		                       : d->snapshot ? d->snapshot
		                                     : "digest"),
		               LINE_CHARS);
		strbuf_adds(&b, ", ");
		if (d->trace && d->snapshot) {
			table_add_text(&b, span_of(d->snapshot), LINE_CHARS);
			strbuf_adds(&b, ", ");
		}
		table_add_text(&b, span_of(gpu ? gpu : "GPU not named"), LINE_CHARS);
		strbuf_addf(&b, ", %zu %s, %" PRId64 " events, %" PRId64 " GPU activities", d->nr_steps,
		            d->window          ? "window"
		            : d->nr_steps == 1 ? "step"
		                               : "steps",
		            d->events, d->trust.gpu_events);
		if (d->trust.carried_over)
			strbuf_addf(&b, " (%" PRId64 " carried over)", d->trust.carried_over);
		if (d->trust.dropped)
			strbuf_addf(&b, " (%" PRId64 " without their launch)", d->trust.dropped);
		if (d->trust.unattributed)
			strbuf_addf(&b, " (%" PRId64 " outside the steps)", d->trust.unattributed);
		if (d->trust.partial)
			strbuf_adds(&b, "; PARTIAL: only the first events were read");
		if (d->trust.truncated)
			strbuf_adds(&b, "; CUT SHORT: only the complete events were read");
		strbuf_addch(&b, '\n');
		sink_write(out, strbuf_span(&b));
		strbuf_release(&b);
	}
	if (v->merged_names)
		sink_printf(out, "%zu kernel names differ only in numbering and are shown as one\n",
		            v->merged_names);
	sink_puts(out, "\n");
}

void metrics_write_text(const struct run_view *v, struct sink *out)
{
	header(v, out);
	step_table(v, out);
	sink_puts(out, "whole run\n");
	run_table(v, out);
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		memory_text_write(v->run->ranks.v[i], v->run->ranks.nr > 1, out);
	top_table(v, METRIC_KERNEL_TIME, "kernels by time per step", out);
	top_table(v, METRIC_CATEGORY_TIME, "categories by time per step", out);
	top_table(v, METRIC_OP_SELF_TIME, "operators by self time per step", out);
	top_table(v, METRIC_THREAD_TIME, "host threads by time", out);
}

void metric_table_write_text(struct sink *out)
{
	static const char *const worse[] = {
		[WORSE_UP] = "higher", [WORSE_DOWN] = "lower", [WORSE_EITHER] = "-"
	};
	sink_printf(out, "%-34s %-8s %-7s %-8s %s\n", "metric", "unit", "worse", "ranks", "meaning");
	for (int i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		sink_printf(out, "%-34s %-8s %-7s %-8s %s\n", m->name, unit_name(m->unit), worse[m->worse],
		            reduce_name(m->reduce), m->meaning);
	}
}

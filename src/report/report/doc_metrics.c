/* The section with every figure of one run, for --verbose, and the table of metrics. */
#include <inttypes.h>

#include "base/text.h"
#include "model/fold.h"
#include "report/document.h"
#include "report/table.h"
#include "report/writer.h"

enum { LINE_CHARS = 1000, NAME_CHARS = 100, RANKS_TOLD = 8 };

/* A figure of one rank: median and extremes over its steps; or of all ranks: median and extremes
   over the ranks' medians. */
struct line {
	struct span label;
	int64_t rank, value, low, high;
	int64_t low_rank, high_rank; /* ranks with `low` and `high`, if several ranks are joined */
};
struct lines {
	VEC(struct line) list;
};

static void collect(void *ctx, const struct figure *f)
{
	int64_t of[NR_STATISTICS];
	for (int s = 0; s < NR_STATISTICS; s++)
		of[s] = f->summary ? f->summary[s] : stat_of((enum statistic)s, f->samples, f->nr);
	vec_push(&((struct lines *)ctx)->list,
	         (struct line){ f->label, f->rank, of[STAT_MEDIAN], of[STAT_MIN], of[STAT_MAX], 0, 0 });
}

ORDERING(by_label, struct line, BY_SPAN(label) RISING(value) RISING(rank))

/* Join the lines with the same label into one over the ranks (and over the devices of a rank). */
static void join(struct lines *lines, struct arena *a)
{
	struct line *v = lines->list.v;
	int64_t *values = arena_alloc(a, lines->list.nr, sizeof *values);
	size_t nr = 0;
	vec_sort(&lines->list, by_label);
	for (size_t i = 0, end; i < lines->list.nr; i = end) {
		for (end = i; end < lines->list.nr && span_eq(v[end].label, v[i].label); end++)
			values[end] = v[end].value;
		/* the lines of a label are sorted by value, so the last one has the highest */
		const struct line *low = &v[i], *high = &v[end - 1];
		v[nr++] =
		    (struct line){ low->label, -1,          reduce_of(REDUCE_MEDIAN, values + i, end - i),
			               low->value, high->value, low->rank,
			               high->rank };
	}
	lines->list.nr = nr;
}

static void put_amount(struct document *d, enum unit unit, int64_t value, bool shown)
{
	doc_figure_cell(d, shown ? unit_text(&d->arena, unit, value) : "", shown, value);
}

static void put_metric(struct document *d, const struct run_view *v, const struct metric *m,
                       bool many)
{
	bool own = m->label == LABEL_DEVICE || m->label == LABEL_MEMORY;
	struct lines lines = { 0 };
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		rank_figures(v, i, m, collect, &lines);
	/* labels of devices and memories belong to one rank: a line for several ranks is joined over
	   them, and has no label */
	for (size_t i = 0; many && own && i < lines.list.nr; i++)
		lines.list.v[i].label = SPAN("");
	if (many)
		join(&lines, &d->arena);
	for (size_t i = 0; i < lines.list.nr; i++) {
		const struct line *l = &lines.list.v[i];
		const struct metric *of = view_metric(v, m, l->label);
		bool item = l->label.n && m->need != NEED_INPUT;
		bool differ = l->low != l->high || (m->per_step && !many);
		doc_row(d, 0);
		doc_said_cell(d, !item
		                     ? of->name
		                     : arena_printf(&d->arena, "%s, %s %s", of->name, label_names[m->label],
		                                    table_span(&d->arena, l->label, NAME_CHARS)));
		put_amount(d, of->unit, l->value, true);
		put_amount(d, of->unit, l->low, differ);
		doc_words_cell(d,
		               differ && many ? arena_printf(&d->arena, "rank %" PRId64, l->low_rank) : "");
		put_amount(d, of->unit, l->high, differ);
		doc_words_cell(d, differ && many ? arena_printf(&d->arena, "rank %" PRId64, l->high_rank)
		                                 : "");
	}
	vec_release(&lines.list);
}

/* Add a table: of the figures per step, or else of those figures of the whole run that have few
   items. */
static void put_figures(struct document *d, const struct run_view *v, bool per_step)
{
	static const struct doc_column columns[] = { { "figure", DOC_LEFT },   { "median", DOC_RIGHT },
		                                         { "lowest", DOC_RIGHT },  { "", DOC_LEFT },
		                                         { "highest", DOC_RIGHT }, { "", DOC_LEFT } };
	const struct run *run = v->run;
	bool many = run->ranks.nr > 1, window = run->ranks.nr && run->ranks.v[0]->window;
	const char *over = many ? ": median of the ranks, lowest, highest" : "";
	doc_table(d,
	          arena_printf(&d->arena, "%s%s",
	                       !per_step ? "whole run"
	                       : window  ? "per window (no steps marked)"
	                                 : "per step",
	                       over),
	          COLUMNS(columns));
	for (const struct metric *m = metric_table; m < metric_table + NR_METRICS; m++) {
		bool few = m->label == LABEL_NONE || m->label == LABEL_DEVICE || m->label == LABEL_MEMORY ||
		           m->label == LABEL_DIRECTION || m->label == LABEL_INPUT ||
		           m->label == LABEL_COUNTER;
		if (per_step ? m->id < (int)NR_STEP_METRICS : !m->per_step && few)
			put_metric(d, v, m, many);
	}
}

static void put_phases(struct document *d, const struct run_view *v)
{
	static const enum metric_id ids[] = { METRIC_STEP_TIME,         METRIC_STEP_CUDA_TIME,
		                                  METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME,
		                                  METRIC_STEP_MEMCPY_TIME,  METRIC_STEP_MEMSET_TIME,
		                                  METRIC_STEP_KERNEL_COUNT };
	enum { NR = NR_OF(ids) };
	struct doc_column *columns = arena_alloc(&d->arena, NR + 1, sizeof *columns);
	columns[0] = (struct doc_column){ "phase", DOC_LEFT };
	for (size_t k = 0; k < NR; k++)
		columns[k + 1] =
		    (struct doc_column){ metric_table[ids[k]].name + strlen("step."), DOC_RIGHT };
	doc_table(d, "phases of steps", columns, NR + 1);
	for (int phase = PHASE_FORWARD; phase < NR_PHASES; phase++) {
		struct answers answers[NR];
		bool any = false;
		for (size_t k = 0; k < NR; k++) {
			run_query(v,
			          &(struct query){ .metric = &metric_table[ids[k]],
			                           .stat = STAT_MEDIAN,
			                           .reduce = REDUCE_MEDIAN,
			                           .phase = phase_names[phase] },
			          &d->arena, &answers[k]);
			any = any || answers[k].list.nr;
		}
		if (any) {
			doc_row(d, 0);
			doc_words_cell(d, phase_names[phase]);
		}
		for (size_t k = 0; k < NR; k++) {
			const struct answer *x = answers[k].list.v;
			bool known = answers[k].list.nr;
			if (any)
				doc_figure_cell(
				    d, known ? unit_text(&d->arena, metric_table[ids[k]].unit, x->value) : "–",
				    known, known ? x->value : 0);
			vec_release(&answers[k].list);
		}
	}
}

static const char *files_of(struct document *doc, const struct digest *d)
{
	const char *const files[] = { d->trace, d->snapshot, d->metrics_file };
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < NR_OF(files); i++)
		if (files[i]) {
			strbuf_adds(&b, b.n ? ", " : "");
			text_add_log(&b, span_of(files[i]), LINE_CHARS);
		}
	return b.n ? arena_take(&doc->arena, &b) : "digest";
}

static void put_recordings(struct document *d, const struct run *run)
{
	static const struct doc_column columns[] = {
		{ "rank", DOC_RIGHT },         { "files", DOC_LEFT },
		{ "GPU", DOC_LEFT },           { "steps", DOC_RIGHT },
		{ "events", DOC_RIGHT },       { "GPU activities", DOC_RIGHT },
		{ "carried over", DOC_RIGHT }, { "without launch", DOC_RIGHT },
		{ "outside steps", DOC_RIGHT }
	};
	size_t shown = run->ranks.nr < RANKS_TOLD ? run->ranks.nr : RANKS_TOLD;
	struct doc_table *t = doc_table(d, "recordings", COLUMNS(columns));
	t->more = run->ranks.nr - shown;
	for (size_t i = 0; i < shown; i++) {
		const struct digest *x = run->ranks.v[i];
		const int64_t counts[] = { x->window ? 0 : (int64_t)x->nr_steps,
			                       x->events,
			                       x->trust.gpu_events,
			                       x->trust.carried_over,
			                       x->trust.dropped,
			                       x->trust.unattributed };
		doc_row(d, 0);
		doc_figure_cell(d, arena_printf(&d->arena, "%" PRId64, x->rank), true, x->rank);
		doc_name_cell(d, files_of(d, x));
		doc_name_cell(d, table_text(&d->arena, digest_env(x, "gpu.name"), LINE_CHARS));
		for (size_t k = 0; k < NR_OF(counts); k++)
			put_amount(d, UNIT_COUNT, counts[k], k < 3 || counts[k]);
	}
}

void doc_metrics(struct document *d, const struct report *r)
{
	const struct run_view *v = r->run->view;
	if (!v)
		return;
	const struct fold *f = run_fold(v->run);
	doc_section(d, "every-figure", "Every figure", DOC_COLLAPSED);
	if (f) {
		doc_paragraph(d);
		doc_printf(d,
		           "%zu ranks, folded: figures are those of the median rank, and rows of kernels, "
		           "operators and communication those of the mean rank",
		           f->nr);
	}
	if (v->merged_names) {
		doc_paragraph(d);
		doc_printf(d, "%zu kernel names differ only in numbering and are shown as one",
		           v->merged_names);
	}
	if (!f)
		put_recordings(d, v->run);
	put_figures(d, v, true);
	put_phases(d, v);
	put_figures(d, v, false);
	doc_end(d);
}

void metric_table_document(struct document *d)
{
	static const char *const worse[] = {
		[WORSE_UP] = "higher", [WORSE_DOWN] = "lower", [WORSE_EITHER] = "-"
	};
	static const struct doc_column columns[] = { { "metric", DOC_LEFT },
		                                         { "unit", DOC_LEFT },
		                                         { "worse", DOC_LEFT },
		                                         { "ranks", DOC_LEFT },
		                                         { "meaning", DOC_LEFT } };
	doc_table(d, "Metrics", COLUMNS(columns));
	for (int i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		doc_row(d, 0);
		doc_words_cell(d, m->name);
		doc_words_cell(d, unit_name(m->unit));
		doc_words_cell(d, worse[m->worse]);
		doc_words_cell(d, reduce_names[m->reduce]);
		doc_words_cell(d, m->meaning);
	}
}

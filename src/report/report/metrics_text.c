/* Builds the document of `gpugate metrics`. */
#include <inttypes.h>

#include "base/text.h"

#include "model/account.h"
#include "model/fold.h"
#include "report/document.h"
#include "report/memory_text.h"
#include "report/metrics_page.h"
#include "report/table.h"
#include "report/writer.h"

#define LINE_CHARS 1000
#define TOP 20
#define RANKS_TOLD 8 /* largest number of ranks with a line or section of their own */

/* ---- tables of figures ---- */

static void add_over_ranks(struct metrics_page *p, struct table *t, const struct metric *m,
                           const struct metrics_line *l)
{
	m = view_metric(p->v, m, l->label); /* each figure of a metrics file is a metric of its own */
	const char *label = m->name;
	bool same = l->low == l->high;
	if (l->label.n && m->need != NEED_INPUT)
		label = arena_printf(&p->arena, "%s %s", m->name, metrics_name(p, l->label));
	table_add(t, (const char *[]){ label, unit_text(&p->arena, m->unit, l->value),
	                               same ? "" : unit_text(&p->arena, m->unit, l->low),
	                               same ? "" : metrics_rank(p, l->low_rank),
	                               same ? "" : unit_text(&p->arena, m->unit, l->high),
	                               same ? "" : metrics_rank(p, l->high_rank) });
}

static void step_table(struct metrics_page *p)
{
	const struct run *run = p->v->run;
	bool window = run->ranks.nr && run->ranks.v[0]->window;
	const char *what = window ? "per window (no steps marked)" : "per step";
	struct table t = { .align = p->many ? "lrrlrl" : "lrrr" };
	if (p->many)
		table_add(&t, (const char *[]){ what, "median of the ranks", "lowest", "", "highest", "" });
	else
		table_add(&t, (const char *[]){ what, "median", "min", "max" });
	for (int m = 0; m < (int)NR_STEP_METRICS; m++) {
		struct metrics_lines lines;
		enum unit unit = metric_table[m].unit;
		metrics_query(p, m, &lines);
		for (size_t i = 0; i < lines.list.nr; i++) {
			const struct metrics_line *l = &lines.list.v[i];
			if (p->many)
				add_over_ranks(p, &t, &metric_table[m], l);
			else
				table_add(&t, (const char *[]){ metric_table[m].name,
				                                unit_text(&p->arena, unit, l->value),
				                                unit_text(&p->arena, unit, l->low),
				                                unit_text(&p->arena, unit, l->high) });
		}
		vec_release(&lines.list);
	}
	table_put(&t, true, "", 0, p->d);
}

/* Add a table with a row for each phase of a rank. */
static void phase_table(struct metrics_page *p)
{
	static const enum metric_id ids[] = { METRIC_STEP_TIME,         METRIC_STEP_CUDA_TIME,
		                                  METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME,
		                                  METRIC_STEP_MEMCPY_TIME,  METRIC_STEP_MEMSET_TIME,
		                                  METRIC_STEP_KERNEL_COUNT };
	enum { NR = sizeof ids / sizeof *ids };
	struct table t = { .align = "lrrrrrrr" };
	const char *cells[NR + 1] = { "phase" };
	for (size_t k = 0; k < NR; k++)
		cells[k + 1] = metric_table[ids[k]].name + strlen("step.");
	table_add(&t, cells);
	for (int phase = PHASE_FORWARD; phase < NR_PHASES; phase++) {
		bool any = false;
		cells[0] = phase_names[phase];
		for (size_t k = 0; k < NR; k++) {
			const struct metric *m = &metric_table[ids[k]];
			struct answers answers;
			run_query(p->v,
			          &(struct query){ .metric = m,
			                           .stat = STAT_MEDIAN,
			                           .reduce = REDUCE_MEDIAN,
			                           .phase = phase_names[phase] },
			          &p->arena, &answers);
			bool known = answers.list.nr > 0;
			any = any || known;
			cells[k + 1] = known ? unit_text(&p->arena, m->unit, answers.list.v[0].value) : "–";
			vec_release(&answers.list);
		}
		if (any)
			table_add(&t, cells);
	}
	table_put(&t, true, "", 0, p->d);
}

/* True for metrics with few items: those of the run, of its devices and of its memories. */
static bool is_of_run(const struct metric *m)
{
	return !m->per_step &&
	       (m->label == LABEL_NONE || metrics_is_own(m->label) || m->label == LABEL_DIRECTION ||
	        m->label == LABEL_INPUT || m->label == LABEL_COUNTER);
}

static void run_table(struct metrics_page *p)
{
	struct table t = { .align = p->many ? "lrrlrl" : "lrl" };
	for (int m = 0; m < NR_METRICS; m++) {
		struct metrics_lines lines;
		const struct metric *metric = &metric_table[m];
		if (!is_of_run(metric))
			continue;
		metrics_query(p, m, &lines);
		for (size_t i = 0; i < lines.list.nr; i++) {
			const struct metrics_line *l = &lines.list.v[i];
			const struct metric *own = view_metric(p->v, metric, l->label);
			if (p->many) {
				add_over_ranks(p, &t, metric, l);
				continue;
			}
			const char *of = l->label.n && metric->label != LABEL_INPUT
			                     ? arena_printf(&p->arena, "%s %s", label_name(metric->label),
			                                    metrics_name(p, l->label))
			                     : "";
			table_add(&t,
			          (const char *[]){ own->name, unit_text(&p->arena, own->unit, l->value), of });
		}
		vec_release(&lines.list);
	}
	table_put(&t, false, p->many ? "whole run: median of the ranks, lowest, highest" : "whole run",
	          0, p->d);
}

static void top_table(struct metrics_page *p, enum metric_id id, const char *title)
{
	struct metrics_lines lines;
	struct table t = { .align = "rl" };
	metrics_query(p, id, &lines);
	vec_sort(&lines.list, metrics_by_value);
	for (size_t i = 0; i < lines.list.nr && i < TOP; i++) {
		const struct metrics_line *l = &lines.list.v[i];
		const char *label = metrics_name(p, l->label);
		if (p->many && l->rank >= 0)
			label = arena_printf(&p->arena, "%s, %s", label, metrics_rank(p, l->rank));
		table_add(&t,
		          (const char *[]){ unit_text(&p->arena, metric_table[id].unit, l->value), label });
	}
	table_put(&t, false, title, lines.list.nr > TOP ? lines.list.nr - TOP : 0, p->d);
	vec_release(&lines.list);
}

/* ---- communication and functions ---- */

static const int64_t *value_of(const struct answers *answers, struct span label)
{
	for (size_t i = 0; i < answers->list.nr; i++)
		if (span_eq(answers->list.v[i].label, label))
			return &answers->list.v[i].value;
	return NULL;
}

static void comm_table(struct metrics_page *p)
{
	static const enum metric_id ids[] = { METRIC_COMM_COUNT, METRIC_COMM_BYTES, METRIC_COMM_TIME,
		                                  METRIC_COMM_ALG_BANDWIDTH, METRIC_COMM_BUS_BANDWIDTH };
	enum { NR = sizeof ids / sizeof *ids };
	struct answers answers[NR];
	struct table t = { .align = "rrrrrl" };
	for (size_t k = 0; k < NR; k++) {
		const struct metric *m = &metric_table[ids[k]];
		struct query q = { .metric = m,
			               .stat = STAT_MEDIAN,
			               .reduce = m->reduce == REDUCE_EACH ? REDUCE_MEDIAN : m->reduce };
		run_query(p->v, &q, &p->arena, &answers[k]);
	}
	table_add(&t, (const char *[]){ "count", "bytes", "time", "algorithm", "bus", "" });
	for (size_t i = 0; i < answers[0].list.nr; i++) {
		struct span label = answers[0].list.v[i].label;
		const char *cells[NR + 1];
		for (size_t k = 0; k < NR; k++) {
			const int64_t *value = value_of(&answers[k], label);
			cells[k] = value ? unit_text(&p->arena, metric_table[ids[k]].unit, *value) : "–";
		}
		cells[NR] = metrics_name(p, label);
		table_add(&t, cells);
	}
	for (size_t k = 0; k < NR; k++)
		vec_release(&answers[k].list);
	table_put(&t, true,
	          p->many ? "collectives per step by kind and process group: median of the ranks; "
	                    "bandwidth of the one that waits least"
	                  : "collectives per step by kind and process group",
	          0, p->d);
}

static const char *rate_of(struct metrics_page *p, const struct function_stat *f)
{
	if (f->rate < 0)
		return "";
	return arena_printf(&p->arena, "%s ± %s", unit_text(&p->arena, UNIT_BYTES_PER_S, f->rate),
	                    unit_text(&p->arena, UNIT_BYTES_PER_S, f->rate_mad < 0 ? 0 : f->rate_mad));
}

static void function_table(struct metrics_page *p)
{
	struct metrics_lines lines;
	struct table t = { .align = "lrrrl" };
	metrics_query(p, METRIC_FUNCTION_EXCLUSIVE_PCT, &lines);
	vec_sort(&lines.list, metrics_by_value);
	table_add(&t, (const char *[]){ "class", "share", "execution", "throughput", "" });
	for (size_t i = 0; i < lines.list.nr; i++) {
		const struct metrics_line *l = &lines.list.v[i];
		if (l->value < FUNCTION_WORTH_NAMING)
			continue;
		table_add(&t, (const char *[]){ function_class_names[l->function->cls],
		                                unit_text(&p->arena, UNIT_PCT, l->value),
		                                unit_text(&p->arena, UNIT_NS, l->function->median_ns),
		                                rate_of(p, l->function), metrics_name(p, l->label) });
	}
	vec_release(&lines.list);
	table_put(&t, true, "functions above 1 % of the time, less what a higher class covers", 0,
	          p->d);
}

/* ---- the whole page ---- */

static void add_extent(struct strbuf *b, const struct digest *d)
{
	strbuf_addf(b, ", %zu %s, %" PRId64 " event%s, %" PRId64 " GPU activit%s", d->nr_steps,
	            d->window          ? "window"
	            : d->nr_steps == 1 ? "step"
	                               : "steps",
	            d->events, text_s(d->events), d->trust.gpu_events, text_ies(d->trust.gpu_events));
	if (d->trust.carried_over)
		strbuf_addf(b, " (%" PRId64 " carried over)", d->trust.carried_over);
	if (d->trust.dropped)
		strbuf_addf(b, " (%" PRId64 " without their launch)", d->trust.dropped);
	if (d->trust.unattributed)
		strbuf_addf(b, " (%" PRId64 " outside the steps)", d->trust.unattributed);
	if (d->trust.partial)
		strbuf_adds(b, "; PARTIAL: only the first events were read");
	if (d->trust.truncated)
		strbuf_adds(b, "; CUT SHORT: only the complete events were read");
}

/* Add, for a rank with neither trace nor snapshot, how many figures of result files and states of
 * GPUs it has. */
static void add_figures(struct strbuf *b, const struct digest *d)
{
	if (d->inputs.nr)
		strbuf_addf(b, ", %zu figure%s", d->inputs.nr, d->inputs.nr == 1 ? "" : "s");
	if (d->machines.nr)
		strbuf_addf(b, ", the state of %zu GPU%s", d->machines.nr, d->machines.nr == 1 ? "" : "s");
}

/* Add the files from which the rank was read. */
static void add_files(struct strbuf *b, const struct digest *d)
{
	const char *const files[] = { d->trace, d->snapshot, d->metrics_file };
	size_t before = b->n;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i]) {
			strbuf_adds(b, b->n > before ? ", " : "");
			text_add_log(b, span_of(files[i]), LINE_CHARS);
		}
	if (b->n == before)
		strbuf_adds(b, "digest");
}

static void put_rank(struct document *doc, const struct digest *d)
{
	const char *gpu = digest_env(d, "gpu.name");
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "rank %" PRId64 ": ", d->rank);
	add_files(&b, d);
	if (d->metrics_file && !d->trace && !d->snapshot) {
		add_figures(&b, d);
	} else {
		strbuf_adds(&b, ", ");
		text_add_log(&b, span_of(gpu ? gpu : "GPU not named"), LINE_CHARS);
		add_extent(&b, d);
	}
	doc_paragraph(doc);
	doc_said(doc, arena_take(&doc->arena, &b));
}

static void put_remarks(struct metrics_page *p)
{
	struct trust_lines trust;
	trust_lines_init(&trust, p->r, false);
	doc_remarks(p->d, p->r, &trust);
	doc_insights(p->d, p->r);
	trust_lines_release(&trust);
	doc_ranks(p->d, p->r, true, "Ranks");
}

static void put_header(struct metrics_page *p)
{
	const struct run *run = p->v->run;
	const struct fold *f = run_fold(run);
	if (f) {
		doc_paragraph(p->d);
		doc_printf(p->d,
		           "%zu ranks, folded: figures are those of the median rank, and rows of kernels, "
		           "operators and communication those of the mean rank",
		           f->nr);
	}
	for (size_t i = 0; i < run->ranks.nr && i < RANKS_TOLD && !f; i++)
		put_rank(p->d, run->ranks.v[i]);
	if (run->ranks.nr > RANKS_TOLD) {
		doc_paragraph(p->d);
		doc_printf(p->d, "%zu more ranks", run->ranks.nr - RANKS_TOLD);
	}
	const char *judged = account_text(run, (int64_t)run_nr_ranks(run), &p->d->arena);
	if (judged) {
		doc_paragraph(p->d);
		doc_words(p->d, judged);
	}
	/* each rank may have a note on steps without markers: only the first rank's is shown */
	const char *unmarked = run->ranks.nr ? digest_unmarked_text(run->ranks.v[0], &p->arena) : NULL;
	if (unmarked) {
		doc_paragraph(p->d);
		doc_printf(p->d, "note: %s", unmarked);
	}
	if (p->v->merged_names) {
		doc_paragraph(p->d);
		doc_printf(p->d, "%zu kernel names differ only in numbering and are shown as one",
		           p->v->merged_names);
	}
	if (p->r)
		put_remarks(p);
}

static void put_memories(struct metrics_page *p)
{
	const struct run *run = p->v->run;
	for (size_t i = 0, nr = 0; i < run->ranks.nr && nr < RANKS_TOLD; i++) {
		memory_document(run->ranks.v[i], p->many, p->d);
		nr += run->ranks.v[i]->memories.nr > 0;
	}
}

void metrics_document(const struct run_view *v, const struct report *r, struct document *d)
{
	struct metrics_page p = { .v = v, .r = r, .d = d, .many = v->run->ranks.nr > 1 };
	put_header(&p);
	step_table(&p);
	phase_table(&p);
	run_table(&p);
	put_memories(&p);
	comm_table(&p);
	function_table(&p);
	top_table(&p, METRIC_KERNEL_TIME, "kernels by time per step");
	top_table(&p, METRIC_CATEGORY_TIME, "categories by time per step");
	top_table(&p, METRIC_OP_SELF_TIME, "operators by self time per step");
	top_table(&p, METRIC_THREAD_TIME, "host threads by time");
	arena_release(&p.arena);
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
		doc_words_cell(d, reduce_name(m->reduce));
		doc_words_cell(d, m->meaning);
	}
}

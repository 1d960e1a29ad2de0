#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"
#include "model/account.h"

/* ---- building tables ---- */

void table_begin(struct tabler *t, const char *id, const char *title, const char *note,
                 const struct column *columns, size_t nr)
{
	/* these words of a note are replaced if the run has no steps */
	static const char step[] = "per step";
	const char *at = t->out->window ? strstr(note, step) : NULL;
	t->table = vec_push_zero(&t->out->tables);
	t->table->id = id;
	t->table->title = title;
	t->table->note = !at ? note
	                     : arena_printf(t->a, "%.*sover the whole window%s", (int)(at - note), note,
	                                    at + strlen(step));
	for (size_t i = 0; i < nr; i++) {
		bool is_text = columns[i].unit == TEXT;
		vec_push(&t->table->columns,
		         (struct report_column){ .name = columns[i].name,
		                                 .unit = is_text ? UNIT_COUNT : columns[i].unit,
		                                 .is_text = is_text });
	}
}

size_t table_shows(struct tabler *t, size_t nr)
{
	t->table->more += nr > TABLE_ROWS ? nr - TABLE_ROWS : 0;
	return nr < TABLE_ROWS ? nr : TABLE_ROWS;
}

struct report_cell cell_of(struct arena *a, enum unit unit, int64_t value)
{
	return value == MEMORY_UNKNOWN
	           ? (struct report_cell){ .kind = CELL_ABSENT, .text = "–" }
	           : (struct report_cell){ CELL_FIGURE, unit_text(a, unit, value), value };
}

void cell_figures(struct tabler *t, const int64_t *values, size_t nr)
{
	struct report_table *table = t->table;
	for (size_t i = 0; i < nr; i++) {
		enum unit unit = table->columns.v[table->cells.nr % table->columns.nr].unit;
		vec_push(&table->cells, cell_of(t->a, unit, values[i]));
	}
}

void cell_name(struct tabler *t, struct span name)
{
	vec_push(&t->table->cells,
	         (struct report_cell){ .kind = CELL_TEXT, .text = text_line(t->a, name) });
}

static void drop_column(struct report_table *t, size_t column)
{
	size_t nr = 0, columns = t->columns.nr;
	for (size_t i = 0; i < t->cells.nr; i++)
		if (i % columns != column)
			t->cells.v[nr++] = t->cells.v[i];
	t->cells.nr = nr;
	for (size_t i = column; i + 1 < columns; i++)
		t->columns.v[i] = t->columns.v[i + 1];
	t->columns.nr--;
}

void table_end(struct tabler *t)
{
	struct report_table *table = t->table;
	for (size_t i = table->columns.nr; i-- > 0;) {
		bool says = false;
		for (size_t k = i; k < table->cells.nr && !says; k += table->columns.nr)
			says = table->cells.v[k].kind != CELL_ABSENT && table->cells.v[k].text[0];
		if (!says)
			drop_column(table, i);
	}
	if (table->cells.nr)
		return;
	vec_release(&table->columns);
	vec_release(&table->cells);
	t->out->tables.nr--;
}

/* ---- tables of figures by label ---- */

enum { METRICS_MAX = 6 };

struct listing {
	const char *id, *title, *note;
	const char *names; /* heading of the column that shows the labels */
	size_t nr;
	/* metrics, one for each column of figures; rows are sorted by the first one, largest first */
	enum metric_id ids[METRICS_MAX];
	/* true: add a column with each row's share in the sum of the first metric over all items;
	 * false: no such column */
	bool share;
	int64_t least; /* only items whose first metric is above this value have a row */
};

struct listed {
	struct span label;
	int64_t value;
	const struct function_stat *function; /* in a table of functions: figures of the function on the
	                                         first rank that has it; else NULL */
};

ORDERING(listed_cmp, struct listed, FALLING(value) BY_SPAN(label))

static int answer_label_cmp(const void *label, const void *answer)
{
	return span_cmp(*(const struct span *)label, ((const struct answer *)answer)->label);
}

/* The answer with the label `label`, or NULL; `answers` must be sorted by label. */
static const struct answer *answer_of(const struct answers *answers, struct span label)
{
	const struct answer *v = answers->list.v;
	size_t nr = answers->list.nr, i = lower_bound(v, nr, sizeof *v, &label, answer_label_cmp);
	return i < nr && span_eq(v[i].label, label) ? &v[i] : NULL;
}

/* Rows of a table of functions; `missing` counts those whose member `function` is not set yet. */
struct function_rows {
	struct listed *v;
	size_t nr, missing;
};

static void find_function(void *ctx, const struct figure *f)
{
	struct function_rows *rows = ctx;
	for (size_t i = 0; i < rows->nr; i++)
		if (!rows->v[i].function && span_eq(f->label, rows->v[i].label)) {
			rows->v[i].function = f->function;
			rows->missing--;
		}
}

static void find_functions(struct tabler *t, struct listed *v, size_t nr)
{
	struct function_rows rows = { v, nr, nr };
	for (size_t r = 0; r < t->v->run->ranks.nr && rows.missing; r++)
		rank_figures(t->v, r, &metric_table[METRIC_FUNCTION_EXCLUSIVE_PCT], find_function, &rows);
}

/* Add the cells on a function that have no metric: duration, throughput, its spread, and class. */
static void add_function(struct tabler *t, const struct function_stat *of)
{
	static const struct function_stat none = { .median_ns = -1, .rate = -1 };
	const struct function_stat *f = of ? of : &none;
	CELLS(t, f->median_ns < 0 ? MEMORY_UNKNOWN : f->median_ns,
	      f->rate < 0 ? MEMORY_UNKNOWN : f->rate,
	      f->rate < 0 || f->rate_mad < 0 ? MEMORY_UNKNOWN : f->rate_mad);
	cell_name(t, span_of(of ? function_class_names[f->cls] : ""));
}

static void add_rows(struct tabler *t, const struct listing *l, const struct answers *answers)
{
	struct report_column *columns = t->table->columns.v;
	VEC(struct listed) rows = VEC_INIT;
	bool functions = l->ids[0] == METRIC_FUNCTION_EXCLUSIVE_PCT;
	__int128 sum = 0;
	t->table->more = table_small(t, l->ids, l->nr);
	for (size_t i = 0; i < answers[0].list.nr; i++) {
		const struct answer *x = &answers[0].list.v[i];
		sum += x->value;
		if (x->value > l->least && !(functions && label_is_idle_thread(x->label)))
			vec_push(&rows, (struct listed){ .label = x->label, .value = x->value });
	}
	vec_sort(&rows, listed_cmp);
	size_t shown = table_shows(t, rows.nr);
	find_functions(t, rows.v, functions ? shown : 0);
	for (size_t i = 0; i < rows.nr; i++) {
		int64_t share = number_pct(rows.v[i].value, sum);
		for (size_t k = 0; k < l->nr; k++) {
			const struct answer *x = answer_of(&answers[k], rows.v[i].label);
			if (i < shown)
				CELLS(t, x ? x->value : MEMORY_UNKNOWN);
			else if (x && columns[k].adds)
				columns[k].rest = number_add(columns[k].rest, x->value);
		}
		if (l->share && i < shown)
			CELLS(t, share);
		else if (l->share)
			columns[l->nr].rest += share;
		if (i >= shown)
			continue;
		if (l->ids[0] == METRIC_KERNEL_TIME) {
			const struct category_table *c = t->v->naming->categories;
			cell_name(t, span_of(category_name(c, category_of(c, rows.v[i].label))));
		}
		if (functions)
			add_function(t, rows.v[i].function);
		cell_name(t, rows.v[i].label);
	}
	vec_release(&rows);
}

static void add_listing(struct tabler *t, const struct listing *l)
{
	static const struct column of_functions[] = { { "execution", UNIT_NS },
		                                          { "throughput", UNIT_BYTES_PER_S },
		                                          { "spread", UNIT_BYTES_PER_S },
		                                          { "class", TEXT } };
	enum { OF_FUNCTIONS = NR_OF(of_functions) };
	struct answers answers[METRICS_MAX] = { 0 };
	struct arena scratch = ARENA_INIT;
	struct column columns[METRICS_MAX + 1 + OF_FUNCTIONS];
	bool functions = l->ids[0] == METRIC_FUNCTION_EXCLUSIVE_PCT;
	size_t nr = 0;
	for (size_t k = 0; k < l->nr; k++) {
		const struct metric *m = &metric_table[l->ids[k]];
		struct query q = diagnosis_query(m);
		run_query(t->v, &q, &scratch, &answers[k]);
		columns[nr++] = (struct column){ m->head, m->unit };
	}
	if (l->share)
		columns[nr++] = (struct column){ "share", UNIT_PCT };
	if (l->ids[0] == METRIC_KERNEL_TIME)
		columns[nr++] = (struct column){ "category", TEXT };
	for (size_t k = 0; functions && k < OF_FUNCTIONS; k++)
		columns[nr++] = of_functions[k];
	columns[nr++] = (struct column){ l->names, TEXT };
	table_begin(t, l->id, l->title, l->note, columns, nr);
	for (size_t k = 0; k < nr; k++) {
		struct report_column *c = &t->table->columns.v[k];
		c->adds = k < l->nr ? metric_table[l->ids[k]].adds : k == l->nr && l->share;
		c->detail = functions && k >= l->nr && k + 1 < nr;
	}
	add_rows(t, l, answers);
	for (size_t k = 0; k < l->nr; k++)
		vec_release(&answers[k].list);
	arena_release(&scratch);
	table_end(t);
}

static const struct listing listings[] = {
	{ "kernels", "kernels by time", "per step", "kernel", 6,
	  .ids = { METRIC_KERNEL_TIME, METRIC_KERNEL_COUNT, METRIC_KERNEL_MEAN, METRIC_KERNEL_MAX,
	           METRIC_KERNEL_SHARE_PCT, METRIC_KERNEL_OCCUPANCY_PCT } },
	{ "categories", "categories of kernels by time", "per step", "category", 1,
	  .ids = { METRIC_CATEGORY_TIME }, .share = true },
	{ "gpu_by_operator", "GPU time by operator",
	  "GPU time per step, by the operator that launched it", "operator", 2,
	  .ids = { METRIC_OP_SELF_GPU_TIME, METRIC_OP_GPU_TIME } },
	{ "gpu_by_module", "GPU time by module", "GPU time per step, modules inside included", "module",
	  1, .ids = { METRIC_MODULE_GPU_TIME } },
	{ "gpu_by_line", "GPU time by line", "per step, by the innermost frame of the user's own code",
	  "place", 3,
	  .ids = { METRIC_PLACE_GPU_TIME, METRIC_PLACE_LAUNCH_COUNT, METRIC_PLACE_COPY_BYTES },
	  .share = true },
	{ "waiting_by_line", "waiting by line",
	  "host time per step in synchronization, by the innermost frame of the user's own code",
	  "place", 2, .ids = { METRIC_PLACE_SYNC_TIME, METRIC_PLACE_SYNC_COUNT } },
	{ "operators", "operators by self time", "host time per step", "operator", 2,
	  .ids = { METRIC_OP_SELF_TIME, METRIC_OP_TIME } },
	{ "threads", "host threads", "time in operators and runtime calls, whole window", "PID/TID", 1,
	  .ids = { METRIC_THREAD_TIME } },
	{ "copies", "memory copies by direction", "bytes per step", "direction", 2,
	  .ids = { METRIC_MEMCPY_BYTES, METRIC_MEMCPY_BANDWIDTH } },
	{ "collectives", "collectives by kind and process group",
	  "per step, waiting included; bandwidth of the rank that waits least", "collective", 5,
	  .ids = { METRIC_COMM_TIME, METRIC_COMM_COUNT, METRIC_COMM_BYTES, METRIC_COMM_ALG_BANDWIDTH,
	           METRIC_COMM_BUS_BANDWIDTH },
	  .least = -1 },
	{ "functions", "functions above 1 % of the window",
	  "time in which nothing of a higher class runs: compute, memory, communication, runtime, "
	  "Python; waiting threads in the background left out",
	  "function", 1, .ids = { METRIC_FUNCTION_EXCLUSIVE_PCT }, .least = FUNCTION_WORTH_NAMING },
	{ "counters", "sampled counters of the GPUs",
	  "shares of the peak in the measured steps; spread: median distance from the median",
	  "counter", 2, .ids = { METRIC_GPU_COUNTER_MEDIAN_PCT, METRIC_GPU_COUNTER_MAD_PCT },
	  .least = -1 },
};

/* Add a table with a row for each rank, among the first TABLE_ROWS, that has GPU work and knows how
 * it is divided (account_is_known()): how much its recording contains, and how much of its GPU time
 * is in judged steps, belongs to known operators, and so on. */
static void add_accounts(struct tabler *t)
{
	static const struct column columns[] = {
		{ "rank", UNIT_COUNT },           { "activities", UNIT_COUNT },
		{ "untimed", UNIT_COUNT },        { "twice", UNIT_COUNT },
		{ "GPU time", UNIT_NS },          { "in judged steps", UNIT_NS },
		{ "in steps left out", UNIT_NS }, { "outside", UNIT_NS },
		{ "from before", UNIT_NS },       { "of no known launch", UNIT_NS },
		{ "launches", UNIT_COUNT },       { "captured", UNIT_COUNT },
		{ "pending", UNIT_COUNT },        { "left over", UNIT_COUNT },
		{ "lost", UNIT_COUNT },           { "of known operator", UNIT_NS },
		{ "of known module", UNIT_NS },   { "of known line", UNIT_NS },
		{ "overlapped", UNIT_NS },        { "beyond the next", UNIT_NS },
		{ "markers apart", UNIT_NS },     { "steps apart", UNIT_NS },
	};
	table_begin(
	    t, "account", "Account of each rank",
	    "GPU time divides into what follows it, launches into those with their activities and "
	    "what follows; of GPU time, how much is known, and overlaps",
	    COLUMNS(columns));
	for (size_t i = 0; i < t->v->run->ranks.nr && i < TABLE_ROWS; i++) {
		const struct digest *d = t->v->run->ranks.v[i];
		const struct trust_counts *x = &d->trust;
		if (!x->gpu_events || d->fold || !account_is_known(x))
			continue;
		CELLS(t, d->rank, x->gpu_events, x->untimed, x->twice);
		CELLS(t, x->gpu_ns, account_judged_ns(x), x->cut_ns,
		      x->unattributed_ns - x->before_ns - x->unknown_ns, x->before_ns, x->unknown_ns);
		CELLS(t, x->launches, x->captured, x->pending, x->left_over, x->launches_without_kernel);
		CELLS(t, account_known(d, KNOWN_OPERATOR).ns, account_known(d, KNOWN_MODULE).ns,
		      account_known(d, KNOWN_PLACE).ns);
		CELLS(t, x->overlap_ns, x->contained_ns, x->marker_ns, x->completion_ns);
	}
	table_end(t);
}

void diagnose_tables(const struct run_view *v, struct arena *a, struct run_report *out)
{
	struct tabler t = { .v = v, .a = a, .out = out };
	for (size_t i = 0; i < NR_OF(listings); i++)
		add_listing(&t, &listings[i]);
	tables_of_work(&t);
	tables_of_memory(&t);
	add_accounts(&t);
}

void diagnose_phase(const struct run_view *v, const char *phase, struct arena *a,
                    struct run_report *out)
{
	struct tabler t = { .v = v, .a = a, .out = out };
	while (out->tables.nr) {
		struct report_table *last = &out->tables.v[--out->tables.nr];
		vec_release(&last->columns);
		vec_release(&last->cells);
	}
	for (size_t i = 0; i < NR_OF(listings); i++) {
		enum metric_id id = listings[i].ids[0];
		if (id == METRIC_KERNEL_TIME || id == METRIC_CATEGORY_TIME || id == METRIC_OP_SELF_TIME)
			add_listing(&t, &listings[i]);
	}
	out->phase = phase;
}

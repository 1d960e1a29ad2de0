#include "report/metrics_page.h"

#include <inttypes.h>

#include "report/table.h"

#define NAME_CHARS 100

static int64_t over_steps(const struct figure *f, enum statistic stat)
{
	return f->summary ? f->summary[stat] : stat_of(stat, f->samples, f->nr);
}

static void collect(void *ctx, const struct figure *f)
{
	struct metrics_lines *lines = ctx;
	struct metrics_line l = { .label = f->label, .rank = f->rank, .function = f->function };
	l.value = over_steps(f, STAT_MEDIAN);
	l.low = over_steps(f, STAT_MIN);
	l.high = over_steps(f, STAT_MAX);
	vec_push(&lines->list, l);
}

/* ---- one line per label, over several ranks ---- */

static int class_of(const struct metrics_line *l)
{
	return l->function ? (int)l->function->cls : 0;
}

static int by_label(const void *a, const void *b)
{
	const struct metrics_line *x = a, *y = b;
	int c = class_of(x) - class_of(y);
	c = c ? c : span_cmp(x->label, y->label);
	c = c ? c : COMPARE(x->value, y->value);
	return c ? c : COMPARE(x->rank, y->rank);
}

int metrics_by_value(const void *a, const void *b)
{
	const struct metrics_line *x = a, *y = b;
	int c = class_of(x) - class_of(y);
	if (!c && x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return c ? c : by_label(a, b);
}

/* Compute median, lowest and highest over ranks (and over the devices of a rank). */
static void fold(struct metrics_lines *lines, struct arena *a)
{
	struct metrics_line *v = lines->list.v;
	int64_t *values = arena_alloc(a, lines->list.nr, sizeof *values);
	size_t nr = 0;
	vec_sort(&lines->list, by_label);
	for (size_t i = 0, end; i < lines->list.nr; i = end) {
		for (end = i; end < lines->list.nr && class_of(&v[end]) == class_of(&v[i]) &&
		              span_eq(v[end].label, v[i].label);
		     end++)
			values[end] = v[end].value;
		/* lines are sorted by value, so that the last one of the group has the highest */
		struct metrics_line l = v[end - 1];
		l.rank = end - i == 1 ? l.rank : -1;
		l.low = v[i].value;
		l.low_rank = v[i].rank;
		l.high = v[end - 1].value;
		l.high_rank = v[end - 1].rank;
		l.value = reduce_of(REDUCE_MEDIAN, values + i, end - i);
		v[nr++] = l;
	}
	lines->list.nr = nr;
}

void metrics_query(struct metrics_page *p, enum metric_id id, struct metrics_lines *lines)
{
	*lines = (struct metrics_lines){ 0 };
	for (size_t i = 0; i < p->v->run->ranks.nr; i++)
		rank_figures(p->v, i, &metric_table[id], collect, lines);
	/* a line for several ranks has no label if labels belong to one rank, such as a device */
	for (size_t i = 0; p->many && metrics_is_own(metric_table[id].label) && i < lines->list.nr; i++)
		lines->list.v[i].label = SPAN("");
	if (p->many)
		fold(lines, &p->arena);
}

/* ---- texts of cells ---- */

const char *metrics_name(struct metrics_page *p, struct span text)
{
	return table_span(&p->arena, text, NAME_CHARS);
}

const char *metrics_rank(struct metrics_page *p, int64_t rank)
{
	return arena_printf(&p->arena, "rank %" PRId64, rank);
}

#include "init/init_repo.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "rules/yaml_reader.h"

static void on_figure(void *ctx, const struct figure *f)
{
	(void)f;
	*(bool *)ctx = true;
}

static bool has_figure(const struct run_view *v, const struct metric *m)
{
	bool any =
	    m->label == LABEL_PAIR; /* metrics that compare two runs count, though one run lacks them */
	if (!run_has(v, m))
		return false;
	for (size_t i = 0; i < v->run->ranks.nr && m->label != LABEL_PAIR; i++)
		rank_figures(v, i, m, on_figure, &any);
	return any;
}

enum { RUNS_LEAST = 5, TIMES = 3, PCT = 1000000 };

/* The relative increase that the rule allows, in 1e-6 percent. 0 if its limit is not relative, or
   if it has another limit, too. */
static int64_t share_of(const struct rule *r)
{
	const struct limits *map = &r->fail;
	bool one = map->list.nr == 1 && map->list.v[0].relative && !map->has_and;
	return one && map->list.v[0].condition == COND_INCREASE ? map->list.v[0].value : 0;
}

/* A limit that follows from the spread of a figure. */
struct init_limit {
	int64_t limit; /* three times the spread, but at least 1 %; in 1e-6 percent */
	int64_t spread; /* number_spread() of the runs' figures, in 1e-6 percent */
	size_t runs;
};

/* Find a limit for the rule. False if fewer than five runs of the history have its figure, if it
   checks several items, or if its own limit is already at least as strict. */
static bool init_limit_of(const struct rule *r, const struct history *h, struct init_limit *out)
{
	struct arena a = ARENA_INIT;
	int64_t *v = mem_calloc(h->runs.nr + 1, sizeof *v), median = 0;
	*out = (struct init_limit){ 0 };
	for (size_t i = 0; !r->for_each && i < h->runs.nr; i++) {
		size_t nr;
		const struct past_value *value = past_query(&h->runs.v[i], query_text(&r->query, &a), &nr);
		if (nr == 1 && !value->label.n && value->rank < 0)
			v[out->runs++] = value->value;
	}
	int64_t spread = out->runs >= RUNS_LEAST ? number_spread(v, out->runs, &median) : 0;
	if (median > 0) {
		out->spread = number_pct(spread, median);
		int64_t steps = (TIMES * out->spread + PCT / 2 - 1) / (PCT / 2);
		out->limit = steps * (PCT / 2) > PCT ? steps * (PCT / 2) : PCT;
	}
	free(v);
	arena_release(&a);
	return median > 0 && out->limit < share_of(r);
}

/* Append the stricter limits that the noise of past runs allows. */
static void add_closer(struct init_rules *in, struct strbuf *out)
{
	char limit[NUMBER_TEXT], spread[NUMBER_TEXT];
	struct init_limit l;
	for (size_t i = 0; in->history && i < in->builtin->rules.nr; i++) {
		const struct rule *r = &in->builtin->rules.v[i];
		if (!init_limit_of(r, in->history, &l))
			continue;
		if (in->closer++ == 0)
			strbuf_adds(out, "rules:\n");
		strbuf_addf(out, "  %s: {fail: {increase: %s%%}, warn: off}  # ", r->id,
		            number_format(l.limit, 6, limit));
		strbuf_addf(out, "%s before: the spread of %zu runs is ±%s %%\n", r->fail.list.v[0].text,
		            l.runs, number_format(number_div_round(l.spread, 10000), 2, spread));
	}
}

/* Example of a changed rule, as text: the rule judges the run or, if there is no run, judges most
 * runs. */
static const char *example_of(const struct run_view *v)
{
	if (!v || has_figure(v, &metric_table[METRIC_STEP_COMPUTE_TIME]))
		return "step-compute-time: {fail: {increase: 2%}}\n#   gpu-utilization: off";
	return has_figure(v, &metric_table[METRIC_MEMORY_PEAK_ALLOCATED])
	           ? "peak-memory: {fail: {increase: 2%}}"
	           : "figures: {fail: {worse: 5%}}";
}

const char *init_rules_text(struct init_rules *in, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	size_t ranks = in->view ? in->view->run->ranks.nr : 0;
	strbuf_adds(&b, "# What differs from the built-in rules of gpugate, all of which apply:\n"
	                "# 'gpugate lint' says what each of them asks for, docs/rules.md how to change "
	                "one.\nversion: 2\n");
	strbuf_addf(&b, "workload: \"%s\"  # names the baseline\n", in->workload);
	if (in->formats)
		strbuf_addf(&b,
		            "inputs:\n  results: # remove what is not a figure; write lower or higher for "
		            "'neither'\n%s",
		            in->formats);
	else if (ranks > 1)
		strbuf_addf(&b, "inputs: {expect_ranks: %zu}\n", ranks);
	if (in->marker) {
		strbuf_adds(&b, "steps: {marker: ");
		yaml_add_quoted(&b, span_of(in->marker));
		strbuf_adds(&b, "}\n");
	}
	add_closer(in, &b);
	if (!in->closer)
		strbuf_addf(&b, "# rules:\n#   %s\n", example_of(in->view));
	for (size_t i = 0; in->view && i < in->builtin->rules.nr; i++)
		in->judging += has_figure(in->view, in->builtin->rules.v[i].metric);
	return arena_take(a, &b);
}

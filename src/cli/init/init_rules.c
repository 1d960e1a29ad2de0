#include "init/init_repo.h"

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
	    m->label == LABEL_PAIR; /* metrics that compare two runs cannot be found in one run */
	if (!run_has(v, m))
		return false;
	for (size_t i = 0; i < v->run->ranks.nr && m->label != LABEL_PAIR; i++)
		rank_figures(v, i, m, on_figure, &any);
	return any;
}

/* Append the stricter limits that the noise of past runs allows. */
static void add_closer(struct init_rules *in, struct strbuf *out)
{
	char limit[NUMBER_TEXT], spread[NUMBER_TEXT];
	struct init_limit l;
	for (size_t i = 0; in->past && i < in->builtin->rules.nr; i++) {
		const struct rule *r = &in->builtin->rules.v[i];
		if (!init_limit_of(r, in->past, &l))
			continue;
		if (in->closer++ == 0)
			strbuf_adds(out, "rules:\n");
		strbuf_addf(out, "  %s: {fail: {increase: %s%%}, warn: off}  # ", r->id,
		            number_format(l.limit, 6, limit));
		strbuf_addf(out, "%s before: the spread of %zu runs is ±%s %%\n", r->fail.list.v[0].text,
		            l.runs, number_format(number_div_round(l.spread, 10000), 2, spread));
	}
}

const char *init_rules_text(struct init_rules *in, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	size_t ranks = in->view ? in->view->run->ranks.nr : 0;
	strbuf_adds(&b, "# What differs from the built-in rules of gpugate, all of which apply:\n"
	                "# 'gpugate lint' says what each of them asks for, docs/rules.md how to change "
	                "one.\nversion: 2\n");
	strbuf_addf(&b, "workload: \"%s\"  # names the baseline\n", in->workload);
	if (ranks > 1)
		strbuf_addf(&b, "inputs: {expect_ranks: %zu}\n", ranks);
	if (in->marker) {
		strbuf_adds(&b, "steps: {marker: ");
		yaml_add_quoted(&b, span_of(in->marker));
		strbuf_adds(&b, "}\n");
	}
	add_closer(in, &b);
	if (!in->closer)
		strbuf_adds(&b, "# rules:\n#   step-compute-time: {fail: {increase: 2%}}\n"
		                "#   gpu-utilization: off\n");
	for (size_t i = 0; in->view && i < in->builtin->rules.nr; i++)
		in->judging += has_figure(in->view, in->builtin->rules.v[i].metric);
	return arena_take(a, &b);
}

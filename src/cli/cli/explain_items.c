#include "cli/lint_noise.h"

#include <string.h>

#include "base/text.h"
#include "cli/setup.h"
#include "diff/bench.h"
#include "metric/unit.h"
#include "model/select.h"
#include "rules/yaml_reader.h"

const char *explain_judges(const struct metric *m, struct rules *rules)
{
	const char *list = NULL;
	for (size_t i = 0; i < rules->rules.nr; i++)
		if (rules->rules.v[i].metric == m ||
		    span_glob(span_of(rules->rules.v[i].metric->name), span_of(m->name)))
			list = arena_printf(&rules->arena, "%s%s%s", text_or_empty(list), list ? ", " : "",
			                    rules->rules.v[i].id);
	return list ? list : "no rule";
}

static void add_items(struct bench *b, const struct metric *m, const char *name, const char *path,
                      struct rules *rules, struct strbuf *out)
{
	struct query q = { .metric = m, .reduce = m->reduce, .stat = STAT_MEDIAN };
	const char *kind = label_names[m->label];
	struct entries items;
	for (const struct select_key *key = select_table; key->name; key++)
		if (strcmp(key->name, kind) == 0)
			*select_glob(&q, key) = name;
	bench_query(b, &q, &items);
	for (size_t i = 0; i < items.list.nr; i++) {
		const struct entry *e = &items.list.v[i];
		strbuf_addf(out, "%s: %s of %s\n  figure    %s %s\n", text_line(&b->arena, e->label), kind,
		            path, m->name, unit_text(&b->arena, m->unit, e->value[SIDE_CANDIDATE]));
		strbuf_addf(out, "  judged by %s (rules: %s)\n  select    {metric: %s, select: {%s: ",
		            explain_judges(m, rules), rules->source, m->name, kind);
		yaml_add_quoted(out, e->label);
		strbuf_adds(out, "}}\n");
	}
	vec_release(&items.list);
}

/* Search the figures of result files in the run for one that is called `name`, or that reports call
   so. Returns its metric, or NULL if there is no such figure. */
static const struct metric *figure_called(const struct run *run, struct span name, struct arena *a)
{
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		for (size_t i = 0; i < d->inputs.nr; i++) {
			struct span own = span_of(d->inputs.v[i].name);
			const struct metric *m = metric_of_input(own, a);
			if (span_eq(own, name) || span_eq_nocase(span_of(metric_label(m)), name))
				return m;
		}
	}
	return NULL;
}

const char *explain_items(const struct options *o, const char *name, struct rules *rules,
                          const struct metric **figure)
{
	static const enum metric_id ids[] = { METRIC_KERNEL_TIME,     METRIC_OP_SELF_GPU_TIME,
		                                  METRIC_MODULE_GPU_TIME, METRIC_PLACE_GPU_TIME,
		                                  METRIC_RANGE_GPU_TIME,  METRIC_CATEGORY_TIME,
		                                  METRIC_COMM_TIME,       METRIC_FUNCTION_EXCLUSIVE_PCT };
	struct setup s;
	struct baseline base = { 0 };
	struct bench b;
	struct diag_log log; /* the log is dropped: the reason why there is no baseline does not
	                        matter here */
	struct strbuf out = STRBUF_INIT;
	const char *path = NULL;
	diag_init(&log);
	enum status st = setup_init(&s, o, &log);
	NEXT(st, setup_stored(&s, &path, &base, &log));
	*figure = st == ST_OK ? figure_called(&base.pin, span_of(name), &rules->arena) : NULL;
	if (st == ST_OK && !*figure) {
		bench_init(&b, &(struct bench_runs){ .candidates = &base.pin, .nr_candidates = 1 },
		           s.naming);
		for (size_t i = 0; i < NR_OF(ids); i++) {
			/* the list of functions has kernels and operators, too, and would repeat what was
			   found */
			bool again = out.n && ids[i] == METRIC_FUNCTION_EXCLUSIVE_PCT;
			if (!again)
				add_items(&b, &metric_table[ids[i]], name, path, rules, &out);
		}
		bench_release(&b);
	}
	baseline_release(&base);
	setup_release(&s);
	diag_release(&log);
	return out.n ? arena_take(&rules->arena, &out) : NULL;
}

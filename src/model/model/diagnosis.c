#include "model/diagnosis.h"

const char *const step_part_names[NR_STEP_PARTS] = {
	[STEP_PART_COMPUTE] = "the GPU computes",
	[STEP_PART_COMM] = "communication that nothing hides",
	[STEP_PART_MEMORY] = "copies and sets that nothing hides",
	[STEP_PART_IDLE] = "the GPU is idle",
};
const char *const bound_names[] = { BOUNDS(ENUM_WORD) NULL };

const char *const confidence_names[] = { CONFIDENCES(ENUM_WORD) NULL };

struct query diagnosis_query(const struct metric *m)
{
	return (struct query){ .metric = m,
		                   .stat = STAT_MEDIAN,
		                   .reduce = m->reduce == REDUCE_EACH ? REDUCE_MEDIAN : m->reduce };
}

bool placeholder_next(const char **text, struct span *literal, struct span *inside)
{
	const char *open = strchr(*text, '{');
	const char *close = open ? strchr(open, '}') : NULL;
	if (!**text)
		return false;
	*inside = (struct span){ NULL, 0 };
	*literal = span_of(*text);
	if (close) {
		literal->n = (size_t)(open - *text);
		*inside = (struct span){ open + 1, (size_t)(close - open - 1) };
		*text = close + 1;
	} else {
		*text += literal->n;
	}
	return true;
}

bool placeholder_is_step(struct span inside)
{
	return span_eq(inside, SPAN("step"));
}

/* Sets `out` to the query for the metric `name`: the query of the rule's first condition on this
 * metric, or one without restrictions. False if there is no such metric. */
static bool query_of(const struct diagnosis_rule *r, struct span name, struct query *out)
{
	const struct metric *m = metric_find(name);
	if (!m)
		return false;
	*out = diagnosis_query(m);
	for (size_t i = r->when.nr; i-- > 0;) {
		if (r->when.v[i].figure.query.metric == m)
			*out = r->when.v[i].figure.query;
	}
	return true;
}

bool placeholder_figure(const struct diagnosis_rule *r, struct span inside,
                        struct diagnosis_figure *out, struct span *unknown)
{
	static const struct {
		const char *word;
		enum figure_form form;
	} joints[] = { { " of ", FORM_OF }, { " per ", FORM_PER } };
	struct span other = { NULL, 0 };
	*out = (struct diagnosis_figure){ .form = FORM_PLAIN };
	for (size_t k = 0; k < NR_OF(joints) && !other.p; k++) {
		struct span word = span_of(joints[k].word);
		for (size_t i = 0; i + word.n <= inside.n && !other.p; i++) {
			if (!span_eq((struct span){ inside.p + i, word.n }, word))
				continue;
			other = (struct span){ inside.p + i + word.n, inside.n - i - word.n };
			inside.n = i;
			out->form = joints[k].form;
		}
	}
	*unknown = inside;
	if (!query_of(r, inside, &out->query))
		return false;
	*unknown = other;
	return !other.p || query_of(r, other, &out->other);
}

void diagnosis_rules_release(struct diagnosis_rules *r)
{
	for (size_t i = 0; i < r->list.nr; i++)
		vec_release(&r->list.v[i].when);
	vec_release(&r->list);
	arena_release(&r->arena);
}

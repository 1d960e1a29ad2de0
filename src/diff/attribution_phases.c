/* Figures of phases by those of the same phase that they are made of: no kernels are kept by phase.
 */
#include "diff/attribution_internal.h"
#include "model/phases.h"

/* The parts of a metric; of step.time what ran meanwhile. */
static const struct made_of {
	enum metric_id metric;
	enum metric_id parts[ATTRIBUTION_ROWS]; /* METRIC_STEP_TIME: no more */
} made_of[] = {
	{ METRIC_STEP_CUDA_TIME,
	  { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME, METRIC_STEP_MEMCPY_TIME,
	    METRIC_STEP_MEMSET_TIME } },
	{ METRIC_STEP_KERNEL_TIME, { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME } },
	{ METRIC_STEP_COMPUTE_TIME, { METRIC_STEP_COMPUTE_TIME } },
	{ METRIC_STEP_COMM_TIME, { METRIC_STEP_COMM_TIME } },
	{ METRIC_STEP_MEMCPY_TIME, { METRIC_STEP_MEMCPY_TIME } },
	{ METRIC_STEP_MEMSET_TIME, { METRIC_STEP_MEMSET_TIME } },
	{ METRIC_STEP_KERNEL_COUNT, { METRIC_STEP_KERNEL_COUNT } },
};

static const char *part_name(enum metric_id id)
{
	switch (id) {
	case METRIC_STEP_COMPUTE_TIME:
		return "compute";
	case METRIC_STEP_COMM_TIME:
		return "communication";
	case METRIC_STEP_MEMCPY_TIME:
		return "memory copies";
	case METRIC_STEP_MEMSET_TIME:
		return "memory sets";
	default:
		return "kernels";
	}
}

struct sums {
	const struct attribution_query *query;
	enum phase phase;
	const enum metric_id *parts; /* NULL: of step.time */
	struct attribution_row rows[ATTRIBUTION_ROWS];
	size_t nr;
	int64_t of[NR_SIDES];
};

static void take(void *ctx, const struct rank_part *r)
{
	struct sums *s = ctx;
	const struct digest *d = r->rank->digest;
	struct phase_summary of;
	if (!phase_summary_of(d, s->phase, s->query->metric, &of))
		return;
	s->of[r->side] = number_add(s->of[r->side], of.steps);
	for (size_t i = 0; i < s->nr; i++) {
		struct phase_summary part;
		if (!s->parts)
			s->rows[i].sum[r->side] += of.parts[i];
		else if (phase_summary_of(d, s->phase, &metric_table[s->parts[i]], &part))
			s->rows[i].sum[r->side] += part.value[STAT_TOTAL];
	}
}

struct breakdown *attribution_of_phase(const struct bench *b, const struct activity_pairs *p,
                                       const struct attribution_query *q, struct arena *a)
{
	static const char *const meanwhile[NR_STEP_PARTS] = { "compute", "exposed communication",
		                                                  "exposed memory operations", "idle GPU" };
	struct sums s = { .query = q };
	for (int k = PHASE_FORWARD; k < NR_PHASES; k++)
		if (span_eq(q->label, span_of(phase_names[k])))
			s.phase = (enum phase)k;
	for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
		if (made_of[i].metric == q->metric->id)
			s.parts = made_of[i].parts;
	for (; s.nr < ATTRIBUTION_ROWS && (!s.parts || s.parts[s.nr] != METRIC_STEP_TIME); s.nr++)
		s.rows[s.nr] =
		    (struct attribution_row){ .label = s.parts ? part_name(s.parts[s.nr]) : meanwhile[s.nr],
			                          .detail = "" };
	attribution_each_rank(b, p, q, take, &s);
	struct parts parts =
	    parts_new(a,
	              arena_printf(a, "%s of '%s' by what runs %s", q->metric->name,
	                           phase_names[s.phase], s.parts ? "in it" : "meanwhile"),
	              q->metric->unit, q->change);
	attribution_rows(&parts, q, s.rows, s.nr, s.of);
	return parts.out;
}
